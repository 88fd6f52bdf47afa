/* oxlint-disable max-lines -- generated, one line per field */
// Generated from the command reference by test/tools/generate/reference-files.ts; a test compares the two.

/** Aggregated records of a span; for a counter, Avg is the increase. */
export interface AggregatedValue {
  TimeStamp: number;
  Avg: number;
  Duration: number;
  Max: number;
  MaxTime: number;
  Min: number;
  MinTime: number;
}

/** A variable with records, its aggregation, and statistics of its records. */
export interface AggregationVariable {
  VariableID: number;
  AggregationType: number;
  AggregationVisible: boolean;
  AggregationActive: boolean;
  FirstTime: number;
  LastTime: number;
  RecordCount: number;
  RecordSize: number;
}

/** A record with milliseconds, and whether the clock was trusted. */
export interface ArchiveRecord {
  TimeStamp: number;
  Value: Value;
  ClockTrusted: boolean;
}

/** Records of a variable, and whether more follow. */
export interface ArchiveRecords {
  Records: ArchiveRecord[];
  More: boolean;
}

/** An audit record: who switched or changed what, and from where. */
export interface AuditEntry {
  TimeStamp: number;
  Role: 'owner' | 'inside' | 'webfront' | 'unverified';
  User: string;
  Remote: string;
  Device?: string;
  Method: string;
  Parameters: unknown[];
  Success: boolean;
  Error?: string;
  Count?: number;
}

/** A backup in the data directory. Reason: daily, manual, uploaded, or what else it was made for. Size is in bytes. */
export interface BackupRecord {
  Name: string;
  Size: number;
  CreatedMs: number;
  Reason: string;
  Note: string;
  IsRestoredAtStart: boolean;
}

/** The targets, and the id of the recovery key. */
export interface BackupTargetList {
  KeyID: string;
  Targets: BackupTargetRecord[];
}

/** A target of encrypted backups. Kind: path, webdav, s3 or sftp. Times are unix milliseconds; 0 is never. Problem says why the last backup failed, VerifyProblem why the last comparison did; both are empty otherwise. */
export interface BackupTargetRecord {
  Name: string;
  Kind: string;
  LastMs: number;
  LastName: string;
  NextMs: number;
  VerifiedMs: number;
  Problem: string;
  CodedProblem: CodedText;
  VerifyProblem: string;
  CodedVerifyProblem: CodedText;
}

/** One of the two systems on a box. Version is empty if it is not known. */
export interface BoxSlotRecord {
  Name: string;
  Version: string;
  IsRunning: boolean;
  IsNext: boolean;
  IsUsable: boolean;
}

/** The updates of a box. IsBox: false on a machine without slots, where the rest is empty. Busy: download, install, back, waiting, or empty. Version: of the system that runs; Installing: of the update in progress. Available: a version that the configured address offers and that does not run, found at CheckedMs (unix milliseconds, 0 never). Problem says why the last request failed; RolledBack is the last version that was rolled back. */
export interface BoxUpdateRecord {
  IsBox: boolean;
  Version: string;
  Slots: BoxSlotRecord[];
  Busy: string;
  Installing: string;
  Percent: number;
  Problem: string;
  Available: string;
  CheckedMs: number;
  NextCheckMs: number;
  RolledBack: string;
}

/** A browser that is signed in to a front or to the console. IsOwnerView: the owner sees the front as its residents do. IsOwn: it makes this call. */
export interface BrowserSession {
  ID: string;
  Kind: 'front' | 'console';
  IsOwnerView: boolean;
  ConfiguratorID: number;
  Device: string;
  Address: string;
  CreatedMs: number;
  LastSeenMs: number;
  ValidUntilMs: number;
  Connected: boolean;
  IsOwn: boolean;
}

/** A message of the gateway, as in a WebSocket frame; TimeStamp is a counter. */
export interface ChangeRecord {
  TimeStamp: number;
  SenderID: number;
  Message: number;
  Data: unknown[];
}

