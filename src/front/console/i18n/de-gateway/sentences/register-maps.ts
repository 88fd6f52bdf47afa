/** Sentences about register maps of Modbus devices. */
export const registerMaps: Readonly<Record<string, string>> = {
  MAP_EMPTY: 'Map ist leer; den Namen einer Registertabelle angeben',
  MAP_UNKNOWN: 'es gibt weder im Paket noch in {1} eine Registertabelle {0}{2}',
  MAP_VALUE_UNKNOWN: 'Values enthält {0}, das die Registertabelle {1} nicht hat',
  MAP_IDENT_TWICE: 'in dieser Tabelle gibt es einen weiteren Wert {0}',
  MAP_TOO_MANY: 'die Tabelle hat {0} Werte; höchstens {1} sind erlaubt',
  MAP_IDENTIFY: 'at und is (ein Register), vendor oder product (Gerätekennung) oder model (SunSpec) angeben',
  MAP_IDENT:
    'ein Ident besteht aus Buchstaben, Ziffern und _, beginnt mit einem Buchstaben und hat höchstens 64 Zeichen',
  MAP_READ_ONLY: 'Werte von {0} können nicht geschrieben werden; write entfernen',
  MAP_BIT_KEY: '{0} gilt für Register; ein Wert von {1} ist ein Bit',
  MAP_TEXT_LENGTH: 'ein Text braucht length, die Anzahl seiner Register',
  MAP_LENGTH: 'length gilt für den Typ text; {0} hat {1} Register',
  MAP_BIT: 'bit braucht einen Typ mit einem Register, und Bits von 0 bis 15',
  MAP_BIT_WRITE:
    'ein einzelnes Bit eines Registers kann nicht geschrieben werden: die anderen würden überschrieben',
  MAP_SCALE: 'scale darf nicht 0 sein',
  MAP_SCALE_AT: 'scaleAt gilt für ganze Zahlen',
  MAP_LIMIT: 'er hat {0} Register; die Tabelle erlaubt {1} je Anfrage',
  MAP_ADDRESS: 'seine letzte Adresse liegt hinter {0}',
  MAP_WRITE_WITH: 'writeWith muss für eine Spule 5 oder 15 sein, für Register 6 (ein Register) oder 16',
  MAP_SERVER_MODELS: 'die Tabelle eines Servers hat keine models',
  MAP_VARIABLE: 'variable angeben, den Pfad der Idents der Variable',
  MAP_SERVER_SCALE: 'die Tabelle eines Servers hat scale, nicht scaleAt',
  MAP_DEVICE_KEY: 'variable und bad gelten für die Tabelle eines Servers',
  MAP_NAME: '{0} ist kein bekannter Ident; einen name angeben',
  MAP_KIND: 'die Variable {0} kann keinen Wert dieses Typs haben ({1})',
  EVERY_MS_SHORT: 'EveryMs muss 0 oder mindestens {0} sein',
  NO_VALUE_IN_REGISTER: 'das Gerät meldet, dass es keinen Wert hat',
  OUT_OF_LIMITS: 'die Tabelle erlaubt {0} bis {1}, nicht {2}',
  SUNSPEC_MODELS_MISSING:
    'das Gerät hat keines der SunSpec-Modelle {0}; prüfen, ob SunSpec eingeschaltet ist, und die Tabelle',
};
