import type { FamilyTexts } from './family-texts.js';

/** Meters for electricity, gas, water and heat. */
export const meter: FamilyTexts = {
  modules: {
    'SML Meter': ['SML-Zähler', 'Ein Stromzähler, der SML-Telegramme an einen Lesekopf sendet.'],
    'DSMR Meter': [
      'DSMR-Zähler',
      'Ein Stromzähler mit P1-Schnittstelle und die Gas- und Wasserzähler dahinter.',
    ],
    'IEC 62056-21 Meter': [
      'IEC-62056-21-Zähler',
      'Ein Zähler, der seine Werte als Text sendet, von selbst oder auf Anfrage (D0).',
    ],
    'M-Bus Meter': [
      'M-Bus-Zähler',
      'Ein Wärme-, Wasser-, Gas- oder Stromzähler an einem verdrahteten M-Bus.',
    ],
  },
  properties: {
    'M-Bus Meter: Address': [
      'Primäradresse',
      'Die Primäradresse des Zählers, wenn keine Nummer angegeben ist. Neue Zähler haben 0.',
    ],
    Number: [
      'Nummer',
      'Die Nummer des Zählers: 8 Stellen, oder 16 mit Hersteller, Version und Medium; F steht für jede Ziffer.',
    ],
    TimeoutMs: [
      'Antwortzeit',
      'Wie lange die Antwort dauern darf, zusätzlich zur Übertragungszeit auf der Leitung.',
    ],
    Mode: ['Ablauf', 'Ob der Zähler von selbst sendet oder auf Anfrage.'],
    EveryS: ['Abstand', 'Der Abstand zwischen zwei Anfragen in Sekunden.'],
    Address: ['Adresse', 'Die Adresse des Zählers; leer, wenn er der einzige ist.'],
    MaxBaud: [
      'Höchste Baudrate',
      'Die höchste Baudrate, auf die beim Auslesen gewechselt wird: was der Lesekopf kann.',
    ],
    AcceptUnchecked: [
      'Ohne Prüfsumme annehmen',
      'Telegramme eines Zählers, der keine Prüfsumme sendet, gelten, wenn zwei nacheinander gleich aufgebaut sind.',
    ],
    Values: ['Werte', 'Die Werte des Zählers, die eine Variable haben.'],
    Learn: ['Werte übernehmen', 'Werte, die der Zähler sendet, kommen von selbst hinzu.'],
    Meter: [
      'Zählernummer',
      'Die Nummer des Zählers anstelle der gesendeten. Mit einer anderen Nummer gelten kleinere Zählerstände.',
    ],
    StaleAfterS: [
      'Veraltet nach',
      'Ein Wert gilt so viele Sekunden nach dem letzten Telegramm als veraltet.',
    ],
  },
};
