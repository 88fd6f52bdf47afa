/** Sentences about sensors. */
export const sensors: Readonly<Record<string, string>> = {
  SENSOR_NAMED: 'der Sensor {0}',
  NO_SUCH_SENSOR:
    'dieses Gerät hat keinen Sensor {0} ({1}); stellwerk doctor sagt, wie ein Baustein eingeschaltet wird',
  SENSORS_MATCH: '{0} Sensoren passen; {Device} auf einen von {1} setzen',
  SENSOR_WITHOUT_CHANNELS: '{0} hat keinen Kanal mit einer Größe, die Sensor kennt',
  NO_SUCH_CHANNEL: '{0} hat keinen Kanal {1}; vorhanden: {2}',
  SENSOR_NO_BUFFER: '{0} hat keinen Puffer; {Trigger} leeren, dann wird er in Abständen gelesen',
  SENSOR_NOT_IN_BUFFER:
    'der Puffer von {0} hat kein {1}; vorhanden: {2}: den Kanal entfernen oder {Trigger} leeren',
  SENSOR_NO_TRIGGER: 'dieses Gerät hat keinen Auslöser {0} ({1}); ihn anlegen oder {Trigger} korrigieren',
  SENSOR_NO_RATE: 'der Auslöser {0} hat keine einstellbare Rate; {SampleHz} auf 0 setzen',
  SENSOR_SCANS_LOST:
    'der Puffer war voll, Messwerte gingen verloren; {EveryS} oder die Rate des Auslösers verringern',
  SENSOR_SCANS: '{SampleHz} × {EveryS} ist {0} und darf höchstens {1} sein; eines davon verringern',
  SENSOR_BUS_BLOCKED:
    'ein Lesevorgang an {0} dauert schon mehr als {1} s, deshalb wird {2} nicht gelesen; die Verdrahtung des Busses prüfen',
  SENSOR_DEVICE_EMPTY:
    '{Device} ist leer; den Namen eines Bausteins setzen (eine Suche nach Hardware nennt sie)',
  SENSOR_QUANTITY_UNKNOWN:
    '{0} ist kein Name eines Kanals im Kernel; ist es eine Beschriftung, {Quantity} setzen',
  SENSOR_LIMITS: '{Min} von {0} muss kleiner als {Max} sein',
  SENSOR_CALIBRATION:
    'die Kalibrierung von {0} braucht {MeasuredLow}, {ActualLow}, {MeasuredHigh} und {ActualHigh} mit zwei verschiedenen gemessenen Werten',
  SENSOR_CONVERSION_INPUT: 'die Umrechnung {0} von {1} braucht einen Kanal, der {2} misst',
  SENSOR_SIGNAL_RANGE: '{0} braucht {From} und {To}, die Werte an beiden Enden des Signals',
  SENSOR_SHUNT: '{0} misst eine Spannung; {ShuntOhm} auf den Widerstand setzen, durch den der Strom fließt',
  SENSOR_DIVIDER:
    '{0} misst eine Spannung; {SeriesOhm} und {SupplyV} auf die Werte des Spannungsteilers setzen',
  SENSOR_NTC_BETA: '{0} braucht {Ohm25} und {Beta} aus dem Datenblatt des NTC',
  SENSOR_NTC_COEFFICIENTS: '{0} braucht die Koeffizienten A, B und C des NTC',
  SENSOR_NTC_TABLE:
    '{Table} von {0} braucht mindestens zwei Punkte wie 0:32554 25:10000, mit fallenden Widerständen',
  // The check of the machine
  ALL_SENSORS_PRESENT: 'alle konfigurierten Sensoren sind vorhanden ({0})',
  SENSOR_MISSING: '{0} von {1} ist nicht vorhanden',
  SENSOR_NO_DRIVER:
    'der Kernel kennt {0} an {1}, aber kein Treiber benutzt ihn; siehe sein Protokoll (sudo dmesg)',
  SENSOR_LOAD_DRIVER:
    'der Kernel kennt {0} an {1}, aber kein Treiber benutzt ihn; sudo modprobe {2} ausführen; wenn es hilft, lädt ihn sudo stellwerk enable-chip {3} bei jedem Start, sonst die Verdrahtung prüfen',
  SENSOR_SEE_PAGE: 'wie {1} eingeschaltet wird, steht auf {0}',
  SENSOR_WHICH_CHIP:
    'sudo stellwerk enable-chip ads1115@{0} für einen ADS1115 oder ads1015@{1} für einen ADS1015 ausführen; der Kernel gibt beiden denselben Namen',
  SENSOR_ADD_SETTINGS: '{0} in {1} eintragen und neu starten (sudo stellwerk enable-chip {2} erledigt das)',
  SENSOR_NO_BUS: 'dieses Gerät hat keinen Bus i2c-{0}{1}; im Device-Tree einschalten ({2})',
  SENSOR_DECLARE: 'wenn der Baustein an i2c-{0} angeschlossen ist, sudo stellwerk enable-chip {1} ausführen',
  // Enabling a chip
  CHIP_UNKNOWN:
    '{0} ist kein bekannter Baustein mit einer Adresse; eine Form wie bme280@1-0076 verwenden; bekannt: {1}',
  CHIP_ADDRESS: '{0} kann die Adresse {1} nicht haben, nur {2}',
  CHIP_OTHER_BUS: 'das Overlay von {0} ist für den Bus {1} der Stiftleiste, nicht für {2}; siehe {3}',
  CHIP_PRESENT: 'der Kernel hat {0} an {1} schon, und eine Adresse gehört zu einem Baustein',
  CHIP_DECLARED: '{0} hat an {1} schon einen anderen Baustein ({2}); zuerst diese Zeile entfernen',
  CHIP_NO_REPLY:
    'stellwerk-chips.service hat nicht geantwortet; journalctl -u stellwerk-chips zeigt den Grund',
  WHAT_CHIP_WITHOUT_SERVICE:
    'Das Eintragen eines Bausteins ohne stellwerk-chips.path (stattdessen sudo stellwerk enable-chip --yes {0} ausführen)',
  WHAT_CHIP_IN_PROGRESS: 'Ein anderer Baustein wird gerade eingetragen',
  SENSOR_BUSES: '; vorhanden: {0}',
};