/** A dataset of a chart with its points, oldest first. */
export interface ChartDataset {
  Index: number;
  VariableID: number;
  Title: string;
  Kind: 'line' | 'step' | 'bar';
  Side: number;
  Profile: string;
  StrokeColor: string;
  FillColor: string;
  StartTime: number;
  EndTime: number;
  AggregationSpan: number;
  IsCut: boolean;
  Points: {
    TimeStamp: number;
    Duration: number;
    Value: number;
    Min: number;
    Max: number;
  }[];
}

/** How this machine declares a chip on I²C: the lines that a file needs. No lines: they are there already, and apply after a reboot. CanWrite: GW_EnableChip can write them. */
export interface ChipRecord {
  Device: string;
  Path: string;
  Lines: string[];
  CanWrite: boolean;
}

/** A choice for a property, who uses it, and what is set with it. */
export interface Choice {
  Value: string;
  Caption: string;
  UsedBy: string;
  Properties: Record<string, unknown>;
}

/** A sentence of the gateway: its stable code, the parameters that it was made from (texts, numbers, such records, or lists of them), and the English text. TEXT: a sentence of another program. */
export interface CodedText {
  Code: string;
  Parameters: unknown[];
  Text: string;
}

/** The outcome of a command: Code, Text and Details, the other members of error.data, are empty unless State is failed. */
export interface CommandOutcome {
  State: 'running' | 'done' | 'failed' | 'unknown';
  Code: string;
  Text: string;
  Details: Record<string, unknown>;
}

/** A rule for downsampling or deleting records older than a number of months. */
export interface Compaction {
  MonthOffset: number;
  CompactionType: number;
}

/** A gateway.yaml of the gateway as it is. Notes: what the file cannot express, which is also listed at its end. */
export interface ConfigurationExport {
  Text: string;
  Notes: string[];
}

/** A finding in a configuration. Lines and columns count from 1; Path is the key, for example webServers[0].tls. */
export interface ConfigurationProblem {
  Line: number;
  Column: number;
  Path: string;
  Severity: 'error' | 'problem' | 'warning';
  Text: string;
  CodedText: CodedText;
}

/** The keys of the configuration without the tree. Secrets are ***. */
export interface ConfigurationSettings {
  Settings: Record<string, unknown>;
  Digest: string;
}

/** The configuration. IsOverlay: it is in the data directory and replaces the file that the gateway was started with. IsWritable: a change is written to that file; otherwise it goes to the overlay. */
export interface ConfigurationText {
  Text: string;
  Digest: string;
  Path: string;
  IsOverlay: boolean;
  IsWritable: boolean;
}

/** A web front configurator. */
export interface Configurator {
  ID: number;
  Title: string;
  Icon: string;
  Position: number;
  Editable: boolean;
  PasswordRequired: boolean;
  MobileEnabled: boolean;
}

/** A deletion that can be undone: its first object, and how many objects there were. Location: the names from below the root, joined by backslashes. */
export interface DeletionRecord {
  ID: number;
  DeletedMs: number;
  User: string;
  ObjectID: number;
  ObjectType: number;
  Name: string;
  Location: string;
  Count: number;
}

/** A check of the machine or the gateway, and what to do if it is not ok. Chips: those that GW_EnableChip could declare. */
export interface DoctorCheck {
  Name: string;
  State: 'ok' | 'warning' | 'failed';
  Text: string;
  WhatToDo: string;
  CodedText: CodedText;
  CodedWhatToDo: CodedText;
  Chips: string[];
}

