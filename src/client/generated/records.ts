/* oxlint-disable max-lines -- a field a line, made by a program */
// Made from the command reference by test/tools/generate/reference-files.ts; a test compares the two.

/** What the records in a piece of time come to; of a counter Avg is what it rose by. */
export interface AggregatedValue {
  TimeStamp: number;
  Avg: number;
  Duration: number;
  Max: number;
  MaxTime: number;
  Min: number;
  MinTime: number;
}

/** A variable with records, how it is aggregated, and what is stored of it. */
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

/** A record to the millisecond, and whether its time is by a trusted clock. */
export interface ArchiveRecord {
  TimeStamp: number;
  Value: Value;
  ClockTrusted: boolean;
}

/** Records of a variable, and whether there are others after them. */
export interface ArchiveRecords {
  Records: ArchiveRecord[];
  More: boolean;
}

/** Who switched or changed what, and from where. */
export interface AuditEntry {
  TimeStamp: number;
  Role: 'owner' | 'inside' | 'webfront';
  User: string;
  Remote: string;
  Method: string;
  Parameters: unknown[];
  Success: boolean;
  Error?: string;
  Count?: number;
}

/** One message of the gateway: a WebSocket frame; TimeStamp is a counter. */
export interface ChangeRecord {
  TimeStamp: number;
  SenderID: number;
  Message: number;
  Data: unknown[];
}

/** A variable in a chart, with what is shown of it: oldest first. */
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

/** From which age in months on records are thinned, and to what. */
export interface Compaction {
  MonthOffset: number;
  CompactionType: number;
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

/** An event, with what its type has; times are unix seconds, 0 is never. */
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

/** A failure within a call that went on: its stable name and its text. */
export interface Failure {
  code: string;
  message: string;
}

/** Something of this machine, who has it, and what it can be turned into. */
export interface Found {
  ID: string;
  Kind: 'chip' | 'line' | 'port' | 'pwm' | 'led' | 'onewire';
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

/** An item of a web front; Configuration is the text of a JSON object, ParentID "" is none. */
export interface FrontItem {
  ID: string;
  ParentID: string;
  ClassName: string;
  Configuration: string;
  Position: number;
  Visible: boolean;
}

/** A function with its result and parameters, whose names are their descriptions. */
export interface FunctionRecord {
  FunctionName: string;
  Result: TypeRecord;
  Parameters: TypeRecord[];
}

/** How the gateway is: the worst state of all, and each check. */
export interface Health {
  State: 'ok' | 'warning' | 'failed';
  Checks: {
    Name: string;
    State: 'ok' | 'warning' | 'failed';
    Since: number;
    Text: string;
    WhatToDo: string;
  }[];
}

/** An instance: its module, its connection (0: none), its status. */
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

/** A text that holds what no text should: of an object (Profile is "" then), or of a profile. */
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

/** A link and what it points to; 0 is nothing. */
export interface LinkRecord {
  LinkID: number;
  TargetID: number;
}

/** A record of a variable, and how many seconds its value held. */
export interface LoggedValue {
  TimeStamp: number;
  Value: Value;
  Duration: number;
}

/** A media object; its checksum is 8 hex digits, its size bytes. */
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

/** A module: a kind of driver. */
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
}

/** What is known of an object of any type. */
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

/** An option with its limits. */
export interface OptionRecord {
  Name: string;
  Value: number;
  Default: number;
  Minimum: number;
  Maximum: number;
  Description: string;
}

/** An object that was removed from gateway.yaml; Problem: why it is not deleted, or empty. */
export interface OrphanRecord {
  ObjectID: number;
  Path: string;
  Type: string;
  Problem: string;
}

/** What became of one action of many. */
export interface Outcome {
  VariableID: number;
  Success: boolean;
  Error?: Failure;
}

/** A variable profile. Colour −1 is none. */
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

/** A mobile device that was registered for messages; its token is not shown. */
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

/** A use of an object: by which one, how, and where in a text (line 0: in none). */
export interface Reference {
  ObjectID: number;
  Kind: string;
  Line: number;
  Text: string;
}

/** What a reload applied, what takes effect only with a restart, and what is wrong. */
export interface ReloadReport {
  Applied: string[];
  NeedsRestart: string[];
  Problems: string[];
}

/** A script; times are unix seconds, 0 is never. */
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

/** A slot for a script: what it runs since when (0: it is idle), its runs in ms, its memory in bytes. */
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

/** The tree at one moment: objects under ID<id>, profiles under their names; timestamp is a counter. */
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
  profiles: Record<string, SnapshotProfile>;
  objects: Record<string, SnapshotObject>;
}

/** An object in a snapshot; what data holds depends on its type. */
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
  }[];
}

/** A type in reflection: 0 boolean, 1 integer, 2 float, 3 string, 4 any value, 5 list or map. */
export interface TypeRecord {
  Type_: number;
  Description: string;
  Enumeration: string[];
}

/** What a variable holds. */
export type Value = boolean | number | string;

/** The value of one variable of many, or why there is none. */
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

/** What is known of a variable; times are unix seconds, 0 is never. */
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
