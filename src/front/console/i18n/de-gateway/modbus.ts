import type { FamilyTexts } from './family-texts.js';

export const modbus: FamilyTexts = {
  modules: {
    'ModBus Gateway': [
      'Modbus-Gateway',
      'Ein Modbus-Gerät an einer seriellen Leitung oder hinter einem Socket.',
    ],
    'ModBus Address': ['Modbus-Adresse', 'Ein Wert eines Modbus-Geräts.'],
    'ModBus Server': ['Modbus-Server', 'Bietet Variablen des Baums Modbus-Clients an.'],
    'ModBus Mapped Device': [
      'Modbus-Gerät nach Tabelle',
      'Ein Zähler, Wechselrichter oder E/A-Modul, dessen Register eine Tabelle beschreibt.',
    ],
  },
  properties: {
    Protocol: ['Protokoll', 'Das Protokoll der Clients.'],
    UnitID: [
      'Geräteadresse',
      'Die Geräteadresse, unter der dieses Gateway antwortet; 0 für jede Geräteadresse (nur Modbus TCP).',
    ],
    'ModBus Server: Map': [
      'Registertabelle',
      'Der Name der Registertabelle, die sagt, welche Variablen angeboten werden.',
    ],
    Map: ['Registertabelle', 'Der Name der Registertabelle, zum Beispiel eastron-sdm630.'],
    Values: ['Werte', 'Die Werte der Tabelle, die eine Variable haben; alle, wenn die Liste leer ist.'],
    EveryMs: ['Abfrageabstand', 'Millisekunden zwischen zwei Abfragen; 0 für die Abstände der Tabelle.'],
    Meter: [
      'Zählernummer',
      'Die Nummer des Zählers anstelle der gesendeten. Mit einer anderen Nummer gelten kleinere Zählerstände.',
    ],
    DeviceID: ['Geräteadresse', 'Die Adresse des Geräts am Bus.'],
    GatewayMode: ['Betriebsart', '0 ist TCP; 1 und 2 sind RTU; 7 und 8 sind ASCII.'],
    SwapWords: [
      'Wortfolge tauschen',
      'Bei Zahlen über mehrere Register kommt das niederwertige Register zuerst.',
    ],
    TimeoutMs: [
      'Antwortzeit',
      'Wie lange eine Antwort dauern darf, zusätzlich zur Übertragungszeit auf der Leitung.',
    ],
    PauseMs: ['Ruhezeit', 'Die kürzeste Sendepause auf der Leitung vor einer Anfrage.'],
    Retries: [
      'Wiederholungen',
      'Wie oft eine Abfrage wiederholt wird, bevor das Gerät als nicht erreichbar gilt.',
    ],
    DataType: ['Datentyp', 'Der Datentyp der Register als Nummer.'],
    ByteOrder: [
      'Bytefolge',
      '0, wenn in Registern das höherwertige Byte zuerst kommt; 1 für das niederwertige.',
    ],
    Factor: ['Faktor', 'Wert = Rohwert × Faktor; 0, wenn der Rohwert selbst der Wert ist.'],
    Length: ['Länge', 'Die Anzahl der Register eines Texts.'],
    Profile: ['Profil', 'Das Profil der Variable.'],
    ReadFunctionCode: [
      'Funktionscode',
      'Die Modbus-Funktion, die den Wert liest; 0, wenn er nicht gelesen wird.',
    ],
    ReadAddress: ['Adresse', 'Die gelesene Adresse, ab 0 gezählt.'],
    Poller: [
      'Abfrageabstand',
      'Millisekunden zwischen zwei Abfragen; bei 0 wird nur auf Anforderung gelesen.',
    ],
    WriteFunctionCode: [
      'Funktionscode',
      'Die Modbus-Funktion, die den Wert schreibt; 0, wenn er nicht geschrieben wird.',
    ],
    WriteAddress: ['Adresse', 'Die geschriebene Adresse, ab 0 gezählt.'],
    EmulateStatus: [
      'Wert übernehmen',
      'Ein bestätigter Schreibvorgang setzt den Wert; er wird nicht zurückgelesen.',
    ],
  },
};