/** Whether an event can run, its conditions now, and the last decisions, newest first; TimeMs is unix milliseconds. */
export interface EventDecisions {
  EventID: number;
  State:
    | 'READY'
    | 'INACTIVE'
    | 'LIMIT_REACHED'
    | 'NOTHING_TO_RUN'
    | 'NO_VARIABLE'
    | 'NO_NEXT_RUN'
    | 'CLOCK_NOT_SET';
  LastRun: number;
  NextRun: number;
  AreConditionsMet: boolean;
  Conditions: {
    ID: number;
    ParentID: number;
    IsMet: boolean;
    Rules: {
      Kind: 'variable' | 'date' | 'time' | 'dayOfTheWeek';
      ID: number;
      IsMet: boolean;
      Current?: Value;
    }[];
  }[];
  Decisions: {
    TimeMs: number;
    Count: number;
    Trigger: 'VARIABLE' | 'TIME' | 'SCHEDULE';
    VariableID?: number;
    Value?: Value;
    OldValue?: Value;
    ActionID?: number;
    Outcome:
      | 'RUNNING'
      | 'RAN'
      | 'FAILED'
      | 'NOTHING_TO_RUN'
      | 'WAITING'
      | 'SUPERSEDED'
      | 'TOO_OFTEN'
      | 'INACTIVE'
      | 'LIMIT_REACHED'
      | 'NOT_CHANGED'
      | 'OTHER_VALUE'
      | 'MET_BEFORE'
      | 'CONDITION';
    ConditionID?: number;
    RuleKind?: 'variable' | 'date' | 'time' | 'dayOfTheWeek';
    RuleID?: number;
    Current?: Value;
    Text?: string;
    CodedText?: CodedText;
    DurationMs?: number;
  }[];
}

/** An event with the fields of all event types; times are unix seconds, 0 means never. */
export interface EventRecord {
  EventID: number;
  EventType: number;
  EventActive: boolean;
  EventLimit: number;
  EventScript: string;
  EventActionID: string;
  EventActionParameters: Record<string, unknown>;
  EventConditions: {
    ID: number;
    ParentID: number;
    Operation: number;
    VariableRules: {
      ID: number;
      VariableID: number;
      Comparison: number;
      Value: Value;
      Type: number;
    }[];
    DateRules: {
      ID: number;
      Comparison: number;
      Value: {
        Day: number;
        Month: number;
        Year: number;
      };
    }[];
    TimeRules: {
      ID: number;
      Comparison: number;
      Value: {
        Hour: number;
        Minute: number;
        Second: number;
      };
    }[];
    DayOfTheWeekRules: {
      ID: number;
      Comparison: number;
      Value: number;
    }[];
  }[];
  LastRun: number;
  NextRun: number;
  LastActionID: number;
  CyclicDateType: number;
  CyclicDateValue: number;
  CyclicDateDay: number;
  CyclicDateDayValue: number;
  CyclicDateFrom: {
    Day: number;
    Month: number;
    Year: number;
  };
  CyclicDateTo: {
    Day: number;
    Month: number;
    Year: number;
  };
  CyclicTimeType: number;
  CyclicTimeValue: number;
  CyclicTimeFrom: {
    Hour: number;
    Minute: number;
    Second: number;
  };
  CyclicTimeTo: {
    Hour: number;
    Minute: number;
    Second: number;
  };
  ScheduleActions: {
    ID: number;
    Name: string;
    Color: number;
    ScriptText: string;
    ActionID: string;
    ActionParameters: Record<string, unknown>;
  }[];
  ScheduleGroups: {
    ID: number;
    Days: number;
    Points: {
      ID: number;
      Start: {
        Hour: number;
        Minute: number;
        Second: number;
      };
      ActionID: number;
    }[];
  }[];
  TriggerType: number;
  TriggerVariableID: number;
  TriggerValue: Value;
  TriggerSubsequentExecution: boolean;
}

/** An error for one item of a call that continued: its stable name and its text. */
export interface Failure {
  code: string;
  message: string;
}

