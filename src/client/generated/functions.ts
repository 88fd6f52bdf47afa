/* oxlint-disable max-lines -- generated, one line per function */
// Generated from the command reference by test/tools/generate/reference-files.ts; a test compares the two.

import type {
  AggregatedValue,
  AggregationVariable,
  ArchiveRecords,
  AuditEntry,
  BackupRecord,
  BackupTargetList,
  BoxUpdateRecord,
  BrowserSession,
  ChangeRecord,
  ChartDataset,
  ChipRecord,
  Choice,
  CodedText,
  CommandOutcome,
  Compaction,
  ConfigurationExport,
  ConfigurationProblem,
  ConfigurationSettings,
  ConfigurationText,
  Configurator,
  DeletionRecord,
  DoctorCheck,
  EventDecisions,
  EventRecord,
  Found,
  FoundLine,
  FrontItem,
  FunctionRecord,
  Health,
  InstanceRecord,
  InvalidText,
  LibraryRecord,
  Lines,
  LinkRecord,
  ListenerRecord,
  LogRecord,
  LoggedValue,
  MachineRecord,
  MediaRecord,
  ModuleRecord,
  ObjectRecord,
  OptionRecord,
  OrphanRecord,
  Outcome,
  ProfileRecord,
  PropertyProblem,
  PushDevice,
  QualityRecord,
  RecoveryKeyRecord,
  Reference,
  ReloadReport,
  RestoreReport,
  ScriptRecord,
  ScriptThread,
  SettingChange,
  Snapshot,
  StoredBackupRecord,
  TargetBackupRecord,
  TaskRecord,
  Value,
  ValueRecord,
  VariableRecord,
  VerifiedBackupRecord,
} from './records.js';

