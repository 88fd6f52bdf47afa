import type { FamilyTexts } from './family-texts.js';

export const core: FamilyTexts = {
  modules: {
    Hardware: ['Hardware', 'Sucht die Hardware dieses Geräts.'],
    'WebFront Configurator': [
      'WebFront-Konfigurator',
      'Eine Oberfläche für Bewohner: ihr Bereich, ihr Passwort, ihre Einträge.',
    ],
    'Archive Control': ['Archiv', 'Zeichnet die Werte von Variablen auf.'],
    'Utility Control': ['Werkzeuge', 'Funktionen für viele Objekte: Suchen, Ersetzen, Kopieren.'],
    'Location Control': [
      'Standort',
      'Der Standort des Gateways: Sonnenaufgang, Sonnenuntergang und Tageszeiten.',
    ],
  },
  properties: {
    Latitude: ['Breitengrad', 'Die geografische Breite in Grad; Nord ist positiv.'],
    Longitude: ['Längengrad', 'Die geografische Länge in Grad; Ost ist positiv.'],
    Spans: [
      'Tageszeiten',
      'Jede hat eine Variable, die von einem Sonnenstand bis zu einem anderen wahr ist.',
    ],
    'Spans.Ident': ['Ident'],
    'Spans.Name': ['Name'],
    'Spans.From': ['Von'],
    'Spans.FromOffsetS': ['Versatz (s)'],
    'Spans.To': ['Bis'],
    'Spans.ToOffsetS': ['Versatz (s)'],
  },
};

/** The names of the gateway's own variables. */
export const gatewayVariables: Readonly<Record<string, string>> = {
  Health: 'Zustand',
  Problems: 'Probleme',
  'Clock is set': 'Uhr ist gestellt',
  'Bytes written to the disk today': 'Heute geschriebene Bytes',
};
