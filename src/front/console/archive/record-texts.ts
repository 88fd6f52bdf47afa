import { locale } from '../../web/i18n/i18n.js';

const en = {
  exportTitle: 'Export records',
  importTitle: 'Import records',
  variables: 'Variables',
  all: 'All variables with records',
  format: 'Format',
  formats: { csv: 'CSV, for spreadsheets', jsonl: 'JSON lines, for programs' },
  from: 'From',
  to: 'Until',
  rangeHint: (zone: string) => `Leave both empty for all records. Times are those of ${zone}.`,
  start: 'Export',
  none: 'Select a variable.',
  exported: (records: string) => `Exported records: ${records}.`,
  untrusted: (records: string) => `${records} of them have times of an untrusted clock and are marked.`,
  formulas: (records: string) =>
    `${records} texts start like formulas (= + - @): import the column into a spreadsheet as text.`,
  cancelled: 'Cancelled. There is no file.',
  file: 'File',
  fileHint:
    'CSV with the columns variable, time, value, or JSON lines. The complete file is checked first: if lines are wrong, nothing is imported.',
  only: 'Variable',
  perLine: 'As the column variable says',
  submit: 'Check and import',
  checking: 'The file is being checked …',
  empty: 'The file has no records.',
  problems: (n: string) => `Wrong lines: ${n}. Nothing was imported.`,
  line: (n: number) => `Line ${n}`,
  more: (n: string) => `and ${n} more`,
  imported: (records: string) => `Imported records: ${records}.`,
  importCancelled: 'Cancelled. Records that were imported stay; you can import the file again.',
  stopped: (reason: string, records: string, lines: string) =>
    `Lines ${lines} were rejected: ${reason}. ${records} records before them were imported. Correct the cause and import the file again: records that exist already are not changed.`,
};

const de: typeof en = {
  exportTitle: 'Datensätze exportieren',
  importTitle: 'Datensätze importieren',
  variables: 'Variablen',
  all: 'Alle Variablen mit Datensätzen',
  format: 'Format',
  formats: { csv: 'CSV, für Tabellen', jsonl: 'JSON Lines, für Programme' },
  from: 'Von',
  to: 'Bis',
  rangeHint: (zone) => `Leer: alle Datensätze. Die Zeiten gelten in der Zeitzone ${zone}.`,
  start: 'Exportieren',
  none: 'Wählen Sie eine Variable aus.',
  exported: (records) => `Exportierte Datensätze: ${records}.`,
  untrusted: (records) => `Bei ${records} davon ist die Zeit unsicher; sie sind markiert.`,
  formulas: (records) =>
    `Texte, die wie Formeln beginnen (= + - @): ${records}. Importieren Sie die Spalte in eine Tabelle als Text.`,
  cancelled: 'Abgebrochen. Es gibt keine Datei.',
  file: 'Datei',
  fileHint:
    'CSV mit den Spalten variable, time und value oder JSON Lines. Zuerst wird die ganze Datei geprüft: Bei falschen Zeilen wird nichts importiert.',
  only: 'Variable',
  perLine: 'Laut Spalte variable',
  submit: 'Prüfen und importieren',
  checking: 'Die Datei wird geprüft …',
  empty: 'Die Datei hat keine Datensätze.',
  problems: (n) => `Falsche Zeilen: ${n}. Es wurde nichts importiert.`,
  line: (n) => `Zeile ${n}`,
  more: (n) => `und ${n} weitere`,
  imported: (records) => `Importierte Datensätze: ${records}.`,
  importCancelled: 'Abgebrochen. Was importiert ist, bleibt; die Datei kann noch einmal importiert werden.',
  stopped: (reason, records, lines) =>
    `Die Zeilen ${lines} wurden abgelehnt: ${reason}. Davor importierte Datensätze: ${records}. Beheben Sie die Ursache und importieren Sie die Datei noch einmal: Vorhandene Datensätze ändern sich nicht.`,
};

/** The texts of the dialogs that export and import records. */
export const recordTexts = () => (locale() === 'de' ? de : en);
