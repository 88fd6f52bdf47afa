import type { FamilyTexts } from './family-texts.js';

/** Consumption, cost and surplus of a house. */
export const energy: FamilyTexts = {
  modules: {
    Energy: [
      'Energie',
      'Verbrauch, Kosten und Eigenverbrauch eines Hauses sowie ein Ausgang, den ein Überschuss schaltet.',
    ],
  },
  properties: {
    Import: ['Bezug', 'Ident-Pfad der Variable, die die Energie aus dem Netz zählt.'],
    Export: ['Einspeisung', 'Ident-Pfad der Variable, die die ins Netz eingespeiste Energie zählt.'],
    Generation: ['Erzeugung', 'Ident-Pfad der Variable, die die erzeugte Energie zählt.'],
    Charge: ['Speicher laden', 'Ident-Pfad der Variable, die die Energie in den Speicher zählt.'],
    Discharge: ['Speicher entladen', 'Ident-Pfad der Variable, die die Energie aus dem Speicher zählt.'],
    Price: ['Preis', 'Der Preis einer Kilowattstunde, wenn keiner der Tarife gilt.'],
    Tariffs: ['Tarife', 'Preise für Teile des Tages; der erste, der gilt, wird verwendet.'],
    'Tariffs.From': ['Von'],
    'Tariffs.To': ['Bis'],
    'Tariffs.Days': ['Tage'],
    'Tariffs.Price': ['Preis'],
    FeedInPrice: ['Vergütung', 'Der Betrag, der für eine eingespeiste Kilowattstunde gezahlt wird.'],
    Currency: ['Währung', 'Das Zeichen der Währung.'],
    GridPower: ['Netzleistung', 'Ident-Pfad der Leistung aus dem Netz; negativ, solange eingespeist wird.'],
    GenerationPower: ['Erzeugte Leistung', 'Ident-Pfad der erzeugten Leistung.'],
    StoragePower: [
      'Speicherleistung',
      'Ident-Pfad der Leistung aus dem Speicher; negativ, solange er geladen wird.',
    ],
    StorageFirst: ['Speicher zuerst', 'Ob der Speicher geladen wird, bevor es einen Überschuss gibt.'],
    Switch: ['Ausgang', 'Ident-Pfad des Ausgangs, den der Überschuss schaltet; leer für keinen.'],
    OnAbove: [
      'Ein ab (W)',
      'Der Überschuss in Watt, ab dem eingeschaltet wird: mindestens die Leistung des Geräts.',
    ],
    OffBelow: ['Aus unter (W)', 'Der Überschuss in Watt, unter dem ausgeschaltet wird.'],
    DelayS: ['Verzögerung (s)', 'Wie viele Sekunden der Überschuss dauern muss, bevor geschaltet wird.'],
    MinOnS: ['Mindestens ein (s)', 'Der Ausgang bleibt mindestens so viele Sekunden ein.'],
    MinOffS: ['Mindestens aus (s)', 'Der Ausgang bleibt mindestens so viele Sekunden aus.'],
  },
};