/** Hardware of this machine, who uses it, and which instances can be created for it. */
export interface Found {
  ID: string;
  Kind: 'chip' | 'line' | 'port' | 'pwm' | 'led' | 'onewire' | 'sensor' | 'mqtt' | 'modbus';
  Name: string;
  About: string;
  UsedBy: string;
  InstanceID: number;
  Create: {
    ModuleID: string;
    ModuleName: string;
    Properties: Record<string, unknown>;
  }[];
}

/** A line of a script, counted from 1. */
export interface FoundLine {
  File: string;
  Line: number;
  Text: string;
}

/** An item of a web front; Configuration is a JSON object as text, ParentID "" means no parent. */
export interface FrontItem {
  ID: string;
  ParentID: string;
  ClassName: string;
  Configuration: string;
  Position: number;
  Visible: boolean;
}

/** A function with its result and parameters; the description of a parameter is its name. */
export interface FunctionRecord {
  FunctionName: string;
  Result: TypeRecord;
  Parameters: TypeRecord[];
}

/** The health of the gateway: the most severe state of all checks, and each check. */
export interface Health {
  State: 'ok' | 'warning' | 'failed';
  Checks: {
    Name: string;
    State: 'ok' | 'warning' | 'failed';
    Since: number;
    Text: string;
    WhatToDo: string;
    CodedText: CodedText;
    CodedWhatToDo: CodedText;
  }[];
}

/** An instance: its module, its connection (0: none) and its status. */
export interface InstanceRecord {
  InstanceID: number;
  ConnectionID: number;
  InstanceStatus: number;
  InstanceChanged: number;
  ModuleInfo: {
    ModuleID: string;
    ModuleName: string;
    ModuleType: number;
  };
}

/** A text with invalid characters, of an object (Profile is "") or of a profile. */
export interface InvalidText {
  ObjectID: number;
  Profile: string;
  Attribute: 'Name' | 'Icon' | 'Info' | 'Summary' | 'Value' | 'Prefix' | 'Suffix' | 'Association';
  Text: string;
}

/** A library of modules. */
export interface LibraryRecord {
  LibraryID: string;
  Author: string;
  URL: string;
  Name: string;
  Version: string;
  Build: string;
  Date: number;
}

/** The board's header, row by row, and all lines; Active is present if an instance holds the line. */
export interface Lines {
  Board: string;
  Header: string[][];
  Lines: {
    Chip: string;
    Offset: number;
    Name: string;
    KernelName: string;
    Direction: 'input' | 'output' | 'unknown';
    Used: boolean;
    Consumer: string;
    InstanceID: number;
    Active?: boolean;
  }[];
}

/** A link and its target; 0 means no target. */
export interface LinkRecord {
  LinkID: number;
  TargetID: number;
}

/** An address that the gateway listens on. Port is 0 and Problem says why while it is not open. CertificateNames and ValidUntilMs (0: none) are those of its certificate. */
export interface ListenerRecord {
  Name: string;
  Host: string;
  Port: number;
  HasTls: boolean;
  CertificateNames: string[];
  ValidUntilMs: number;
  Problem: string;
  CodedProblem: CodedText;
}

/** A line of the log with its details, and the instance that it is about. */
export interface LogRecord {
  TimeMs: number;
  Level: 'debug' | 'info' | 'warn' | 'error';
  Subject: string;
  Text: string;
  InstanceID: number;
}

/** A record of a variable, and for how many seconds the value applied. */
export interface LoggedValue {
  TimeStamp: number;
  Value: Value;
  Duration: number;
}

/** The machine: its model and the kernel's version ('' where unknown), for how many seconds it runs, its temperature in °C (0: no sensor), whether its processor is slowed down and its supply voltage too low, and how much of the life of its card is used up, in percent (0: the card does not report it). */
export interface MachineRecord {
  Model: string;
  Kernel: string;
  HostName: string;
  UptimeS: number;
  Temperature: number;
  IsThrottled: boolean;
  HasUndervoltage: boolean;
  CardWear: number;
}

