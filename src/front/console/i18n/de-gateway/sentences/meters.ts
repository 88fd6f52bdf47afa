/** Sentences about meters. */
export const meters: Readonly<Record<string, string>> = {
  METER_VALUE_UNKNOWN:
    '{Values} enthält {0}, das kein Zähler hat; nötig ist ein Wert wie ENERGY_IN, ENERGY_IN_T1, POWER oder GAS_1',
  METER_REPLACED: 'der Zähler {0} wurde durch {1} ersetzt; seine Stände beginnen von vorn',
  METER_CHECKSUM:
    'ein {0}-Telegramm mit falscher Prüfsumme wurde verworfen; die Lage des Lesekopfs und die Verdrahtung prüfen',
  METER_MALFORMED:
    'Bytes wurden verworfen, die kein {0}-Telegramm sind; Protokoll, {BaudRate}, {DataBits} und {Parity} prüfen',
  METER_TOO_LONG:
    'Daten, die länger als ein {0}-Telegramm sind, wurden verworfen; Protokoll, {BaudRate}, {DataBits} und {Parity} prüfen',
  METER_READOUT: 'das Auslesen des Zählers',
  METER_REPLY: 'die Antwort des Zählers',
  METER_ON: 'der Zähler an {0}',
  METER_SILENT:
    'der Zähler antwortet nicht ({0}); den Lesekopf prüfen, und ob die Schnittstelle 300 Baud, 7 Datenbits und gerade Parität hat',
  MBUS_SILENT: 'der Zähler antwortet nicht ({0}); Adresse, Baudrate (meist 2400 8E1) und Verdrahtung prüfen',
  MBUS_ERROR: 'der Zähler meldet: {0}',
  MBUS_UNREADABLE: 'seine Antwort ist nicht lesbar: {0}',
  MBUS_NUMBER: '{Number} ist {0}; nötig sind 8 oder 16 hexadezimale Stellen',
  METER_UNCHECKED:
    'ein {0}-Telegramm ohne Prüfsumme wurde verworfen; sendet der Zähler keine, {AcceptUnchecked} setzen',
  // Energy
  NO_ENERGY_SOURCE: '{Import} und {GridPower} sind leer; mindestens eines davon setzen',
  NO_IMPORT: '{Import} ist leer; die anderen Zähler brauchen ihn',
  NO_GRID_POWER: '{GridPower} ist leer; {Switch} braucht es',
  NO_VARIABLE_AT_PATH: 'unter {0} gibt es keine Variable; die Eigenschaft korrigieren',
  OWN_VARIABLE: '{0} ist eine Variable dieser Instanz; die eines Zählers eingeben',
  CLOCK_NOT_SET_WAITING: 'die Uhr dieses Geräts ist noch nicht gestellt; danach wird weitergezählt',
  READOUT_CUT: '{0} wurde während des Auslesens getrennt',
  COUNTER_REPLACED: 'der Zähler von {0} wurde durch {1} ersetzt: ab seinem Stand wird weitergezählt',
  COUNTER_FELL: '{0} ist gefallen: ab dem neuen Wert wird weitergezählt',
  NO_VALID_VALUE: '{0} hat keinen gültigen Wert; mit dem nächsten wird weitergezählt',
  SURPLUS_REJECTED: '{Switch}: {0}',
};
