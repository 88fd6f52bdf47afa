import type { FamilyTexts } from './family-texts.js';

/** LEDs, PWM channels and 1-Wire of the machine. */
export const board: FamilyTexts = {
  modules: {
    LED: ['LED', 'Eine LED des Geräts: Helligkeit und Blinken.'],
    PWM: ['PWM', 'Ein PWM-Kanal: für Dimmer und Lüfter.'],
    '1-Wire Bus': ['1-Wire-Bus', 'Ein 1-Wire-Bus des Geräts.'],
    '1-Wire Device': ['1-Wire-Gerät', 'Ein Gerät an einem 1-Wire-Bus: Thermometer, Schalter, Zähler.'],
  },
  properties: {
    Led: ['LED', 'Der Name der LED in der Board-Datei oder in /sys/class/leds.'],
    OnBrightness: ['Einschalthelligkeit', 'Die Helligkeit nach dem Einschalten, in Prozent.'],
    'LED: Boot': ['Beim Start', 'Was die LED tut, wenn das Gateway startet.'],
    'PWM: Boot': ['Beim Start', 'Was der Ausgang tut, wenn das Gateway startet.'],
    BlinkOnMs: ['Einschaltdauer', 'Wie lange die LED beim Blinken leuchtet.'],
    BlinkOffMs: ['Ausschaltdauer', 'Wie lange die LED beim Blinken aus ist.'],
    Channel: ['Kanal', 'Der Name des Kanals in der Board-Datei oder seine Nummer.'],
    Chip: ['Chip', 'Der Gerätename des Chips; leer für den Chip, der den genannten Kanal hat.'],
    FrequencyHz: ['Frequenz (Hz)', 'Die Frequenz des PWM-Signals in Hertz.'],
    Inverted: ['Invertiert', 'Der Ausgang ist bei niedrigem Pegel aktiv.'],
    MinDuty: ['Kleinster Tastgrad', 'Der Tastgrad beim Stellwert 0.'],
    MaxDuty: ['Größter Tastgrad', 'Der Tastgrad beim Stellwert 1.'],
    OnLevel: ['Einschaltwert', 'Der Stellwert nach dem Einschalten.'],
    ZeroIsOff: ['0 schaltet aus', 'Stellwert 0 schaltet aus, statt den kleinsten Tastgrad auszugeben.'],
    Bus: ['Bus', 'Der Name des Busses im Kernel.'],
    Address: ['Adresse', 'Die Adresse des Geräts: seine Familie und seine Seriennummer.'],
    EveryS: ['Abfrageabstand', 'Der Abstand zwischen zwei Ablesungen.'],
  },
};