/** A media object; the checksum has 8 hex digits, the size is in bytes. */
export interface MediaRecord {
  MediaID: number;
  MediaType: number;
  MediaIsAvailable: boolean;
  MediaFile: string;
  MediaCRC: string;
  MediaIsCached: boolean;
  MediaSize: number;
  MediaUpdated: number;
}

/** A module: a kind of driver, and its page below docs/. */
export interface ModuleRecord {
  ModuleID: string;
  ModuleName: string;
  ModuleType: number;
  Vendor: string;
  Aliases: string[];
  ParentRequirements: string[];
  ChildRequirements: string[];
  Implemented: string[];
  LibraryID: string;
  Prefix: string;
  URL: string;
  Description: string;
  Icon: string;
  Page: string;
}

/** Properties that objects of all types have. */
export interface ObjectRecord {
  ObjectID: number;
  ObjectType: number;
  ObjectName: string;
  ObjectIcon: string;
  ObjectInfo: string;
  ObjectIdent: string;
  ObjectSummary: string;
  ObjectIsHidden: boolean;
  ObjectIsDisabled: boolean;
  ObjectIsLocked: boolean;
  ObjectIsReadOnly: boolean;
  ObjectPosition: number;
  ParentID: number;
  ChildrenIDs: number[];
  HasChildren: boolean;
}

/** An option with its value, default and limits. */
export interface OptionRecord {
  Name: string;
  Value: number;
  Default: number;
  Minimum: number;
  Maximum: number;
  Description: string;
}

/** An object that was removed from gateway.yaml. Problem says why it is not deleted, or is empty. */
export interface OrphanRecord {
  ObjectID: number;
  Path: string;
  Type: string;
  Problem: string;
}

/** The outcome of one of several actions. */
export interface Outcome {
  VariableID: number;
  Success: boolean;
  Error?: Failure;
}

/** A variable profile. Colour −1 means no colour. */
export interface ProfileRecord {
  ProfileName: string;
  ProfileType: number;
  Icon: string;
  Prefix: string;
  Suffix: string;
  MinValue: number;
  MaxValue: number;
  StepSize: number;
  Digits: number;
  IsReadOnly: boolean;
  Associations: {
    Value: Value;
    Name: string;
    Icon: string;
    Color: number;
  }[];
}

/** What is wrong with a property; an empty name is the instance. A warning may resolve itself later. */
export interface PropertyProblem {
  Property: string;
  Severity: 'error' | 'warning';
  Text: string;
  CodedText: CodedText;
}

/** A mobile device registered for push messages, without its token. */
export interface PushDevice {
  DeviceID: string;
  DeviceName: string;
  Provider: string;
  Registered: number;
}

/** Whether the value of one variable is good (0), stale (1) or bad (2). */
export type QualityRecord =
  | {
      VariableID: number;
      Quality: 0 | 1 | 2;
      Reason: string;
      Text: string;
      SourceTime: number;
      ReceiveTime: number;
      ClockTrusted: boolean;
    }
  | {
      VariableID: number;
      Error: Failure;
    };

/** A new recovery key. Only the owner can keep it: without it, encrypted backups cannot be read. */
export interface RecoveryKeyRecord {
  Key: string;
  KeyID: string;
}

/** A use of an object: by which object, how, and at which line of a text (0: not in a text). */
export interface Reference {
  ObjectID: number;
  Kind: string;
  Line: number;
  Text: string;
}

/** What a reload applied, what needs a restart, and what is wrong. */
export interface ReloadReport {
  Applied: string[];
  NeedsRestart: string[];
  Problems: string[];
  CodedProblems: CodedText[];
}

/** What the next start will restore. */
export interface RestoreReport {
  Name: string;
  Effects: string[];
}

/** A script; times are unix seconds, 0 means never. */
export interface ScriptRecord {
  ScriptID: number;
  ScriptType: number;
  ScriptFile: string;
  ScriptExecuted: number;
  ScriptIsBroken: boolean;
  LastExecute: number;
  IsBroken: boolean;
  ScriptError: string;
}

