/** Findings of health checks and of the doctor. */
export const health: Readonly<Record<string, string>> = {
  FINE: 'in Ordnung',
  SEE_LOG_ADDRESSES_SEND: 'die Adressen sperren, die falsche Passwörter senden; das Protokoll nennt sie',
  WAITING_LOGINS_PER_ADDRESS: '{0} wartende Anmeldungen je Adresse',
  WAITING_LOGINS: '{0} wartende Anmeldungen',
  OF_ALL_FRONTS: '{0} aller Oberflächen',
  PER_FRONT: '{0} je Oberfläche',
  OF_FRONTS_PER_ADDRESS: '{0} der Oberflächen je Adresse',
  LIMIT_OF: '{0} {1}',
  IF_NOT_ATTACK_LET:
    'falls das kein Angriff ist, diese Clients kürzere Anfragen senden lassen, bis ihre Anmeldung geprüft ist',
  UNVERIFIED_BYTES_PER_ADDRESS: '{0} ungeprüfte Byte je Adresse',
  UNVERIFIED_BYTES: '{0} ungeprüfte Byte',
  FIND_CLIENT_LEAVES_CONNECTIONS:
    'den Client suchen, der Verbindungen offen lässt; die am längsten ungenutzten werden geschlossen',
  CONNECTIONS_PER_ADDRESS: '{0} Verbindungen je Adresse',
  CONNECTIONS: '{0} Verbindungen',
  CONNECTIONS_ALL: '{0} Verbindungen insgesamt',
  CLOSE_SOME_THEM: 'einige davon schließen',
  TLS: 'TLS mit {0}',
  FIND_FRONT_CALLS_TOO: 'die Oberfläche suchen, die zu oft aufruft (SVC_GetConnectionList)',
  CALLS_IN_FLIGHT: 'laufende Aufrufe',
  BATCHES_IN_FLIGHT: 'laufende Sammelaufrufe',
  WHAT_SESSIONS: 'Anmeldungen',
  FIND_CLIENTS_OPEN_MANY:
    'die Clients suchen, die sich oft anmelden (SVC_GetConnectionList), und offenen Oberflächen ein Passwort geben',
  ALL_ON_DISK: 'alles ist auf dem Datenträger',
  ARCHIVE_KEPT: 'ein beschädigtes Archiv wird aufbewahrt: {0}',
  STOP_GATEWAY_RUN_STELLWERK:
    'das Gateway anhalten, „stellwerk archive salvage --data DIR“ ausführen und es wieder starten; den Datenträger prüfen (dmesg); die Datei löschen, wenn nichts darin gebraucht wird',
  RECORDS_WAIT_MEMORY: 'Aufzeichnungen warten im Speicher: {0}',
  GATEWAY_QUARANTINES_DAMAGED_ARCHIVE:
    'das Gateway bewahrt das beschädigte Archiv auf und beginnt ein neues; dann „stellwerk archive salvage“ ausführen',
  NO_ERRORS: '{0} hat keine Fehler',
  AND_MORE: 'und {0} weitere',
  CHECK_LISTS_THEM: 'stellwerk check {0} zeigt alle',
  NOT_READABLE_FOR_YOU: 'dieser Benutzer kann {0} nicht lesen',
  DOCTOR_AS_ROOT: 'sudo stellwerk doctor ausführen',
  NOT_USABLE_FIRST_ERROR: '{0} ist nicht brauchbar; erster Fehler in Zeile {1}: {2}',
  OBJECT_AT: '{0} (#{1}, {2})',
  ALL_OBJECTS_GATEWAY_YAML: 'alle Objekte, die gateway.yaml angelegt hat, stehen noch darin',
  REMOVED_FROM_FILE: '{0} wurde aus gateway.yaml entfernt und ist noch da',
  STELLWERK_PRUNE_SHOWS_WHAT:
    'stellwerk prune zeigt, was entfernt werden kann; um ein Objekt zu behalten, es wieder eintragen',
  RESET_LINE_READY: '{0} setzt das Gateway zurück',
  RESET_LINE_USED: '{0} wird benutzt oder ist ein Ausgang',
  RESET_LINE_ACTIVE: 'das Gateway wurde durch {0} zurückgesetzt; die Leitung war beim Start noch aktiv',
  RELEASE_RESET_LINE: 'die Steckbrücke entfernen oder den Taster loslassen und das Gateway neu starten',
  RESET_LINE_FAILED: 'die Leitung für das Zurücksetzen ist nicht lesbar: {0}',
  CORRECT_RESET_LINE: 'reset in der Board-Datei korrigieren',
  RESTORED_START: '{0} wurde beim Start wiederhergestellt',
  NOT_RESTORED: '{0} wurde nicht wiederhergestellt: {1}',
  CHOOSE_ANOTHER_BACKUP_USE: 'eine andere Sicherung wählen oder stellwerk restore verwenden',
  DID_NOT_START_GATEWAY: 'dieser Teil startete nicht, das Gateway läuft ohne ihn; der Grund: {1}',
  CORRECT_CAUSE_RESTART_GATEWAY: 'die Ursache beheben und das Gateway neu starten',
  SCRIPTS_UNCONFINED: 'Skriptprozesse laufen ohne einige ihrer Beschränkungen: {0}',
  CONFINE_SCRIPTS:
    'einen Kernel mit CONFIG_SECCOMP_FILTER (wie den von Debian) und die installierte Unit verwenden; bis dahin nur Benutzer mit Shell-Zugang Skripte schreiben lassen',
  WAITING_SCRIPTS: '{0} wartende Skripte',
  WAITING_SCRIPTS_PER_FRONT: '{0} wartende Skripte je Oberfläche',
  WAITING_SCRIPTS_ALL_FRONTS: '{0} wartende Skripte aller Oberflächen',
  BOARD_NAMED: '{0}; der Device-Tree nennt {1}',
  NO_BOARD_FILE_MATCHES_MACHINE:
    'keine Board-Datei passt zu diesem Gerät ({0}), seine Leitungen haben also keine Namen',
  SET_BOARD_GATEWAY_YAML: 'das Board in gateway.yaml setzen oder eine Board-Datei schreiben ({0})',
  USER_MAY_OPEN: '{0} darf {1} öffnen',
  USER_MAY_NOT_OPEN: '{0} darf {1} nicht öffnen',
  NODE_OF_GROUP: '{0} (Gruppe {1})',
  DOCTOR_SHOWS_FIX: 'sudo stellwerk doctor zeigt die Abhilfe',
  RUN_THEN_RESTART: '{0}, dann das Gateway neu starten',
  ASSIGN_GROUP:
    'das Gerät mit einer udev-Regel einer Gruppe zuordnen (für GPIO siehe systemd/60-stellwerk.rules), dann sudo udevadm trigger',
  ALL_CONFIGURED_LINES_AVAILABLE: 'alle konfigurierten Leitungen sind verfügbar ({0})',
  REMOVE_SETTING: '{0} aus {1} entfernen und neu starten',
  STOP_CONSUMER:
    'das Programm oder den Treiber mit dem Verbrauchernamen {0} anhalten oder eine andere Leitung verwenden',
  LINE_IN_USE_BY: '{0} von {1} wird von {2} benutzt',
  PORT_OF_MISSING: '{0} von {1} ist nicht vorhanden',
  PORT_IS_CONSOLE: '{0} von {1} ist eine Konsole des Kernels',
  REMOVE_CONSOLE:
    'console=… für diese Schnittstelle aus der Kernel-Befehlszeile entfernen (raspi-config: Serial Port; sonst cmdline.txt), dann sudo systemctl disable --now serial-getty@{0}',
  PORT_UNSTABLE: '{0} von {1} kann nach einem Neustart oder Umstecken ein anderer Adapter sein',
  SET_PORT_TO: '{Port} auf {0} setzen',
  ALL_CONFIGURED_PORTS_EXIST: 'alle konfigurierten Schnittstellen sind vorhanden ({0})',
  NO_OTHER_PORT: 'es gibt keine andere Schnittstelle',
  EXISTING_PORTS: 'vorhandene Schnittstellen: {0}',
  PLUG_IN_OR_SET: 'anstecken oder eine andere Schnittstelle wählen ({0})',
  BUSES_DISABLED: '{0} ist im Device-Tree ausgeschaltet; ',
  ENABLE_PORT: '{0}im Device-Tree einschalten oder eine andere Schnittstelle wählen ({1})',
  SETTING_NOT_ACTIVE: '{0} steht in {1}, ist aber nicht aktiv: neu starten',
  ADD_SETTING: '{0}{1} in {2} eintragen und neu starten',
  THERE_PWM_CHANNELS: 'PWM-Kanäle sind vorhanden',
  NO_PWM_CHANNEL: '{0} braucht einen PWM-Kanal, und dieses Gerät hat keinen',
  ENABLE_PWM_CHIP_DEVICE: 'den PWM-Chip im Device-Tree einschalten ({0})',
  ADD_PWM_OVERLAY: 'dtoverlay=pwm-2chan in {0} eintragen ({1}) und neu starten',
  ROLLBACK_NOTE_UNREADABLE:
    'ein Update wurde zurückgenommen, aber der Vermerk darüber ({0}) ist nicht lesbar',
  FIND_ROLLBACK_IN_JOURNAL:
    'journalctl -t stellwerk-update zeigt, welches; danach den Vermerk löschen (sudo rm {0})',
  UPDATE_NOT_HEALTHY:
    'Version {0} wurde am {1} zurückgenommen, weil sie nicht innerhalb von {2} s fehlerfrei lief; {3} läuft wieder',
  UPDATE_REJECTS_CONFIGURATION:
    'Version {0} wurde am {1} zurückgenommen, weil sie die Konfiguration ablehnt; {2} läuft wieder',
  UPDATE_NOT_STARTED: 'Version {0} wurde am {1} zurückgenommen, weil sie nicht startete; {2} läuft wieder',
  INSTALL_NEXT_VERSION:
    'journalctl -u stellwerk zeigt den Grund; das nächste erfolgreiche Update löscht diesen Vermerk ({0})',
  DATABASE_OF_NEWER_VERSION:
    'eine neuere Version von stellwerk hat die Datenbank umgestellt; sie wird als {0} aufbewahrt, und das Gateway verwendet die Sicherung {1}',
  CHANGES_SINCE_UPDATE_KEPT:
    'Änderungen seit dieser Sicherung sind in der aufbewahrten Datei; um sie zu erhalten, die neuere Version wieder installieren, das Gateway anhalten und „stellwerk restore DATEI --replace“ ausführen',
  NEWER_DATABASE_KEPT: 'eine Datenbank einer neueren Version von stellwerk wird aufbewahrt: {0}',
  RESTORE_OR_DELETE_NEWER:
    'um sie zu verwenden, jene Version installieren, das Gateway anhalten und „stellwerk restore DATEI --replace“ ausführen; die Datei löschen, wenn nichts darin gebraucht wird',
  NEWER_ARCHIVE_KEPT:
    'eine neuere Version von stellwerk hat das Archiv umgestellt; es wird aufbewahrt ({0}), und ein neues wurde angelegt',
  SALVAGE_NEWER_ARCHIVE:
    'um seine Aufzeichnungen wieder zu sehen, jene Version wieder installieren, das Gateway anhalten und „stellwerk archive salvage DATEI --write“ ausführen; die Datei löschen, wenn nichts darin gebraucht wird',
  LINE_KEEPER_RUNNING: 'der Leitungswächter läuft',
  LINE_KEEPER_NOT_RUNNING:
    'der Leitungswächter läuft nicht: Ausgänge sind nicht gesichert, wenn das Gateway beendet wird',
  START_KEEPER:
    'sudo systemctl start stellwerk-keeper; journalctl -u stellwerk-keeper zeigt, warum er anhielt',
  FREE_SPACE: '{0} von {1} frei auf dem Datenträger des Datenverzeichnisses',
  FREE_SOME_SPACE_USE:
    'Platz schaffen (sudo du -xh / | sort -h | tail zeigt die größten Ordner) oder eine größere Karte verwenden',
  MORE_THAN_LIFE: 'die gesamte vorgesehene Lebensdauer',
  SHARE_OF_LIFE: 'ein Anteil von {0} bis {1} % der vorgesehenen Lebensdauer',
  CARD_WEAR: '{0} meldet, dass {1} verbraucht ist{2}',
  SPARE_BLOCKS: ', ebenso die meisten Ersatzblöcke',
  TEMPERATURE: '{0} °C',
  PROCESSOR_SLOWED: '{0}; der Prozessor ist gedrosselt',
  COOL_THE_MACHINE:
    'für Luft sorgen: ein größeres Gehäuse, ein Kühlkörper oder ein Lüfter; auch eine zu niedrige Versorgungsspannung drosselt einen Raspberry Pi',
  VOLTAGE_SUFFICIENT: 'die Versorgungsspannung reicht aus',
  UNDERVOLTAGE:
    'die Versorgungsspannung ist zu niedrig: das Gerät kann anhalten und seine Karte beschädigt werden',
  USE_POWER_SUPPLY:
    'ein Netzteil für dieses Gerät und ein kurzes, dickes Kabel verwenden; USB-Geräte mit eigenem Netzteil versorgen',
  MAKE_BACKUP_REPLACE_CARD: 'eine Sicherung erstellen (stellwerk backup) und die Karte ersetzen',
  CLOCK_SET: 'gestellt',
  CLOCK_NOT_SYNCHRONISED:
    'die Uhr wurde seit dem Start des Geräts nicht synchronisiert; Zeiten können falsch sein',
  CONNECT_MACHINE_NETWORK_TIME: 'das Gerät mit einem Netz verbinden, das einen Zeitserver hat',
  APPLIED_FROM_WHICH_REPLACES: 'angewendet aus {0}; diese Überlagerung ersetzt die installierte Datei',
  CONFIGURATION_APPLIED: 'angewendet',
  MORE_PROBLEMS: 'und {0} weitere; stellwerk check zeigt sie',
  CORRECT_THESE_LINES_RELOAD: 'diese Zeilen korrigieren und neu laden',
  FILE_NOT_APPLICABLE:
    'gateway.yaml wurde geändert und kann nicht angewendet werden; das Gateway läuft mit der vorigen Konfiguration weiter und würde mit dieser Datei nicht starten: {0}',
  CORRECT_THESE_LINES_GATEWAY: 'diese Zeilen von gateway.yaml korrigieren und neu laden',
  NO_INSTANCE_PROBLEM: 'keine Instanz hat ein Problem',
  ONE_INSTANCE_HAS_PROBLEM: '1 Instanz hat ein Problem',
  INSTANCES_HAVE_PROBLEMS: '{0} Instanzen haben Probleme',
  SEE_STATUS_VARIABLE_EACH: 'siehe den Status jeder Instanz',
  EVERY_CALL_NEEDS_CREDENTIALS: 'jeder Aufruf braucht eine Anmeldung, auch von diesem Gerät',
  API_LOCAL_OPEN_CALLS: 'api.local ist open: Aufrufe dieses Geräts ohne Anmeldung handeln als Besitzer',
  ALL_LISTENERS_OPEN: 'alle Zugänge sind geöffnet',
  FREE_THE_PORT:
    'die Konfiguration korrigieren oder den Port freigeben; das Gateway versucht es von selbst erneut',
  CERTIFICATE_EXPIRES: '{0}: das Zertifikat läuft am {1} ab',
  RENEW_CERTIFICATE:
    'die Dateien des Zertifikats erneuern; das Gateway liest sie zweimal täglich und beim Neuladen',
  NO_LISTENER_TLS: 'kein Zugang hat TLS',
  CERTIFICATES_VALID: 'noch mindestens 14 Tage gültig',
  OWN_AUTHORITY: 'eigene Zertifizierungsstelle {0}, SHA-256 {1}',
  NO_LIMIT_TOOK_EFFECT: 'keine Begrenzung griff in der letzten Stunde',
  LIMIT_TOOK_EFFECT: 'die Begrenzung auf {0} griff {1}-mal, zuletzt für {2}',
  DISK_FULL: 'der Datenträger ist voll: Platz schaffen; das Gateway versucht es von selbst erneut',
  DIRECTORY_NOT_WRITABLE:
    'in das Datenverzeichnis kann nicht geschrieben werden: prüfen, ob der Datenträger schreibgeschützt ist (dmesg nennt den Grund) und wem das Verzeichnis gehört; das Gateway versucht es von selbst erneut',
  DISK_FULL_OR_FAILING:
    'der Datenträger ist voll (df zeigt es) oder defekt (dmesg zeigt es): Platz schaffen oder eine Sicherung auf einem anderen wiederherstellen; das Gateway versucht es von selbst erneut',
  RESTART_AFTER_DAMAGE:
    'die Datenbank ist beschädigt: das Gateway neu starten, das dann die neueste intakte Sicherung verwendet',
  SEE_LOG: 'siehe das Protokoll; das Gateway versucht es von selbst erneut',
  ROWS_LOST: 'beschädigt und in keiner Sicherung: {0}',
  ROWS_RESTORED: 'beschädigt und aus einer Sicherung wiederhergestellt: {0}',
  OBJECTS_ORPHANED: 'Objekte ohne übergeordnetes Objekt wurden unter die Wurzel verschoben ({0}): {1}',
  OBJECTS_UNUSABLE: 'nicht lesbare Objekte oder Profile ({0}): {1}',
  DATABASE_INTACT: 'die Datenbank ist intakt',
  MAKE_DATA_DIRECTORY_WRITABLE:
    'das Datenverzeichnis beschreibbar machen; das Gateway versucht es von selbst erneut',
  IF_THERE_BACKUP_ELSEWHERE:
    'gibt es anderswo eine Sicherung, das Gateway anhalten und sie mit „stellwerk restore DATEI --replace“ wiederherstellen',
  CREATE_MISSING_OBJECTS_AGAIN:
    'die fehlenden Objekte neu anlegen; die beschädigte Datei wird aufbewahrt. Den Datenträger prüfen (dmesg)',
  CHANGES_SINCE_BACKUP_LOST:
    'Änderungen seit dieser Sicherung sind verloren: den Baum und den Datenträger prüfen (dmesg)',
  CHECK_WHAT_RESTORED_FROM:
    'prüfen, was aus einer Sicherung wiederhergestellt wurde, und den Datenträger (dmesg)',
  MOVE_OBJECTS_THEIR_PLACE: 'die Objekte an ihren Platz verschieben oder löschen',
  DAMAGED_DATABASE_KEPT: 'eine beschädigte Datenbank wird aufbewahrt: {0}',
  DELETE_IF_NOTHING_NEEDED: 'löschen, wenn nichts darin gebraucht wird',
  WITHOUT_MEDIA: ', ohne große Mediendateien ({0})',
  NEWEST_BACKUP: 'die neueste ist {0}{1}',
  BACKUP_FAILED: 'die Sicherung schlug fehl: {0}',
  WRITTEN_TODAY: 'heute {0} MiB geschrieben; höchstens {1} MiB am Tag für große Texte',
  TEXTS_TOO_FREQUENT:
    'Texte von mehr als {1} Zeichen ändern sich schneller, als das Schreibbudget erlaubt, und werden seltener geschrieben (Anzahl: {0}); {2}',
  UPDATE_LESS_OFTEN:
    'seltener ändern: nach einem Stromausfall können ihre Werte Stunden alt sein, und jedes Schreiben nutzt den Datenträger ab',
  DATABASE_WRITABLE_AGAIN: 'die Datenbank ist wieder beschreibbar',
  CHANGES_IN_MEMORY: 'Änderungen können nicht geschrieben werden und bleiben im Speicher: {0}',
};