/** The types of the gateway's functions. For others: `new Client<AnyFunction>(address)`. */
export interface Functions {
  /** Adds records to a logged variable, with any time up to now; a record with the same time is replaced. */
  AC_AddLoggedValues(
    InstanceID: number,
    VariableID: number,
    Values: readonly {
      TimeStamp: number;
      Value: Value;
      ClockTrusted?: boolean;
    }[],
  ): boolean;
  /** Moves the records of a variable, which may be deleted, to another one. */
  AC_ChangeVariableID(InstanceID: number, OldVariableID: number, NewVariableID: number): boolean;
  /** Deletes the records of a variable between two times and returns their number; 0 and 0 delete all and end logging. */
  AC_DeleteVariableData(InstanceID: number, VariableID: number, StartTime: number, EndTime: number): number;
  /** The data of a chart of a variable, or of a chart media object, from a time on (0: the current period). */
  AC_FetchChartData(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
  ): ChartDataset[];
  /** Like AC_FetchChartData, with the visibility of each dataset. */
  AC_FetchChartDataEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    Visibility: readonly boolean[],
  ): ChartDataset[];
  /** Aggregated records of a variable for the spans that are completely between two times, newest first. */
  AC_GetAggregatedValues(
    InstanceID: number,
    VariableID: number,
    AggregationSpan: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): AggregatedValue[];
  /** How a variable is aggregated: 0 as a gauge, 1 as a counter. */
  AC_GetAggregationType(InstanceID: number, VariableID: number): number;
  /** The variables that have records or are logged, including deleted ones; on request with statistics of their records. */
  AC_GetAggregationVariables(InstanceID: number, CalculateStatistics: boolean): AggregationVariable[];
  /** The rules by which old records of a variable are downsampled or deleted. */
  AC_GetCompaction(InstanceID: number, VariableID: number): Compaction[];
  /** Whether zeros of a counter are ignored in aggregation. */
  AC_GetCounterIgnoreZeros(InstanceID: number, VariableID: number): boolean;
  /** Whether a variable is shown in charts. */
  AC_GetGraphStatus(InstanceID: number, VariableID: number): boolean;
  /** Records of a variable between two times, newest first, at most 10,000; times of 0 mean from the first record and until now. */
  AC_GetLoggedValues(
    InstanceID: number,
    VariableID: number,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): LoggedValue[];
  /** Whether the values of a variable are recorded. */
  AC_GetLoggingStatus(InstanceID: number, VariableID: number): boolean;
  /** Recalculates the aggregations of a variable from all its records. */
  AC_ReAggregateVariable(InstanceID: number, VariableID: number): boolean;
  /** A chart of a variable, or of a chart media object, as SVG with a size in pixels. */
  AC_RenderChart(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
  ): string;
  /** Like AC_RenderChart, with the visibility of each dataset. */
  AC_RenderChartEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
    Visibility: readonly boolean[],
  ): string;
  /** Like AC_RenderChartEx, for embedding in a page: the SVG has no style element and inherits the colour of the page. */
  AC_RenderChartInline(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
    Visibility?: readonly boolean[],
  ): string;
  /** Sets whether a variable is aggregated as a gauge (0: average over time) or as a counter (1: increase). */
  AC_SetAggregationType(InstanceID: number, VariableID: number, AggregationType: 0 | 1): boolean;
  /** Sets how records of a variable older than a number of months are downsampled, or that they are deleted; type 0 removes the rule. */
  AC_SetCompaction(
    InstanceID: number,
    VariableID: number,
    MonthOffset: number,
    CompactionType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8,
  ): boolean;
  /** Sets whether zeros of a counter are ignored in aggregation: some devices report 0 while they start. */
  AC_SetCounterIgnoreZeros(InstanceID: number, VariableID: number, IgnoreZeros: boolean): boolean;
  /** Sets whether charts show a variable. */
  AC_SetGraphStatus(InstanceID: number, VariableID: number, Active: boolean): boolean;
  /** Starts or stops logging of a variable; existing records stay. */
  AC_SetLoggingStatus(InstanceID: number, VariableID: number, Active: boolean): boolean;
  /** Sends a text over a client socket; each character is one byte (Latin-1). */
  CSCK_SendText(InstanceID: number, Text: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  CSCK_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Makes the next start of the box use the version in the other slot. Returns immediately. The running version is not installed automatically again. */
  GW_ActivateOtherSlot(): boolean;
  /** Registers a task that the caller does, and returns its ID. Kind: export or import. Total is 0 while it is unknown. A task without a report for 60 s fails. */
  GW_BeginTask(Kind: string, Total: number): number;
  /** Cancels a task; its call fails with CANCELLED. False if the task has ended. */
  GW_CancelTask(TaskID: number): boolean;
  /** Changes keys of the configuration outside the tree, keeps its comments, and reloads it. Digest is that of GW_GetSettings. Errors are in error.data.problems, and nothing is changed then. */
  GW_ChangeSettings(Changes: readonly SettingChange[], Digest: string): ReloadReport;
  /** How this machine declares a sensor chip or port expander, such as bme280@1-0076: address 0x76 on bus 1. Changes nothing, and accesses no address. */
  GW_CheckChip(Device: string): ChipRecord;
  /** What stellwerk check reports for this text, by line. Nothing is opened or changed. */
  GW_CheckConfiguration(Text: string): ConfigurationProblem[];
  /** The problems that an instance would have if these properties were set; InstanceID 0: a new instance. Changes nothing. */
  GW_CheckProperties(
    ModuleID: string,
    InstanceID: number,
    Properties: Readonly<Record<string, unknown>>,
  ): PropertyProblem[];
  /** What stellwerk check would report after these changes of GW_ChangeSettings. Nothing is changed. */
  GW_CheckSettings(Changes: readonly SettingChange[]): ConfigurationProblem[];
  /** Checks the address in updates.url for a new version now. */
  GW_CheckUpdates(): BoxUpdateRecord;
  /** Creates an instance for a search result below an object, after its other children, and returns its ID. Module defaults to the first one in GW_GetFound. */
  GW_CreateFrom(InstanceID: number, ID: string, ParentID: number, Module?: string, Name?: string): number;
  /** Creates a ticket with which the console opens a front as its residents see it: valid once, for 60 s, and only for this front. Its page exchanges it at /wfc/ID/session for a session of one hour, which ends with the session of the console. Only a browser that is signed in to the console may call it. */
  GW_CreateFrontTicket(ConfiguratorID: number): string;
  /** Creates the key of encrypted backups and returns it only this once. Backups of an earlier key stay, and need that key. */
  GW_CreateRecoveryKey(): RecoveryKeyRecord;
  /** Deletes a backup. */
  GW_DeleteBackup(Name: string): boolean;
  /** Deletes an object with everything below it, and with DeleteFiles the files of its scripts and media objects. Returns the ID for GW_RestoreDeleted; 0 if it cannot be undone. */
  GW_DeleteObject(ID: number, DeleteFiles: boolean): number;
  /** Declares a sensor chip or port expander: writes the lines of GW_CheckChip, as stellwerk enable-chip does. They apply after a reboot. Accesses no address: be sure that this chip is there. */
  GW_EnableChip(Device: string): ChipRecord;
  /** Signs a browser out and closes its WebSockets; false if there is no such session. */
  GW_EndSession(ID: string): boolean;
  /** Ends the caller's work; Reason says why it failed. False if it was cancelled or has ended. */
  GW_EndTask(TaskID: number, Reason?: string): boolean;
  /** A gateway.yaml that describes the gateway as it is, including objects that were created by calls, as stellwerk export prints it: with the values of variables on request, and *** in place of secrets. */
  GW_ExportConfiguration(Values: boolean): ConfigurationExport;
  /** Ends the gateway; the next start deletes all its data, local backups included, and it has no owner then. Confirmation must be RESET. Backups on other machines stay. */
  GW_FactoryReset(Confirmation: string): boolean;
  /** Who switched or changed what, from where and when, newest first; 100 records by default, 10,000 at most. Role: only those of owner, inside (scripts, events, devices), webfront or unverified (wrong passwords: Method is sign-in, its parameter what was tried, Count how often), each of which has its own 10,000. */
  GW_GetAudit(Limit?: number, Role?: string): AuditEntry[];
  /** The newest records of the audit of a role (as in GW_GetAudit), oldest first: lines of JSON, 10,000 by default. seq counts them; prev is the SHA-256 of the line before as base64url, so that a changed or removed line is noticed (stellwerk audit verify). */
  GW_GetAuditLines(Role: string, Limit?: number): string[];
  /** The targets of encrypted backups with their state, and the id of the recovery key; empty if there is none. */
  GW_GetBackupTargets(): BackupTargetList;
  /** The backups in the data directory, newest first. */
  GW_GetBackups(): BackupRecord[];
  /** What this machine offers for a field of a form, by the source of the field: line, chip, port, channel, led, bus, onewire, sensor, output. */
  GW_GetChoices(Source: string): Choice[];
  /** The configuration as it is on the disk, with "***" in place of passwords and secrets, and the digest that GW_SetConfigurationText requires. */
  GW_GetConfigurationText(): ConfigurationText;
  /** The last deletions since the start, newest first: at most 50, in at most 16 MiB of memory. */
  GW_GetDeleted(): DeletionRecord[];
  /** Whether an event can run, which of its conditions are met now, and the last decisions to run it or not, with the reasons. */
  GW_GetEventDecisions(EventID: number): EventDecisions;
  /** The results of the last search: the hardware, who uses it, and which instances can be created for it. */
  GW_GetFound(InstanceID: number): Found[];
  /** The health of the gateway: named checks, each with its state, since when, and the remedy. */
  GW_GetHealth(): Health;
  /** The configuration in the file that the gateway was started with, whether or not an overlay replaces it. */
  GW_GetInstalledConfiguration(): ConfigurationText;
  /** The board's header and all GPIO lines: their names, their users, and the values of the gateway's own lines. */
  GW_GetLines(): Lines;
  /** The addresses that the gateway listens on, with their certificates. */
  GW_GetListeners(): ListenerRecord[];
  /** The newest lines of the log since a time (unix milliseconds), oldest first; of a level (debug, info, warn, error) and above, of a subject. 500 lines are kept. */
  GW_GetLog(SinceMs?: number, Level?: string, Subject?: string, Limit?: number): LogRecord[];
  /** The machine that the gateway runs on: model, kernel, host name, uptime, temperature, supply voltage and wear of its card. */
  GW_GetMachine(): MachineRecord;
  /** The mobile devices that are registered with a web front, and the browsers that get its messages (provider WebPush), without their tokens. */
  GW_GetPushDevices(InstanceID: number): PushDevice[];
  /** Whether values are good (0), stale (1) or bad (2), the reason, the source time and the receive time; []: all values that are not good. */
  GW_GetQuality(VariableIDs: readonly number[]): QualityRecord[];
  /** Records of a variable with milliseconds, oldest first, at most 10,000, and whether there are more; times of 0 mean from the first and to the last record. */
  GW_GetRecords(VariableID: number, StartTime: number, EndTime: number, Limit: number): ArchiveRecords;
  /** The browsers that are signed in to a front or to the console, most recently used first; ConfiguratorID is 0 for the console, IsOwn marks the session of the caller. */
  GW_GetSessions(): BrowserSession[];
  /** The keys of the configuration without the tree and without secrets, and the digest that GW_ChangeSettings requires. */
  GW_GetSettings(): ConfigurationSettings;
  /** The encrypted backups on a target, newest first. */
  GW_GetTargetBackups(Target: string): TargetBackupRecord[];
  /** The tasks in progress: backups, hardware searches, re-aggregations, and those that clients report. Message 20405 reports their progress. */
  GW_GetTasks(): TaskRecord[];
  /** The slots of this box, the update in progress, and the version that is available. */
  GW_GetUpdates(): BoxUpdateRecord;
  /** Values and times of several variables, in the requested order; a variable that fails has an Error instead. */
  GW_GetValues(VariableIDs: readonly number[]): ValueRecord[];
  /** The version of the gateway, as `stellwerk --version` prints it. */
  GW_GetVersion(): string;
  /** Installs an update into the inactive slot: by default the one that GW_CheckUpdates found, otherwise the one at a URL or in a .raucb file below /media. Returns immediately; GW_GetUpdates reports the progress. GW_RestartBox starts the new version. */
  GW_InstallUpdate(Source?: string): boolean;
  /** Makes a backup in the data directory and returns it. It counts towards the backups that are kept. */
  GW_MakeBackup(Note: string): BackupRecord;
  /** The objects that were removed from gateway.yaml and still exist; with Remove, they are deleted. */
  GW_Prune(Remove: boolean): OrphanRecord[];
  /** Publishes a message through an MQTT client. */
  GW_Publish(InstanceID: number, Topic: string, Payload: string, QoS: 0 | 1 | 2, Retain: boolean): boolean;
  /** Reloads the configuration, applies what can change at run time, and reports what needs a restart. */
  GW_ReloadConfiguration(): ReloadReport;
  /** Returns to the file that the gateway was started with, and reloads. Digest is that of GW_GetConfigurationText. The overlay is kept as gateway.yaml.removed in the data directory. */
  GW_RemoveConfigurationOverlay(Digest: string): ReloadReport;
  /** Removes a mobile device or a browser of a web front; false if it is not registered. */
  GW_RemovePushDevice(InstanceID: number, DeviceID: string): boolean;
  /** Reports the progress of the caller's work; false if it was cancelled or has ended: the caller must stop then. */
  GW_ReportTask(TaskID: number, Done: number): boolean;
  /** RequestAction for several variables at the same time, given as [[VariableID, Value], …]; each has its own outcome. */
  GW_RequestActions(Actions: readonly (readonly [number, Value])[]): Outcome[];
  /** Restarts the box, with the version that is used at the next start. */
  GW_RestartBox(): boolean;
  /** Checks a backup and restores it at the next start; Effects says what will change. An empty Name cancels this. */
  GW_RestoreBackup(Name: string): RestoreReport;
  /** Undoes a deletion: its objects return with their IDs, values and references, and instances are opened as at a start. Returns the objects at the top. */
  GW_RestoreDeleted(DeletionID: number): number[];
  /** Fetches a backup of a target, by default the newest, and restores it at the next start, with records and certificates. Returns its name in GW_GetBackups; GW_RestoreBackup with an empty name cancels it. */
  GW_RestoreTargetBackup(Target: string, Name?: string): string;
  /** Checks the configuration file, the machine and the gateway now, as stellwerk doctor does. Touches no device. */
  GW_RunDoctor(): DoctorCheck[];
  /** Stores a backup on a target now, reads back what is new, and deletes backups that are not kept. */
  GW_RunTargetBackup(Target: string): StoredBackupRecord;
  /** Sends a message to people. An empty Title is the name of the instance; Priority is 0 (low), 1 (normal) or 2 (high). Returns when the message is queued: the variables SENT and FAILED count what became of it. */
  GW_SendNotification(InstanceID: number, Title: string, Text: string, Priority: 0 | 1 | 2): boolean;
  /** Replaces the configuration and reloads it. Digest is that of GW_GetConfigurationText; the call fails if the configuration has changed since. "***" keeps the secret that is there. If the text has errors, nothing is changed, and error.data.problems lists them. */
  GW_SetConfigurationText(Text: string, Digest: string): ReloadReport;
  /** Sets the password of the owner (Target owner) or of a configurator (Target is its ident in the configuration): writes its hash and reloads. Sessions with the old password end. */
  GW_SetPassword(Target: string, Password: string): ReloadReport;
  /** Sets whether an object and everything below it appear in Home Assistant: home-assistant, none, or an empty string to inherit the rule of the object above. */
  GW_SetPublishRule(ID: number, Rule: string): boolean;
  /** Whether users of web fronts may set a user-defined variable that has no action: set or none. */
  GW_SetResidentAccess(VariableID: number, Access: string): boolean;
  /** Sets several variables, given as [[VariableID, Value], …]: all of them, or none if one fails. */
  GW_SetValues(Values: readonly (readonly [number, Value | null])[]): boolean;
  /** Like GW_SimulateLine, with a contact that first bounces the given number of times within WithinMs; the same Seed repeats the same bounces. */
  GW_SimulateBounce(Line: string, Active: boolean, Bounces: number, WithinMs: number, Seed: number): boolean;
  /** Unplugs a chip of the simulated board, or plugs it in again. While it is unplugged, the instances on its lines are offline. */
  GW_SimulateChipGone(Chip: string, Gone: boolean): boolean;
  /** Toggles a line of the simulated board PerSecond times a second for ForMs; then the line has its previous level. GW_SimulateLine ends it early. */
  GW_SimulateFlood(Line: string, PerSecond: number, ForMs: number): boolean;
  /** Unplugs an LED of the simulated board, or plugs it in again. */
  GW_SimulateLedGone(Led: string, Gone: boolean): boolean;
  /** Drives a line of the simulated board from outside, as a button does. Active is the value that an instance on that line gets. */
  GW_SimulateLine(Line: string, Active: boolean): boolean;
  /** Removes a 1-Wire device of the simulated board from its bus, or puts it back. */
  GW_SimulateOneWireGone(Address: string, Gone: boolean): boolean;
  /** Unplugs a PWM chip of the simulated board, or plugs it in again. */
  GW_SimulatePwmGone(Chip: string, Gone: boolean): boolean;
  /** Makes every write to an output line of the simulated board fail, as if the kernel rejected it, or lets writes succeed again. The line keeps its level. */
  GW_SimulateRefusal(Line: string, Refuse: boolean): boolean;
  /** Unplugs a sensor of the simulated board, or plugs it in again. */
  GW_SimulateSensorGone(Device: string, Gone: boolean): boolean;
  /** Makes a line of the simulated board stick at its present level, whatever drives it, or releases it. */
  GW_SimulateStuck(Line: string, Stuck: boolean): boolean;
  /** Limits the changes on this WebSocket to some objects with their subtrees, and to some messages; []: all. */
  GW_Subscribe(IDs: readonly number[], Messages?: readonly number[]): boolean;
  /** Writes a small file on a target, reads it back and deletes it. Target is an entry of backup.targets that need not be stored; *** stands for the stored secret of the target with the same name. The error says what is wrong. */
  GW_TestBackupTarget(Target: Readonly<Record<string, unknown>>): boolean;
  /** Restores a backup of a target, by default the newest, into a scratch directory and compares what is there with what was stored. */
  GW_VerifyTargetBackup(Target: string, Name?: string): VerifiedBackupRecord;
  /** The value of a variable. */
  GetValue(VariableID: number): Value;
  /** The value of a variable of type boolean. */
  GetValueBoolean(VariableID: number): boolean;
  /** The value of a variable of type float. */
  GetValueFloat(VariableID: number): number;
  /** The value of a variable, formatted by its profile. */
  GetValueFormatted(VariableID: number): string;
  /** A value, formatted by the profile of a variable. */
  GetValueFormattedEx(VariableID: number, Value: Value): string;
  /** The value of a variable of type integer. */
  GetValueInteger(VariableID: number): number;
  /** The value of a variable of type string. */
  GetValueString(VariableID: number): string;
  /** Module and variables of a device, as JSON: ident, name, type, profile, and whether RequestAction works. */
  HW_GetDeviceDescription(InstanceID: number): string;
  /** The known devices behind an instance. */
  HW_GetKnownDevices(InstanceID: number): Record<string, unknown>[];
  /** The properties of a device, as JSON: type, default and limits of each. */
  HW_GetParamsetDescription(InstanceID: number): string;
  /** Not supported: there is no central unit to load devices from; use SVC_StartSearch, GW_GetFound and GW_CreateFrom. */
  HW_LoadDevices(InstanceID: number, Protocol: 0 | 1 | 2 | 3): boolean;
  /** The problems of an instance and of the instances connected to it; empty if there are none. */
  HW_ReadServiceMessages(InstanceID: number): {
    InstanceID: number;
    Code: string;
    Text: string;
    CodedText: CodedText;
  }[];
  /** Polls a device for the current value of one of its variables. */
  HW_RequestStatus(InstanceID: number, Parameter: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  HW_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Requests a value from a device for one of its variables of type boolean. */
  HW_WriteValueBoolean(InstanceID: number, Parameter: string, Value: boolean): boolean;
  /** Requests a value from a device for one of its variables of type float. */
  HW_WriteValueFloat(InstanceID: number, Parameter: string, Value: number): boolean;
  /** Requests a value from a device for one of its variables of type integer. */
  HW_WriteValueInteger(InstanceID: number, Parameter: string, Value: number): boolean;
  /** Requests a value from a device for one of its variables of type string. */
  HW_WriteValueString(InstanceID: number, Parameter: string, Value: string): boolean;
  /** Whether a variable has an action for RequestAction. */
  HasAction(VariableID: number): boolean;
  /** Removes all retained messages that MQTT_GetRetainedMessageTopicList lists, except topics that begin with $. */
  MQTT_ClearRetainedMessages(InstanceID: number): boolean;
  /** Clears the list of topics that MQTT_GetKnownDevices returns. */
  MQTT_ClearTopics(InstanceID: number): boolean;
  /** Lists the topics that an MQTT client has seen since it connected, with the beginning of their last payload. */
  MQTT_GetKnownDevices(InstanceID: number): {
    Topic: string;
    LastPayload: string;
    Count: number;
    LastSeen: number;
  }[];
  /** Returns the retained message of a topic. Any topic is allowed that the MQTT client may read. */
  MQTT_GetRetainedMessage(
    InstanceID: number,
    Topic: string,
  ): {
    Topic: string;
    Payload: string;
    Encoding: 'utf8' | 'base64';
  };
  /** Lists the topics with a retained message, among those that the MQTT client is subscribed to. */
  MQTT_GetRetainedMessageTopicList(InstanceID: number): string[];
  /** Removes the retained message of a topic by publishing an empty one. */
  MQTT_RemoveRetainedMessage(InstanceID: number, Topic: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  MQTT_UIChangeSendTopic(InstanceID: number, Active: boolean): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  MQTT_UIChangeType(InstanceID: number, Type: number): boolean;
  /** Reads the value of a ModBus Address now; returns when it has been read. */
  ModBus_RequestRead(InstanceID: number): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIChangeMode(InstanceID: number, Mode: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIExportTemplate(InstanceID: number): string;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIForm(
    InstanceID: number,
    DataType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14,
    Factor: number,
  ): string;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIFormVirtual(InstanceID: number, VariableType: 0 | 1 | 2 | 3): string;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIImportTemplate(InstanceID: number, ImportData: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIUpdate(
    InstanceID: number,
    DataType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14,
    ReadFunctionCode: number,
    WriteFunctionCode: number,
    Factor: number,
  ): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIUpdateVirtual(InstanceID: number, VariableType: 0 | 1 | 2 | 3): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIValidateTemplate(InstanceID: number, ImportData: string): boolean;
  /** Writes a coil; returns when the unit has confirmed it. */
  ModBus_WriteCoil(InstanceID: number, Value: boolean): boolean;
  /** Writes a number to the registers of a ModBus Address; returns when the unit has confirmed it. */
  ModBus_WriteRegister(InstanceID: number, Value: number): boolean;
  /** Writes a text to the registers of a ModBus Address; returns when the unit has confirmed it. */
  ModBus_WriteRegisterString(InstanceID: number, Value: string): boolean;
  /** Lists the devices that the kernel has found on a 1-Wire bus, with their instances. */
  OW_GetKnownDevices(InstanceID: number): {
    DeviceID: string;
    DeviceFamily: number;
    Type: string;
    InstanceID: number;
  }[];
  /** Reads all values of a 1-Wire device now; a thermometer measures. */
  OW_RequestStatus(InstanceID: number): boolean;
  /** Switches a pin (counted from 0) of a DS2405, DS2406, DS2408 or DS2413. If on, its transistor conducts. */
  OW_SetPin(InstanceID: number, Pin: number, SwitchOn: boolean): boolean;
  /** Switches all pins of a DS2405, DS2406, DS2408 or DS2413. Bit n is pin n; 1 is on: its transistor conducts. */
  OW_SetPort(InstanceID: number, Value: number): boolean;
  /** Sets the position of a DS2890 potentiometer, 0 to 255. */
  OW_SetPosition(InstanceID: number, Value: number): boolean;
  /** Sets whether the pin RSTZ of a DS2408 outputs a strobe when its port is written; otherwise it is a reset input. */
  OW_SetStrobe(InstanceID: number, Status: boolean): boolean;
  /** Switches the pin of a DS2405. If on, its transistor conducts. */
  OW_SwitchMode(InstanceID: number, SwitchOn: boolean): boolean;
  /** Toggles the pin of a DS2405. */
  OW_ToggleMode(InstanceID: number): boolean;
  /** Writes characters (Latin-1) to the port of a DS2408 one after another, as bytes; a 0 bit conducts. */
  OW_WriteBytes(InstanceID: number, Data: string): boolean;
  /** Like OW_WriteBytes, but changes only the pins that are 1 in Mask. */
  OW_WriteBytesMasked(InstanceID: number, Data: string, Mask: number): boolean;
  /** Requests a value, within the range of the profile, from the device or script behind a variable. */
  RequestAction(VariableID: number, Value: Value): boolean;
  /** Like RequestAction, with the value of SENDER for a script. */
  RequestActionEx(VariableID: number, Value: Value, Sender: string): boolean;
  /** Sends a text over a serial port; each character is one byte (Latin-1). */
  SPRT_SendText(InstanceID: number, Text: string): boolean;
  /** Holds the transmit line of a serial port in the break condition. */
  SPRT_SetBreak(InstanceID: number, OnOff: boolean): boolean;
  /** Sets the Data Terminal Ready line of a serial port. */
  SPRT_SetDTR(InstanceID: number, OnOff: boolean): boolean;
  /** Sets the Request To Send line of a serial port. */
  SPRT_SetRTS(InstanceID: number, OnOff: boolean): boolean;
  /** Sends a text to one client of a server socket; each character is one byte (Latin-1). */
  SSCK_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text to all clients of a server socket; each character is one byte (Latin-1). */
  SSCK_SendText(InstanceID: number, Text: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  SSCK_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Stops all runs of a script; false if it is not running. */
  SVC_AbortScript(ScriptID: number): boolean;
  /** Whether an action with this ID exists. */
  SVC_ActionExists(ActionID: string): boolean;
  /** Applies the properties that were set and reopens the instance with them. */
  SVC_ApplyChanges(InstanceID: number): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  SVC_CandidateMediaStream(SessionID: string, ICE: string): boolean;
  /** Whether a category with this ID exists. */
  SVC_CategoryExists(CategoryID: number): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  SVC_ConfigureMediaStream(SessionID: string, SessionDescription: string): boolean;
  /** Connects a device to an I/O instance. */
  SVC_ConnectInstance(InstanceID: number, ParentID: number): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  SVC_ConnectMediaStream(MediaID: number): unknown[];
  /** Creates a category below the root and returns its ID. */
  SVC_CreateCategory(): number;
  /** Creates an inactive event below the root and returns its ID. */
  SVC_CreateEvent(EventType: 0 | 1 | 2): number;
  /** Creates an instance of a module below the root, with default properties, and returns its ID. */
  SVC_CreateInstance(ModuleID: string): number;
  /** Creates a link below the root and returns its ID. */
  SVC_CreateLink(): number;
  /** Creates a media object without a file below the root and returns its ID. */
  SVC_CreateMedia(MediaType: 0 | 1 | 2 | 3 | 4 | 5): number;
  /** Creates an empty script below the root and returns its ID; type 0 (JavaScript) is the only type. */
  SVC_CreateScript(ScriptType: 0 | 1 | 2): number;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  SVC_CreateTemporaryMediaStreamToken(MediaID: number, ValidForSeconds: number): string;
  /** Creates a password with the rights of the owner for the user name token, valid for a number of seconds, at most a day. */
  SVC_CreateTemporaryToken(ValidForSeconds: number): string;
  /** Creates a variable below the root and returns its ID. */
  SVC_CreateVariable(VariableType: 0 | 1 | 2 | 3): number;
  /** Creates an empty profile. */
  SVC_CreateVariableProfile(ProfileName: string, ProfileType: 0 | 1 | 2 | 3): boolean;
  /** Deletes a category without children. */
  SVC_DeleteCategory(CategoryID: number): boolean;
  /** Deletes an event; a run in progress continues. */
  SVC_DeleteEvent(EventID: number): boolean;
  /** Closes and deletes an instance and the variables of its module; fails if it has other children. */
  SVC_DeleteInstance(InstanceID: number): boolean;
  /** Deletes a link; its target stays. */
  SVC_DeleteLink(LinkID: number): boolean;
  /** Deletes a media object without children, and with DeleteFile its file unless another object uses it. */
  SVC_DeleteMedia(MediaID: number, DeleteFile: boolean): boolean;
  /** Deletes a script without children, and with DeleteFile its file unless another script uses it. */
  SVC_DeleteScript(ScriptID: number, DeleteFile: boolean): boolean;
  /** Deletes a variable without children. */
  SVC_DeleteVariable(VariableID: number): boolean;
  /** Deletes a profile. Variables with it as custom profile show "Invalid profile"; variables of instances continue without it, and the instance reports that. */
  SVC_DeleteVariableProfile(ProfileName: string): boolean;
  /** Ends SVC_EnableDebug; does nothing if it has ended already. */
  SVC_DisableDebug(ID: number): boolean;
  /** Ends SVC_EnableDebugFile; the file stays. */
  SVC_DisableDebugFile(ID: number): boolean;
  /** Disconnects a device from its I/O instance. */
  SVC_DisconnectInstance(InstanceID: number): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  SVC_DisconnectMediaStream(SessionID: string): boolean;
  /** Publishes what an instance sends and receives as message 10206, for a number of seconds, at most a day; a shorter request does not shorten a longer one. */
  SVC_EnableDebug(ID: number, Duration: number): boolean;
  /** Writes what an instance sends and receives to debug/<ID>.log in the data directory, until SVC_DisableDebugFile. */
  SVC_EnableDebugFile(ID: number): boolean;
  /** Whether an event with this ID exists. */
  SVC_EventExists(EventID: number): boolean;
  /** Runs a program without a shell and returns its output, within 30 s and 1 MiB; without WaitResult it is only started. */
  SVC_Execute(Filename: string, Parameter: string, ShowWindow: boolean, WaitResult: boolean): string;
  /** Like SVC_Execute; SessionID has no effect. */
  SVC_ExecuteEx(
    Filename: string,
    Parameter: string,
    ShowWindow: boolean,
    WaitResult: boolean,
    SessionID: number,
  ): string;
  /** Like SVC_GetObjectIDByIdent, but returns 0 if there is none. */
  SVC_FindObjectIDByIdent(Ident: string, ParentID: number): number;
  /** Like SVC_GetObjectIDByName, but returns 0 if there is none. */
  SVC_FindObjectIDByName(Name: string, ParentID: number): number;
  /** Whether a function with this name exists. */
  SVC_FunctionExists(FunctionName: string): boolean;
  /** The form fields of an action, as JSON, with the given values; null if there is no value yet. */
  SVC_GetActionForm(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** An action as JavaScript. */
  SVC_GetActionReadableCode(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** All actions with their parameters, as JSON. */
  SVC_GetActions(): string;
  /** The actions of an environment for an object (0: no object), as JSON; all actions belong to Default. */
  SVC_GetActionsByEnvironment(TargetID: number, Environment: string, IncludeDefault: boolean): string;
  /** The number of clients on a proxy of the vendor; always 0, there is no such proxy. */
  SVC_GetActiveProxyConnections(): number;
  /** The number of open WebRTC streams; always 0. */
  SVC_GetActiveWebRTCConnections(): number;
  /** The number of open HTTP connections. */
  SVC_GetActiveWebServerConnections(): number;
  /** The number of WebSocket clients. */
  SVC_GetActiveWebSocketConnections(): number;
  /** The available updates; always empty, the gateway does not check for updates. */
  SVC_GetAvailableUpdates(): unknown[];
  /** The properties of a category: none beyond those of SVC_GetObject. */
  SVC_GetCategory(CategoryID: number): Record<string, never>;
  /** The ID of the oldest category with this name among the children of an object. */
  SVC_GetCategoryIDByName(Name: string, ParentID: number): number;
  /** The IDs of all categories. */
  SVC_GetCategoryList(): number[];
  /** The IDs of the children of an object, sorted by position. */
  SVC_GetChildrenIDs(ID: number): number[];
  /** The IDs of the instances that an instance can be connected to. */
  SVC_GetCompatibleInstances(InstanceID: number): number[];
  /** The GUIDs of the modules to whose instances an instance of this module can be connected. */
  SVC_GetCompatibleModules(ModuleID: string): string[];
  /** All active properties of an instance, as JSON. */
  SVC_GetConfiguration(InstanceID: number): string;
  /** The properties that an instance requires of its I/O instance, as JSON; no module requires any. */
  SVC_GetConfigurationForParent(InstanceID: number): string;
  /** The configuration form of an instance, as JSON: its elements, and the captions of its statuses. */
  SVC_GetConfigurationForm(InstanceID: number): string;
  /** The configurations of the instances that are connected to the given ones. */
  SVC_GetConfigurationsFromChildren(Parameter: readonly number[]): {
    InstanceID: number;
    ConnectionID: number;
    Configuration: string;
  }[];
  /** The WebSocket clients, each with the number of queued bytes. */
  SVC_GetConnectionList(): {
    ConnectionType: string;
    Remote: string;
    QueueBytes: number;
  }[];
  /** The end of the trial; 0: never. */
  SVC_GetDemoExpiration(): number;
  /** The properties of an event: trigger or times, conditions and action. */
  SVC_GetEvent(EventID: number): EventRecord;
  /** The ID of the oldest event with this name among the children of an object. */
  SVC_GetEventIDByName(Name: string, ParentID: number): number;
  /** The IDs of all events. */
  SVC_GetEventList(): number[];
  /** The IDs of all events of a type. */
  SVC_GetEventListByType(EventType: 0 | 1 | 2): number[];
  /** Not supported: scripts are JavaScript; there are no flow scripts, workflows or short tags. */
  SVC_GetFlowScriptStatistic(ScriptID: number): unknown[];
  /** Parameters and result of a function. */
  SVC_GetFunction(FunctionName: string): FunctionRecord;
  /** The names of the functions of an instance; 0: of all functions. */
  SVC_GetFunctionList(InstanceID: number): string[];
  /** The names of the functions of a module. */
  SVC_GetFunctionListByModuleID(ModuleID: string): string[];
  /** Parameters and results of the functions of some instances; an empty list: of all functions. */
  SVC_GetFunctions(InstanceIDs: readonly number[]): FunctionRecord[];
  /** Like SVC_GetFunctions, as a map by function name. */
  SVC_GetFunctionsMap(InstanceIDs: readonly number[]): Record<string, FunctionRecord>;
  /** The icons of some objects; an empty list: of all. The icon set for an object takes precedence over that of its value or profile. */
  SVC_GetIcons(Parameter: readonly number[]): {
    ObjectID: number;
    Icon: string;
  }[];
  /** Module, connection and status of an instance. */
  SVC_GetInstance(InstanceID: number): InstanceRecord;
  /** Time that each instance took for a request (Tx), and that the gateway took to process a report (Rx), in ms: last and maximum. */
  SVC_GetInstanceDataFlowStatistics(): {
    InstanceID: number;
    TxDuration: number;
    TxMaxDuration: number;
    RxDuration: number;
    RxMaxDuration: number;
  }[];
  /** The ID of the oldest instance with this name among the children of an object. */
  SVC_GetInstanceIDByName(Name: string, ParentID: number): number;
  /** The IDs of all instances. */
  SVC_GetInstanceList(): number[];
  /** The IDs of the instances of a module; empty if the module does not exist. */
  SVC_GetInstanceListByModuleID(ModuleID: string): number[];
  /** The IDs of the instances of all modules of a type. */
  SVC_GetInstanceListByModuleType(ModuleType: 0 | 1 | 2 | 3 | 4 | 5 | 6): number[];
  /** The number of messages queued for instances; always 0, instances do not receive messages. */
  SVC_GetInstanceMessageQueueSize(): number;
  /** Delivery times of the messages of each instance, in ms: last and maximum; requires the option MessageQueueWatch. */
  SVC_GetInstanceMessageStatistics(): {
    InstanceID: number;
    Duration: number;
    MaxDuration: number;
  }[];
  /** The processor architecture. */
  SVC_GetKernelArchitecture(): string;
  /** The time of the build, in unix seconds. */
  SVC_GetKernelDate(): number;
  /** The data directory, ending in "/". */
  SVC_GetKernelDir(): string;
  /** The directory of the program, ending in "/". */
  SVC_GetKernelDirEx(): string;
  /** Size and free space of the disk of the data directory, and the size of the directory, in bytes. */
  SVC_GetKernelDirSpace(): {
    Total: number;
    Free: number;
    Used: number;
  };
  /** The operating system. */
  SVC_GetKernelPlatform(): string;
  /** The version of the build. */
  SVC_GetKernelRevision(): string;
  /** The run level: 10101 create, 10102 init, 10103 ready, 10104 uninit, 10105 shutdown. */
  SVC_GetKernelRunlevel(): number;
  /** The start time, in unix seconds. */
  SVC_GetKernelStartTime(): number;
  /** The version of the interface, as "<major>.<minor>"; GW_GetVersion returns that of the gateway. */
  SVC_GetKernelVersion(): string;
  /** The properties of some libraries; an empty list: of all libraries. */
  SVC_GetLibraries(LibraryIDs: readonly string[]): LibraryRecord[];
  /** The properties of a library. */
  SVC_GetLibrary(LibraryID: string): LibraryRecord;
  /** The GUIDs of all libraries. */
  SVC_GetLibraryList(): string[];
  /** The GUIDs of the modules of a library. */
  SVC_GetLibraryModules(LibraryID: string): string[];
  /** The licensee; always empty, no licence is needed. */
  SVC_GetLicensee(): string;
  /** The remaining days of the trial; always 0, there is no trial. */
  SVC_GetLimitDemo(): number;
  /** The features that the licence excludes; always empty. */
  SVC_GetLimitFeatures(): unknown[];
  /** The server to which the licence is bound; always empty. */
  SVC_GetLimitServer(): string;
  /** The maximum number of variables, which is the number of object IDs. */
  SVC_GetLimitVariables(): number;
  /** The maximum number of web fronts; 0: no limit. */
  SVC_GetLimitWebFront(): number;
  /** The target of a link. */
  SVC_GetLink(LinkID: number): LinkRecord;
  /** The ID of the oldest link with this name among the children of an object. */
  SVC_GetLinkIDByName(Name: string, ParentID: number): number;
  /** The IDs of all links. */
  SVC_GetLinkList(): number[];
  /** The version of the available update; always empty. */
  SVC_GetLiveUpdateVersion(): string;
  /** The location of an object: the names from below the root, joined by backslashes. */
  SVC_GetLocation(ID: number): string;
  /** The directory of the log, ending in "/". */
  SVC_GetLogDir(): string;
  /** Type, file, checksum, size and last change of a media object, and whether its file exists. */
  SVC_GetMedia(MediaID: number): MediaRecord;
  /** The content of a media object in Base64. */
  SVC_GetMediaContent(MediaID: number): string;
  /** The ID of the oldest media object with this file or stream URL. */
  SVC_GetMediaIDByFile(FilePath: string): number;
  /** The ID of the oldest media object with this name among the children of an object. */
  SVC_GetMediaIDByName(Name: string, ParentID: number): number;
  /** The IDs of all media objects. */
  SVC_GetMediaList(): number[];
  /** The IDs of all media objects of a type. */
  SVC_GetMediaListByType(MediaType: 0 | 1 | 2 | 3 | 4 | 5): number[];
  /** The properties of a module. */
  SVC_GetModule(ModuleID: string): ModuleRecord;
  /** The configuration form for a new instance of a module, as SVC_GetConfigurationForm returns it. */
  SVC_GetModuleForm(ModuleID: string): string;
  /** The GUIDs of all modules. */
  SVC_GetModuleList(): string[];
  /** The GUIDs of the modules of a type. */
  SVC_GetModuleListByType(ModuleType: 0 | 1 | 2 | 3 | 4 | 5 | 6): string[];
  /** The properties of some modules; an empty list: of all modules. */
  SVC_GetModules(ModuleIDs: readonly string[]): ModuleRecord[];
  /** The name of an object. */
  SVC_GetName(ID: number): string;
  /** The properties that objects of all types have. */
  SVC_GetObject(ID: number): ObjectRecord;
  /** The ID of the child with this ident; fails if there is none. */
  SVC_GetObjectIDByIdent(Ident: string, ParentID: number): number;
  /** The ID of the oldest child with this name; fails if there is none. */
  SVC_GetObjectIDByName(Name: string, ParentID: number): number;
  /** The IDs of all objects. */
  SVC_GetObjectList(): number[];
  /** The value of an option. */
  SVC_GetOption(Option: string): number;
  /** The value, default, limits and meaning of an option. */
  SVC_GetOptionEx(Option: string): OptionRecord;
  /** The names of the options. */
  SVC_GetOptionList(): string[];
  /** The ID of the parent; 0 is the root. */
  SVC_GetParent(ID: number): number;
  /** An active property of an instance. */
  SVC_GetProperty(InstanceID: number, Name: string): unknown;
  /** The IDs of the other objects that an instance uses. */
  SVC_GetReferenceList(InstanceID: number): number[];
  /** Not supported: there is no replication; store backups on another machine (stellwerk backup, stellwerk restore). */
  SVC_GetReplicationConfiguration(): string;
  /** The time of the last replication; 0: never. */
  SVC_GetReplicationSyncTime(): number;
  /** Type, file and last run of a script, and the error if it is broken. */
  SVC_GetScript(ScriptID: number): ScriptRecord;
  /** The text of a script. */
  SVC_GetScriptContent(ScriptID: number): string;
  /** The IDs of the events among the children of a script. */
  SVC_GetScriptEventList(ScriptID: number): number[];
  /** The name of the file with the text of a script. */
  SVC_GetScriptFile(ScriptID: number): string;
  /** The ID of the script with this file. */
  SVC_GetScriptIDByFile(FilePath: string): number;
  /** The ID of the oldest script with this name among the children of an object. */
  SVC_GetScriptIDByName(Name: string, ParentID: number): number;
  /** The IDs of all scripts. */
  SVC_GetScriptList(): number[];
  /** What a script thread is running, and statistics of its runs. */
  SVC_GetScriptThread(ThreadID: number): ScriptThread;
  /** The IDs of all script threads: one per script that may run at the same time, and more if scripts have run scripts. */
  SVC_GetScriptThreadList(): number[];
  /** Like SVC_GetScriptThread, for some threads; an empty list: all threads. */
  SVC_GetScriptThreads(ThreadIDs: readonly number[]): ScriptThread[];
  /** The interval of the timer of a script, in seconds; 0: it has no timer. */
  SVC_GetScriptTimer(ScriptID: number): number;
  /** Not supported: access is not configured with functions; set passwords in gateway.yaml (remoteAccess, configurators). */
  SVC_GetSecurityMode(): number;
  /** The complete tree with all values at this moment. */
  SVC_GetSnapshot(): Snapshot;
  /** All changes after a counter; 0: only the current counter. Fails if some of them are no longer buffered. */
  SVC_GetSnapshotChanges(LastTimestamp: number): ChangeRecord[];
  /** The end of the subscription; 0: never. */
  SVC_GetSubscriptionExpiration(): number;
  /** The language of the system, for example "en_US". */
  SVC_GetSystemLanguage(): string;
  /** Interval, last and next run of a timer; times are unix seconds, 0 means never. */
  SVC_GetTimer(TimerID: number): {
    TimerID: number;
    ParentID: number;
    Name: string;
    Interval: number;
    LastRun: number;
    NextRun: number;
  };
  /** The IDs of all timers: cyclic and schedule events. */
  SVC_GetTimerList(): number[];
  /** Like SVC_GetTimer, for some timers; an empty list: all timers. */
  SVC_GetTimers(TimerIDs: readonly number[]): {
    TimerID: number;
    ParentID: number;
    Name: string;
    Interval: number;
    LastRun: number;
    NextRun: number;
  }[];
  /** The update channel; always empty. */
  SVC_GetUpdateChannel(): string;
  /** Type, profiles, actions, times and value of a variable. */
  SVC_GetVariable(VariableID: number): VariableRecord;
  /** The IDs of the events that are triggered by a variable. */
  SVC_GetVariableEventList(VariableID: number): number[];
  /** The ID of the oldest variable with this name among the children of an object. */
  SVC_GetVariableIDByName(Name: string, ParentID: number): number;
  /** The IDs of all variables. */
  SVC_GetVariableList(): number[];
  /** The properties of a profile. */
  SVC_GetVariableProfile(ProfileName: string): ProfileRecord;
  /** The names of all profiles. */
  SVC_GetVariableProfileList(): string[];
  /** The names of the profiles for a type of variable. */
  SVC_GetVariableProfileListByType(ProfileType: 0 | 1 | 2 | 3): string[];
  /** Whether an instance has properties that are set but not applied. */
  SVC_HasChanges(InstanceID: number): boolean;
  /** Whether an object has children. */
  SVC_HasChildren(ID: number): boolean;
  /** Whether an instance with this ID exists. */
  SVC_InstanceExists(InstanceID: number): boolean;
  /** Whether an object is a child of another, or with Recursive a descendant. */
  SVC_IsChild(ID: number, ParentID: number, Recursive: boolean): boolean;
  /** Whether conditions, given as JSON, are met now; an empty list is met. */
  SVC_IsConditionPassing(Conditions: string): boolean;
  /** Whether an instance can be connected to another. */
  SVC_IsInstanceCompatible(InstanceID: number, ParentInstanceID: number): boolean;
  /** Whether a new licence needs a restart; always false. */
  SVC_IsLicenseChangePending(): boolean;
  /** Whether an instance of a module can be connected to an instance of another. */
  SVC_IsModuleCompatible(ModuleID: string, ParentModuleID: string): boolean;
  /** Whether a second gateway replicates this one; always false. */
  SVC_IsReplicationActive(): boolean;
  /** Whether this gateway is the master of a replication; always false. */
  SVC_IsReplicationMaster(): boolean;
  /** Whether this gateway is the standby of a replication; always false. */
  SVC_IsReplicationOnStandBy(): boolean;
  /** Whether an instance is searching for hardware; false for instances that cannot search. */
  SVC_IsSearching(InstanceID: number): boolean;
  /** Whether a library with this GUID exists. */
  SVC_LibraryExists(LibraryID: string): boolean;
  /** Whether a link with this ID exists. */
  SVC_LinkExists(LinkID: number): boolean;
  /** Writes a line to the log and publishes it as a message. */
  SVC_LogMessage(Sender: string, Message: string): boolean;
  /** Not supported: the gateway does not crash or leak memory on request; send the process a signal to test a crash. */
  SVC_MakeCrash(): boolean;
  /** Not supported: the gateway does not crash or leak memory on request; send the process a signal to test a crash. */
  SVC_MakeLeak(): boolean;
  /** Whether a media object with this ID exists. */
  SVC_MediaExists(MediaID: number): boolean;
  /** Whether a module with this GUID exists. */
  SVC_ModuleExists(ModuleID: string): boolean;
  /** Whether an object with this ID exists. */
  SVC_ObjectExists(ID: number): boolean;
  /** Requests a value from an instance for one of its variables. */
  SVC_RequestAction(InstanceID: number, VariableIdent: string, Value: Value): boolean;
  /** Discards properties that were set but not applied. */
  SVC_ResetChanges(InstanceID: number): boolean;
  /** Starts an action without waiting for it; errors are logged. */
  SVC_RunAction(ActionID: string, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Executes an action and returns its output. */
  SVC_RunActionWait(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** Starts a script without waiting for it. */
  SVC_RunScript(ScriptID: number): boolean;
  /** Starts a script with parameters without waiting for it. */
  SVC_RunScriptEx(ScriptID: number, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Starts a text as a script without waiting for it. */
  SVC_RunScriptText(ScriptText: string): boolean;
  /** Starts a text as a script with parameters without waiting for it. */
  SVC_RunScriptTextEx(ScriptText: string, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Runs a text as a script and returns its output. */
  SVC_RunScriptTextWait(ScriptText: string): string;
  /** Runs a text as a script with parameters and returns its output. */
  SVC_RunScriptTextWaitEx(ScriptText: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** Runs a script and returns its output. */
  SVC_RunScriptWait(ScriptID: number): string;
  /** Runs a script with parameters and returns its output. */
  SVC_RunScriptWaitEx(ScriptID: number, Parameters: Readonly<Record<string, unknown>>): string;
  /** Whether a script with this ID exists. */
  SVC_ScriptExists(ScriptID: number): boolean;
  /** Whether a script thread with this ID exists. */
  SVC_ScriptThreadExists(ThreadID: number): boolean;
  /** In a script: acquires a semaphore, waiting up to the given time; false on timeout. It is released when the script ends. */
  SVC_SemaphoreEnter(Name: string, Milliseconds: number): boolean;
  /** In a script: releases a semaphore; false if the script does not hold it. */
  SVC_SemaphoreLeave(Name: string): boolean;
  /** Sends a debug message of an object, if debugging is enabled for it; binary data has one character per byte (Latin-1). */
  SVC_SendDebug(SenderID: number, Message: string, Data: string, Format: 0 | 1): boolean;
  /** Announces that the content of a media object has changed, after reading its file again. */
  SVC_SendMediaEvent(MediaID: number): boolean;
  /** Sets the properties in a JSON object; SVC_ApplyChanges applies them. */
  SVC_SetConfiguration(InstanceID: number, Configuration: string): boolean;
  /** Marks an object as disabled in web fronts, or as enabled. */
  SVC_SetDisabled(ID: number, Disabled: boolean): boolean;
  /** Sets the action (SVC_GetActions) that an event executes, in place of a script; an empty ActionID: none. */
  SVC_SetEventAction(
    EventID: number,
    ActionID: string,
    ActionParameters: Readonly<Record<string, unknown>>,
  ): boolean;
  /** Activates or deactivates an event. */
  SVC_SetEventActive(EventID: number, Active: boolean): boolean;
  /** Adds or changes a condition; with its own ID as ParentID it is at the top level; -1 removes it with all conditions below. */
  SVC_SetEventCondition(
    EventID: number,
    ConditionID: number,
    ParentID: number,
    Operation: 0 | 1 | 2 | 3,
  ): boolean;
  /** Adds or changes a rule that compares the date; year 0: every year; all 0 removes it. */
  SVC_SetEventConditionDateRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Day: number,
    Month: number,
    Year: number,
  ): boolean;
  /** Adds or changes a rule that compares the day of the week (1 Monday … 7 Sunday); 0 removes it. */
  SVC_SetEventConditionDayOfTheWeekRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Value: number,
  ): boolean;
  /** Adds or changes a rule that compares the time of day; an hour of -1 removes it. */
  SVC_SetEventConditionTimeRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Hour: number,
    Minute: number,
    Second: number,
  ): boolean;
  /** Adds or changes a rule that compares two variables; a VariableID of 0 removes it. */
  SVC_SetEventConditionVariableDynamicRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    VariableID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    CompareVariableID: number,
  ): boolean;
  /** Adds or changes a rule that compares a variable with a value; a VariableID of 0 removes it. */
  SVC_SetEventConditionVariableRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    VariableID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Value: Value,
  ): boolean;
  /** Like SVC_SetEventConditionVariableRule. */
  SVC_SetEventConditionVariableStaticRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    VariableID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Value: Value,
  ): boolean;
  /** Sets on which days a cyclic event runs, and how often on each day. */
  SVC_SetEventCyclic(
    EventID: number,
    DateType: 0 | 1 | 2 | 3 | 4 | 5,
    DateValue: number,
    DateDay: number,
    DateDayValue: number,
    TimeType: 0 | 1 | 2 | 3,
    TimeValue: number,
  ): boolean;
  /** Sets the first day on which a cyclic event runs; all 0: no limit. */
  SVC_SetEventCyclicDateFrom(EventID: number, Day: number, Month: number, Year: number): boolean;
  /** Sets the last day on which a cyclic event runs; all 0: no limit. */
  SVC_SetEventCyclicDateTo(EventID: number, Day: number, Month: number, Year: number): boolean;
  /** Sets the time at which a cyclic event runs, or first runs on a day. */
  SVC_SetEventCyclicTimeFrom(EventID: number, Hour: number, Minute: number, Second: number): boolean;
  /** Sets the time until which a cyclic event runs on a day; all 0: until midnight. */
  SVC_SetEventCyclicTimeTo(EventID: number, Hour: number, Minute: number, Second: number): boolean;
  /** Sets how many more times an event runs before it becomes inactive; 0: no limit. */
  SVC_SetEventLimit(EventID: number, Count: number): boolean;
  /** Adds or changes an action of a schedule, which runs a text as a script; an empty name removes it. */
  SVC_SetEventScheduleAction(
    EventID: number,
    ScheduleActionID: number,
    Name: string,
    Color: number,
    ScriptText: string,
  ): boolean;
  /** Like SVC_SetEventScheduleAction, with an action of SVC_GetActions instead of a script. */
  SVC_SetEventScheduleActionEx(
    EventID: number,
    ScheduleActionID: number,
    Name: string,
    Color: number,
    ActionID: string,
    ActionParameters: Readonly<Record<string, unknown>>,
  ): boolean;
  /** Adds or changes a group of days (sum of 1 Monday … 64 Sunday) of a schedule; 0 removes it. */
  SVC_SetEventScheduleGroup(EventID: number, GroupID: number, Days: number): boolean;
  /** Sets the time from which an action applies on the days of a group; an hour of -1 removes the point. */
  SVC_SetEventScheduleGroupPoint(
    EventID: number,
    GroupID: number,
    PointID: number,
    StartHour: number,
    StartMinute: number,
    StartSecond: number,
    ActionID: number,
  ): boolean;
  /** Sets the text that an event runs as a script, in place of an action; empty: the script that is its parent. */
  SVC_SetEventScript(EventID: number, EventScript: string): boolean;
  /** Sets the variable that triggers an event (0: none), and whether an update, a change, a limit or a value does. */
  SVC_SetEventTrigger(EventID: number, TriggerType: 0 | 1 | 2 | 3 | 4, TriggerVariableID: number): boolean;
  /** Sets whether an event runs at every update beyond its limit or with its value, or only at the first one. */
  SVC_SetEventTriggerSubsequentExecution(EventID: number, AllowSubsequentExecutions: boolean): boolean;
  /** Sets the limit or value that triggers an event; set the variable first, because the value gets its type. */
  SVC_SetEventTriggerValue(EventID: number, TriggerValue: Value): boolean;
  /** Hides an object in web fronts, or shows it. */
  SVC_SetHidden(ID: number, Hidden: boolean): boolean;
  /** Sets the icon of an object. */
  SVC_SetIcon(ID: number, Icon: string): boolean;
  /** Sets the ident of an object: letters, digits and underscores, unique among its siblings. */
  SVC_SetIdent(ID: number, Ident: string): boolean;
  /** Sets the notes of an object. */
  SVC_SetInfo(ID: number, Info: string): boolean;
  /** Not supported: the software is free and no licence is sold for it. */
  SVC_SetLicense(Licensee: string, LicenseContent: string): boolean;
  /** Sets the target of a link; 0 means no target. */
  SVC_SetLinkTargetID(LinkID: number, TargetID: number): boolean;
  /** Sets whether the content of a media object stays in memory after its first use. */
  SVC_SetMediaCached(MediaID: number, Cached: boolean): boolean;
  /** Writes the content of a media object, given in Base64; without a file, it gets one in the folder media. */
  SVC_SetMediaContent(MediaID: number, Content: string): boolean;
  /** Sets the file of a media object, in the folder media or user of the data directory, or the URL of a stream. */
  SVC_SetMediaFile(MediaID: number, FilePath: string, FileMustExists: boolean): boolean;
  /** Sets the name of an object; an empty name restores the default. */
  SVC_SetName(ID: number, Name: string): boolean;
  /** Sets an option, with immediate effect. */
  SVC_SetOption(Option: string, Value: number): boolean;
  /** Moves an object with its subtree to another parent. A variable that a device reports keeps its place and ident. */
  SVC_SetParent(ID: number, ParentID: number): boolean;
  /** Sets the position of an object among its siblings. */
  SVC_SetPosition(ID: number, Position: number): boolean;
  /** Sets a property; SVC_ApplyChanges applies it. False for an unknown property and for an unchanged value. */
  SVC_SetProperty(InstanceID: number, Name: string, Value: unknown): boolean;
  /** Not supported: there is no replication; store backups on another machine (stellwerk backup, stellwerk restore). */
  SVC_SetReplicationConfiguration(Configuration: string): boolean;
  /** Replaces the text of a script; a text that cannot be compiled is saved, and the script is marked as broken. */
  SVC_SetScriptContent(ScriptID: number, Content: string): boolean;
  /** Sets the file of a script in the scripts directory. */
  SVC_SetScriptFile(ScriptID: number, FilePath: string): boolean;
  /** Sets the interval at which a script runs, in seconds, with a cyclic event ScriptTimer below it; 0 deletes the event. */
  SVC_SetScriptTimer(ScriptID: number, Interval: number): boolean;
  /** Not supported: access is not configured with functions; set passwords in gateway.yaml (remoteAccess, configurators). */
  SVC_SetSecurity(Mode: number, Password: string): boolean;
  /** Sets the script or instance that executes the actions of a variable; 0: its own action, 1: none. */
  SVC_SetVariableCustomAction(VariableID: number, ScriptID: number): boolean;
  /** Sets the custom profile of a variable, which overrides its own; an empty name removes it. */
  SVC_SetVariableCustomProfile(VariableID: number, ProfileName: string): boolean;
  /** Adds or changes the name, icon and colour for a value; an empty name with an empty icon deletes the entry. Colour −1 means no colour. */
  SVC_SetVariableProfileAssociation(
    ProfileName: string,
    AssociationValue: Value,
    AssociationName: string,
    AssociationIcon: string,
    AssociationColor: number,
  ): boolean;
  /** Sets the number of decimals. */
  SVC_SetVariableProfileDigits(ProfileName: string, Digits: number): boolean;
  /** Sets the icon of a profile. */
  SVC_SetVariableProfileIcon(ProfileName: string, Icon: string): boolean;
  /** Sets the prefix and the suffix of values. */
  SVC_SetVariableProfileText(ProfileName: string, Prefix: string, Suffix: string): boolean;
  /** Sets the range and the step of values; all 0: no limits. */
  SVC_SetVariableProfileValues(
    ProfileName: string,
    MinValue: number,
    MaxValue: number,
    StepSize: number,
  ): boolean;
  /** Waits for the given time. */
  SVC_Sleep(Milliseconds: number): boolean;
  /** Starts a hardware search; false if one is running. GW_GetFound returns the results. */
  SVC_StartSearch(InstanceID: number): boolean;
  /** Ends the gateway as SIGTERM does; systemd restarts it. */
  SVC_StopKernel(): boolean;
  /** Stops a hardware search; false if none is running. */
  SVC_StopSearch(InstanceID: number): boolean;
  /** Whether an instance can search for hardware; instances of the module Hardware can. */
  SVC_SupportsSearching(InstanceID: number): boolean;
  /** Whether a timer with this ID exists: a cyclic or schedule event. */
  SVC_TimerExists(TimerID: number): boolean;
  /** Translates a text of a module to the system language; all texts are English, so it is returned unchanged. */
  SVC_Translate(InstanceID: number, Text: string): string;
  /** Returns unused memory to the machine. */
  SVC_TrimKernel(): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  SVC_UpdateFormField(Name: string, Parameter: string, Value: Value, SessionID: string): boolean;
  /** Not supported: the software is free and no licence is sold for it. */
  SVC_UpdateSubscriptionExpiration(): boolean;
  /** Whether a variable with this ID exists. */
  SVC_VariableExists(VariableID: number): boolean;
  /** Whether a profile with this name exists. */
  SVC_VariableProfileExists(ProfileName: string): boolean;
  /** Sets a variable; the value is converted to its type. For variables of devices use RequestAction. */
  SetValue(VariableID: number, Value: Value | null): boolean;
  /** Sets a variable of type boolean. */
  SetValueBoolean(VariableID: number, Value: boolean): boolean;
  /** Sets a variable of type float. */
  SetValueFloat(VariableID: number, Value: number): boolean;
  /** Sets a variable of type integer. */
  SetValueInteger(VariableID: number, Value: number): boolean;
  /** Sets a variable of type string. */
  SetValueString(VariableID: number, Value: string): boolean;
  /** The battery of the machine, in percent and seconds; -1 means unknown. */
  Sys_GetBattery(): {
    OnBattery: boolean;
    IsCharging: boolean;
    BatteryLevel: number;
    BatteryRemainingTime: number;
    BatteryMaxTime: number;
  };
  /** The load of each processor and of all together, in percent, since the previous call; the first call returns it since boot. */
  Sys_GetCPUInfo(): Record<string, number>;
  /** The file systems of the machine with size and free space in bytes, numbered from 0. */
  Sys_GetHardDiskInfo(): Record<
    string,
    | {
        LETTER: string;
        LABEL: string;
        TOTAL: number;
        FREE: number;
      }
    | number
  >;
  /** Total and available memory and swap space of the machine, in bytes. */
  Sys_GetMemoryInfo(): {
    TOTALPHYSICAL: number;
    AVAILPHYSICAL: number;
    TOTALPAGEFILE: number;
    AVAILPAGEFILE: number;
    TOTALVIRTUAL: number;
    AVAILVIRTUAL: number;
  };
  /** The network interfaces of the machine with addresses, speed in Mbit/s, and received and sent bytes. */
  Sys_GetNetworkInfo(): {
    InterfaceIndex: number;
    IP: string;
    MAC: string;
    Description: string;
    Speed: number;
    InTotal: number;
    OutTotal: number;
  }[];
  /** Handles, threads and memory (bytes) of the gateway, and the number of processes of the machine. */
  Sys_GetProcessInfo(): {
    SVC_HANDLECOUNT: number;
    SVC_NUMTHREADS: number;
    SVC_VIRTUALSIZE: number;
    SVC_WORKINGSETSIZE: number;
    SVC_PAGEFILE: number;
    PROCESSCOUNT: number;
  };
  /** The print queue; empty if the machine has no print service. */
  Sys_GetSpooler(): {
    Job: string;
    User: string;
    Size: number;
  }[];
  /** Reads an http or https URL, at most 10 MiB in 30 s. */
  Sys_GetURLContent(URL: string): string;
  /** Requests a URL with Method (GET, POST, PUT, PATCH, DELETE, HEAD), Body, Timeout (ms), Headers (["Name: value", …]), AuthUser, AuthPass, VerifyPeer and VerifyHost. */
  Sys_GetURLContentEx(
    URL: string,
    Options: {
      Method?: string;
      Body?: string;
      Timeout?: number;
      Headers?: string[];
      AuthUser?: string;
      AuthPass?: string;
      VerifyPeer?: boolean;
      VerifyHost?: boolean;
    },
  ): string;
  /** Whether a host replies to an echo request within a number of milliseconds, at most 60,000. */
  Sys_Ping(Host: string, Timeout: number): boolean;
  /** Deletes objects with their subtrees; the files of scripts and media stay. */
  UC_DeleteObjects(InstanceID: number, IDs: readonly number[]): boolean;
  /** Copies an object, with Recursive its subtree, to a parent and returns the ID of the copy. A copied instance stays closed until SVC_ApplyChanges. */
  UC_DuplicateObject(InstanceID: number, ID: number, ParentID: number, Recursive: boolean): number;
  /** The lines in script files (an empty list: all files) that contain a text; case-sensitive. */
  UC_FindInFiles(InstanceID: number, Files: readonly string[], SearchStr: string): FoundLine[];
  /** Names, icons, notes and values of objects, and texts of profiles, that contain control characters or unpaired surrogates. */
  UC_FindInvalidStrings(InstanceID: number): InvalidText[];
  /** The uses of an object: links, actions, connections, properties, archive, web fronts, events, and scripts and charts that contain its ID. */
  UC_FindReferences(InstanceID: number, ID: number): Reference[];
  /** Not supported: scripts are JavaScript; there are no flow scripts, workflows or short tags. */
  UC_FindShortTags(InstanceID: number): unknown[];
  /** Removes invalid characters from texts that UC_FindInvalidStrings found. */
  UC_FixInvalidStrings(InstanceID: number, References: readonly InvalidText[]): boolean;
  /** Not supported: scripts are JavaScript; there are no flow scripts, workflows or short tags. */
  UC_FixShortTags(InstanceID: number, References: readonly unknown[]): boolean;
  /** The number of runs of timed and of triggered events, as counted in the buffered messages. */
  UC_GetEventStatistics(InstanceID: number): {
    CyclicUpdateCount: number;
    TriggerUpdateCount: number;
  };
  /** The SVG file of an icon, in Base64. */
  UC_GetIconContent(InstanceID: number, Icon: string): string;
  /** The names of all icons: the built-in ones and the files in the folder icons. */
  UC_GetIconList(InstanceID: number): string[];
  /** Messages since the start, slow messages, messages queued for clients, delay of the event loop in ms, calls in progress. */
  UC_GetKernelStatistics(InstanceID: number): {
    MessageCounter: number;
    MessageSlowCounter: number;
    MessageQueueSize: number;
    MessageQueueDelay: number;
    RequestQueueSize: number;
  };
  /** The latest log messages of a type, newest first; 100 of each type are kept. */
  UC_GetLastLogMessages(
    InstanceID: number,
    Type: 0 | 1 | 2 | 3 | 4 | 5 | 6,
  ): {
    Type: number;
    TimeStamp: number;
    Sender: string;
    Message: string;
  }[];
  /** The number of log messages of each type, since the start or the last reset. */
  UC_GetLogMessageStatistics(InstanceID: number): {
    MessageDefaultCount: number;
    MessageSuccessCount: number;
    MessageNotifyCount: number;
    MessageWarningCount: number;
    MessageErrorCount: number;
    MessageCustomCount: number;
  };
  /** The number of buffered messages of each sender, in descending order. */
  UC_GetMessageSenderIDList(InstanceID: number): {
    SenderID: number;
    Count: number;
  }[];
  /** The size of the buffered messages of each sender in bytes, in descending order. */
  UC_GetMessageSenderIDSizeList(InstanceID: number): {
    SenderID: number;
    Size: number;
  }[];
  /** The number of buffered messages of each type, in descending order. */
  UC_GetMessageTypeList(InstanceID: number): {
    Message: number;
    Count: number;
  }[];
  /** The number of script runs since the start by sender, in descending order. */
  UC_GetScriptSenderList(InstanceID: number): {
    Sender: string;
    Count: number;
  }[];
  /** Not supported: scripts are JavaScript; there are no flow scripts, workflows or short tags. */
  UC_MigrateWorkflow(InstanceID: number, ScriptID: number): boolean;
  /** Renames the file of a script; fails if the name is taken. */
  UC_RenameScript(InstanceID: number, ScriptID: number, Filename: string): boolean;
  /** Replaces a text in script files (an empty list: all files) and returns the changed lines. */
  UC_ReplaceInFiles(
    InstanceID: number,
    Files: readonly string[],
    SearchStr: string,
    ReplaceStr: string,
  ): FoundLine[];
  /** Discards the latest log messages. */
  UC_ResetLastLogMessages(InstanceID: number): boolean;
  /** Resets the counts of log messages. */
  UC_ResetLogMessageStatistics(InstanceID: number): boolean;
  /** Not supported: the gateway does not send usage data. */
  UC_SendUsageData(InstanceID: number): boolean;
  /** Not supported: the software is free and no licence is sold for it. */
  UC_UpdateLicenseData(InstanceID: number): boolean;
  /** Sends a text as a datagram from a UDP socket; each character is one byte (Latin-1). */
  USCK_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text as a datagram to the Host of a UDP socket; each character is one byte (Latin-1). */
  USCK_SendText(InstanceID: number, Text: string): boolean;
  /** Connects a simulated client to a virtual I/O, as to a server. */
  VIO_Connect(InstanceID: number, ClientIP: string, ClientPort: number): boolean;
  /** Disconnects a simulated client of a virtual I/O; its incomplete data is discarded. */
  VIO_Disconnect(InstanceID: number, ClientIP: string, ClientPort: number): boolean;
  /** Returns the texts that were sent to single clients over a virtual I/O, oldest first; each character is one byte. */
  VIO_GetPacketList(InstanceID: number): {
    TimeStamp: number;
    Text: string;
    ClientIP: string;
    ClientPort: number;
  }[];
  /** Returns the texts that devices have sent over a virtual I/O, oldest first; each character is one byte. */
  VIO_GetTextList(InstanceID: number): {
    TimeStamp: number;
    Text: string;
  }[];
  /** Sets the reply of a virtual I/O to an HTTP/1 request of a device. */
  VIO_HTTPResponse(InstanceID: number, Route: string, Method: string, Data: string): boolean;
  /** Makes the devices on a virtual I/O receive a server-sent event (UTF-8). */
  VIO_PushData(InstanceID: number, Event: string, Data: string, Retry: string, ID: string): boolean;
  /** Makes the devices on a virtual I/O receive a text from a client; each character is one byte (Latin-1). */
  VIO_PushPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Makes the devices on a virtual I/O receive bytes from a client, given as hexadecimal digits. */
  VIO_PushPacketHEX(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Makes the devices on a virtual I/O receive a text; each character is one byte (Latin-1). */
  VIO_PushText(InstanceID: number, Text: string): boolean;
  /** Makes the devices on a virtual I/O receive bytes, given as hexadecimal digits. */
  VIO_PushTextHEX(InstanceID: number, Text: string): boolean;
  /** Sends a text over a virtual I/O to a client as if a connected device had sent it; each character is one byte (Latin-1). */
  VIO_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text over a virtual I/O as if a connected device had sent it; each character is one byte (Latin-1). */
  VIO_SendText(InstanceID: number, Text: string): boolean;
  /** Adds an item with position 0 to a web front, below another item or, with "", at the top level. */
  WFC_AddItem(
    InstanceID: number,
    ID: string,
    ClassName: string,
    Configuration: string,
    ParentID: string,
  ): boolean;
  /** Plays a sound, which is a media object in the area, in the fronts of a configurator. */
  WFC_AudioNotification(InstanceID: number, Title: string, MediaID: number): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  WFC_CandidateMediaStream(InstanceID: number, SessionID: string, ICE: string): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  WFC_ConfigureMediaStream(InstanceID: number, SessionID: string, SessionDescription: string): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  WFC_ConnectMediaStream(InstanceID: number, MediaID: number): string;
  /** Deletes an item of a web front that has no children. */
  WFC_DeleteItem(InstanceID: number, ID: string): boolean;
  /** Not supported: the gateway does not forward streams; open the address of the camera in the front. */
  WFC_DisconnectMediaStream(InstanceID: number, SessionID: string): boolean;
  /** Requests a value from the device or script behind a variable in the area of a configurator, sets a variable that residents may set, or runs a script that is not hidden. */
  WFC_Execute(InstanceID: number, ActionID: number, TargetID: number, Value: Value): string;
  /** Like WFC_Execute, at most once per key (8 to 64 letters, digits, _ or -): repeated with a known key, it only waits for the outcome of the first call. */
  WFC_ExecuteKeyed(InstanceID: number, VariableID: number, Value: Value, Key: string): boolean;
  /** The data of a chart of a variable, or of a chart media object in the area of a configurator, from a time on (0: the current period). */
  WFC_FetchChartData(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
  ): ChartDataset[];
  /** Like WFC_FetchChartData, with the visibility of each dataset. */
  WFC_FetchChartDataEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    Visibility: readonly boolean[],
  ): ChartDataset[];
  /** Like AC_GetAggregatedValues, for a variable in the area of a configurator. */
  WFC_GetAggregatedValues(
    InstanceID: number,
    VariableID: number,
    AggregationSpan: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): AggregatedValue[];
  /** The web front configurators; the only function that needs no credentials. */
  WFC_GetConfigurators(): Configurator[];
  /** The items of a web front, in the order in which they were added. */
  WFC_GetItems(InstanceID: number): FrontItem[];
  /** Like AC_GetLoggedValues, for a variable in the area of a configurator. */
  WFC_GetLoggedValues(
    InstanceID: number,
    VariableID: number,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): LoggedValue[];
  /** The outcome of WFC_ExecuteKeyed with a key: running, done, or failed with code and text; unknown after 5 minutes, 64 newer keys or a restart. */
  WFC_GetOutcome(InstanceID: number, Key: string): CommandOutcome;
  /** The area of a configurator with all values at this moment. */
  WFC_GetSnapshot(InstanceID: number): Snapshot;
  /** The changes in the area of a configurator after a counter; 0: only the current counter. */
  WFC_GetSnapshotChanges(InstanceID: number, LastTimeStamp: number): ChangeRecord[];
  /** The changes in a part of the area of a configurator after a counter; 0: only the current counter. */
  WFC_GetSnapshotChangesEx(InstanceID: number, CategoryID: number, LastTimeStamp: number): ChangeRecord[];
  /** A part of the area of a configurator with all values. */
  WFC_GetSnapshotEx(InstanceID: number, CategoryID: number): Snapshot;
  /** Opens a category or instance of the area in the fronts of a configurator. */
  WFC_OpenCategory(InstanceID: number, CategoryID: number): boolean;
  /** Like WFC_SendNotification, with a sound and a target object in the area, or 0. */
  WFC_PushNotification(
    InstanceID: number,
    Title: string,
    Text: string,
    Sound: string,
    TargetID: number,
  ): boolean;
  /** Registers a mobile device or updates its registration, if the configurator allows it (mobile: true); returns the DeviceID. */
  WFC_RegisterPNS(
    InstanceID: number,
    Token: string,
    Provider: string,
    DeviceID: string,
    DeviceName: string,
  ): string;
  /** Reloads the fronts of a configurator with its current items. */
  WFC_Reload(InstanceID: number): boolean;
  /** A chart of a variable, or of a chart media object in the area of a configurator, as SVG with a size in pixels. */
  WFC_RenderChart(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
  ): string;
  /** Like WFC_RenderChart, with the visibility of each dataset. */
  WFC_RenderChartEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
    Visibility: readonly boolean[],
  ): string;
  /** Like WFC_RenderChartEx, for embedding in a page: the SVG has no style element and inherits the colour of the page. */
  WFC_RenderChartInline(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    IsExtrema: boolean,
    IsDyn: boolean,
    Width: number,
    Height: number,
    Visibility?: readonly boolean[],
  ): string;
  /** Shows a notification in the fronts of a configurator for a number of seconds; 0: until a user closes it. */
  WFC_SendNotification(
    InstanceID: number,
    Title: string,
    Text: string,
    Icon: string,
    Timeout: number,
  ): boolean;
  /** Shows a popup in the fronts of a configurator until a user closes it. */
  WFC_SendPopup(InstanceID: number, Title: string, Text: string): boolean;
  /** Replaces all items of a web front by a JSON list in the format of WFC_GetItems. */
  WFC_SetItems(InstanceID: number, Items: string): boolean;
  /** Switches the fronts of a configurator to a page, given by the ID of its item. */
  WFC_SwitchPage(InstanceID: number, PageName: string): boolean;
  /** Sets the configuration of an item of a web front: a JSON object as text. */
  WFC_UpdateConfiguration(InstanceID: number, ID: string, Configuration: string): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormGraphDefaults(InstanceID: number, GraphRawDensity: boolean): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormNotificationValues(InstanceID: number): boolean;
  /** Not supported: there is no form editor; set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormSecurityWarning(InstanceID: number, AllowPasswordlessOnWAN: boolean): boolean;
  /** Moves an item of a web front below another one or, with "", to the top level. */
  WFC_UpdateParentID(InstanceID: number, ID: string, ParentID: string): boolean;
  /** Sets the position of an item of a web front among its siblings. */
  WFC_UpdatePosition(InstanceID: number, ID: string, Position: number): boolean;
  /** Shows or hides an item of a web front. */
  WFC_UpdateVisibility(InstanceID: number, ID: string, Visible: boolean): boolean;
  /** All functions, as an OpenRPC document. */
  'rpc.discover'(): Record<string, unknown>;
}
