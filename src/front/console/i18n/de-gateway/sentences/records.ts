/** What is wrong with a line of a file of records. */
export const records: Readonly<Record<string, string>> = {
  ROW_FIELDS: 'die Zahl ihrer Felder ist {0}, die erste Zeile nennt {1}',
  CSV_QUOTE_OPEN: 'ein Anführungszeichen wird geöffnet und bis zum Ende der Datei nicht geschlossen',
  CSV_TEXT_AFTER_QUOTE:
    'zwischen einem schließenden Anführungszeichen und dem nächsten Trennzeichen steht Text',
  CSV_QUOTE_WITHIN: 'in einem Feld, das nicht damit beginnt, steht ein Anführungszeichen',
  CSV_RECORD_TOO_LONG: 'sie ist länger als 4 MiB; vielleicht ist ein Anführungszeichen nicht geschlossen',
  ROW_TOO_LONG: 'sie ist zu lang',
  ROW_NO_OBJECT: 'sie ist kein JSON-Objekt',
  ROW_INEXACT: '{0} lässt sich nicht genau darstellen',
  FILE_NO_UTF8: 'die Datei ist nach dieser Zeile kein UTF-8',
  ROW_NO_ID: '{0} ist nicht die ID einer Variablen',
  ROW_NO_VARIABLE:
    'keine Variable angegeben: eine für alle Datensätze wählen (--variable) oder eine Spalte „variable“ ergänzen',
  ROW_LACKS: '{0} fehlt',
  ROW_NO_TIME:
    '{0} ist keine Zeit (2026-03-29T14:05:00Z, 2026-03-29 16:05:00 als Ortszeit oder Unix-Sekunden)',
  ROW_NO_VALUE: '{0} ist nicht {1}',
  VALUE_BOOLEAN: 'wahr oder falsch (true, false)',
  VALUE_INTEGER: 'eine ganze Zahl',
  VALUE_NUMBER: 'eine Zahl (mit Dezimalpunkt)',
  VALUE_TEXT: 'ein Text',
  NOT_RECORDED: '#{0} wird nicht aufgezeichnet: stellwerk call AC_SetLoggingStatus {1} {0} true',
  NOT_RECORDED_YET: '#{0} wird nicht aufgezeichnet: zuerst ins Archiv aufnehmen',
  NO_VARIABLE_WITH_ID: 'es gibt keine Variable #{0}',
};