/** A slot for a script process: what it runs and since when (0: idle), run times in ms, memory in bytes. */
export interface ScriptThread {
  ThreadID: number;
  StartTime: number;
  ExecuteCount: number;
  ExecutionMin: number;
  ExecutionAvg: number;
  ExecutionMax: number;
  PeakMemoryUsage: number;
  MemoryCleanups: number;
  ScriptID: number;
  FilePath: string;
  Sender: string;
}

/** A change of the configuration: the key, for example webServers[0].tls, and its value as in the file; null removes it. The values of keys named password are written as hashes. */
export interface SettingChange {
  Path: string;
  Value: unknown;
}

/** The tree at one moment: objects by ID<id>, profiles by name; timestamp is a counter. */
export interface Snapshot {
  options: Record<string, number>;
  archive: Record<string, unknown>;
  server: {
    architecture: string;
    date: number;
    platform: string;
    version: string;
  };
  license: {
    expiration: {
      demo: number;
      subscription: number;
    };
    licensee: string;
  };
  timestamp: number;
  timezone: string;
  compatibility: {
    version: string;
    date: number;
  };
  area?: {
    configurator: number;
    base: number;
    title: string;
  };
  profiles: Record<string, SnapshotProfile>;
  objects: Record<string, SnapshotObject>;
}

/** An object in a snapshot; the members of data depend on its type. */
export interface SnapshotObject {
  position: number;
  readOnly: boolean;
  ident: string;
  hidden: boolean;
  disabled: boolean;
  type: number;
  name: string;
  info: string;
  icon: string;
  parentID: number;
  summary: string;
  publish?: string;
  data: Record<string, unknown>;
}

/** A profile in a snapshot. */
export interface SnapshotProfile {
  type: number;
  icon: string;
  prefix: string;
  suffix: string;
  minValue: number;
  maxValue: number;
  stepSize: number;
  digits: number;
  readOnly: boolean;
  associations: {
    value: Value;
    name: string;
    icon: string;
    color: number;
    key?: string;
  }[];
}

/** A backup that was stored. StoredBytes and StoredChunks are new on the target; Chunks is what the backup has. */
export interface StoredBackupRecord {
  Name: string;
  StoredBytes: number;
  StoredChunks: number;
  Chunks: number;
  DeletedBackups: number;
}

/** A backup on a target. */
export interface TargetBackupRecord {
  Name: string;
  CreatedMs: number;
}

/** A task in progress. Kind: backup, search, reaggregation, export or import. Total is 0 while it is unknown. */
export interface TaskRecord {
  ID: number;
  Kind: string;
  User: string;
  StartedMs: number;
  Done: number;
  Total: number;
}

/** A type in reflection: 0 boolean, 1 integer, 2 float, 3 string, 4 any value, 5 list or map. */
export interface TypeRecord {
  Type_: number;
  Description: string;
  Enumeration: string[];
}

/** The value of a variable. */
export type Value = boolean | number | string;

/** The value of one of several variables, or an error. */
export type ValueRecord =
  | {
      VariableID: number;
      Value: Value;
      VariableUpdated: number;
      VariableChanged: number;
    }
  | {
      VariableID: number;
      Error: Failure;
    };

/** Properties of a variable; times are unix seconds, 0 means never. */
export interface VariableRecord {
  VariableID: number;
  VariableType: number;
  VariableProfile: string;
  VariableCustomProfile: string;
  VariableAction: number;
  VariableCustomAction: number;
  VariableUpdated: number;
  VariableChanged: number;
  VariableIsLocked: boolean;
  VariableValue: Value;
}

/** What a restore of a backup has. */
export interface VerifiedBackupRecord {
  Name: string;
  Objects: number;
  Values: number;
  ArchiveRecords: number;
}
