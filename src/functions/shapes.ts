import { auditRoles } from '../kernel/audit-record.js';
import { Type, type Static, type TProperties, type TSchema } from '@sinclair/typebox';

/**
 * Schemas of structured parameters and results (interface §2). OpenRPC and the typed client are generated
 * from them; a schema with a name appears there under that name.
 */
export const named = <P extends TProperties>($id: string, description: string, properties: P) =>
  Type.Object(properties, { $id, description });

export const bool = Type.Boolean();
export const int = Type.Integer();
export const float = Type.Number();
const text = Type.String();
/** Unix seconds; 0 is never. */
export const time = Type.Integer({ minimum: 0 });

/** A variable's value. */
export const value = Type.Union([bool, float, text], {
  $id: 'Value',
  description: 'The value of a variable.',
});
/** What `SetValue` accepts: null means 0, false or '' (interface, decision 6). */
export const valueOrNull = Type.Union([value, Type.Null()]);
export const anything = Type.Unknown();
export const map = <S extends TSchema>(of: S) =>
  Type.Unsafe<Record<string, Static<S>>>(Type.Object({}, { additionalProperties: of }));
export const listOf = <S extends TSchema>(of: S) => Type.Array(of);
export const ids = listOf(int);
export const texts = listOf(text);
export const empty = Type.Object({});
/** A record whose fields the command reference does not define. */
export const record = Type.Unsafe<object>(map(anything));
export const records = listOf(record);

export const objectRecord = named('ObjectRecord', 'Properties that objects of all types have.', {
  ObjectID: int,
  ObjectType: int,
  ObjectName: text,
  ObjectIcon: text,
  ObjectInfo: text,
  ObjectIdent: text,
  ObjectSummary: text,
  ObjectIsHidden: bool,
  ObjectIsDisabled: bool,
  ObjectIsLocked: bool,
  ObjectIsReadOnly: bool,
  ObjectPosition: int,
  ParentID: int,
  ChildrenIDs: ids,
  HasChildren: bool,
});

export const variableRecord = named(
  'VariableRecord',
  'Properties of a variable; times are unix seconds, 0 means never.',
  {
    VariableID: int,
    VariableType: int,
    VariableProfile: text,
    VariableCustomProfile: text,
    VariableAction: int,
    VariableCustomAction: int,
    VariableUpdated: time,
    VariableChanged: time,
    VariableIsLocked: bool,
    VariableValue: value,
  },
);

export const profileRecord = named('ProfileRecord', 'A variable profile. Colour −1 means no colour.', {
  ProfileName: text,
  ProfileType: int,
  Icon: text,
  Prefix: text,
  Suffix: text,
  MinValue: float,
  MaxValue: float,
  StepSize: float,
  Digits: int,
  IsReadOnly: bool,
  Associations: listOf(Type.Object({ Value: value, Name: text, Icon: text, Color: int })),
});

export const instanceRecord = named(
  'InstanceRecord',
  'An instance: its module, its connection (0: none) and its status.',
  {
    InstanceID: int,
    ConnectionID: int,
    InstanceStatus: int,
    InstanceChanged: time,
    ModuleInfo: Type.Object({ ModuleID: text, ModuleName: text, ModuleType: int }),
  },
);

export const childConfigurations = listOf(
  Type.Object({ InstanceID: int, ConnectionID: int, Configuration: text }),
);

export const dataFlowStatistics = listOf(
  Type.Object({
    InstanceID: int,
    TxDuration: float,
    TxMaxDuration: float,
    RxDuration: float,
    RxMaxDuration: float,
  }),
);

export const messageStatistics = listOf(
  Type.Object({ InstanceID: int, Duration: float, MaxDuration: float }),
);

/** A sentence with what it is made from. */
export const codedText = named(
  'CodedText',
  'A sentence of the gateway: its stable code, the parameters that it was made from (texts, numbers, such records, or lists of them), and the English text. TEXT: a sentence of another program.',
  { Code: text, Parameters: listOf(Type.Unknown()), Text: text },
);

export const serviceMessages = listOf(
  Type.Object({ InstanceID: int, Code: text, Text: text, CodedText: codedText }),
);

export const moduleRecord = named('ModuleRecord', 'A module: a kind of driver, and its page below docs/.', {
  ModuleID: text,
  ModuleName: text,
  ModuleType: int,
  Vendor: text,
  Aliases: texts,
  ParentRequirements: texts,
  ChildRequirements: texts,
  Implemented: texts,
  LibraryID: text,
  Prefix: text,
  URL: text,
  Description: text,
  Icon: text,
  Page: text,
});

export const choices = listOf(
  named('Choice', 'A choice for a property, who uses it, and what is set with it.', {
    Value: text,
    Caption: text,
    UsedBy: text,
    Properties: record,
  }),
);

export const propertyProblems = listOf(
  named(
    'PropertyProblem',
    'What is wrong with a property; an empty name is the instance. A warning may resolve itself later.',
    {
      Property: text,
      Severity: Type.Union([Type.Literal('error'), Type.Literal('warning')]),
      Text: text,
      CodedText: codedText,
    },
  ),
);

export const libraryRecord = named('LibraryRecord', 'A library of modules.', {
  LibraryID: text,
  Author: text,
  URL: text,
  Name: text,
  Version: text,
  Build: text,
  Date: time,
});

export const scriptRecord = named('ScriptRecord', 'A script; times are unix seconds, 0 means never.', {
  ScriptID: int,
  ScriptType: int,
  ScriptFile: text,
  ScriptExecuted: time,
  ScriptIsBroken: bool,
  LastExecute: time,
  IsBroken: bool,
  ScriptError: text,
});

export const mediaRecord = named(
  'MediaRecord',
  'A media object; the checksum has 8 hex digits, the size is in bytes.',
  {
    MediaID: int,
    MediaType: int,
    MediaIsAvailable: bool,
    MediaFile: text,
    MediaCRC: text,
    MediaIsCached: bool,
    MediaSize: int,
    MediaUpdated: time,
  },
);

export const objectIcons = listOf(Type.Object({ ObjectID: int, Icon: text }));

export const scriptThread = named(
  'ScriptThread',
  'A slot for a script process: what it runs and since when (0: idle), run times in ms, memory in bytes.',
  {
    ThreadID: int,
    StartTime: time,
    ExecuteCount: int,
    ExecutionMin: float,
    ExecutionAvg: float,
    ExecutionMax: float,
    PeakMemoryUsage: int,
    MemoryCleanups: int,
    ScriptID: int,
    FilePath: text,
    Sender: text,
  },
);

export const linkRecord = named('LinkRecord', 'A link and its target; 0 means no target.', {
  LinkID: int,
  TargetID: int,
});

const typeRecord = named(
  'TypeRecord',
  'A type in reflection: 0 boolean, 1 integer, 2 float, 3 string, 4 any value, 5 list or map.',
  { Type_: int, Description: text, Enumeration: texts },
);
export const functionRecord = named(
  'FunctionRecord',
  'A function with its result and parameters; the description of a parameter is its name.',
  {
    FunctionName: text,
    Result: typeRecord,
    Parameters: listOf(typeRecord),
  },
);

export const optionRecord = named('OptionRecord', 'An option with its value, default and limits.', {
  Name: text,
  Value: int,
  Default: int,
  Minimum: int,
  Maximum: int,
  Description: text,
});

export const configurators = listOf(
  named('Configurator', 'A web front configurator.', {
    ID: int,
    Title: text,
    Icon: text,
    Position: int,
    Editable: bool,
    PasswordRequired: bool,
    MobileEnabled: bool,
  }),
);

const failure = named(
  'Failure',
  'An error for one item of a call that continued: its stable name and its text.',
  {
    code: text,
    message: text,
  },
);

export const valueRecords = listOf(
  Type.Union(
    [
      Type.Object({ VariableID: int, Value: value, VariableUpdated: time, VariableChanged: time }),
      Type.Object({ VariableID: int, Error: failure }),
    ],
    { $id: 'ValueRecord', description: 'The value of one of several variables, or an error.' },
  ),
);

/** Unix seconds with milliseconds; 0 means never or unknown. */
const exactTime = Type.Number({ minimum: 0 });

export const qualityRecords = listOf(
  Type.Union(
    [
      Type.Object({
        VariableID: int,
        Quality: Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(2)]),
        Reason: text,
        Text: text,
        SourceTime: exactTime,
        ReceiveTime: exactTime,
        ClockTrusted: bool,
      }),
      Type.Object({ VariableID: int, Error: failure }),
    ],
    {
      $id: 'QualityRecord',
      description: 'Whether the value of one variable is good (0), stale (1) or bad (2).',
    },
  ),
);

export const outcomes = listOf(
  named('Outcome', 'The outcome of one of several actions.', {
    VariableID: int,
    Success: bool,
    Error: Type.Optional(failure),
  }),
);

/** Lists of `[VariableID, Value]`. */
export const actions = listOf(Type.Tuple([int, value]));
export const settings = listOf(Type.Tuple([int, valueOrNull]));

const checkState = Type.Union([Type.Literal('ok'), Type.Literal('warning'), Type.Literal('failed')]);
const findingTexts = { Text: text, WhatToDo: text, CodedText: codedText, CodedWhatToDo: codedText };

export const health = named(
  'Health',
  'The health of the gateway: the most severe state of all checks, and each check.',
  {
    State: checkState,
    Checks: listOf(Type.Object({ Name: text, State: checkState, Since: time, ...findingTexts })),
  },
);

export const doctor = listOf(
  named(
    'DoctorCheck',
    'A check of the machine or the gateway, and what to do if it is not ok. Chips: those that GW_EnableChip could declare.',
    { Name: text, State: checkState, ...findingTexts, Chips: listOf(text) },
  ),
);

/** Lines of the audit, as they are stored. */
export const auditLines = Type.Array(Type.String());

export const audit = listOf(
  named('AuditEntry', 'An audit record: who switched or changed what, and from where.', {
    TimeStamp: time,
    Role: Type.Union(auditRoles.map((role) => Type.Literal(role))),
    User: text,
    Remote: text,
    Device: Type.Optional(text),
    Method: text,
    Parameters: listOf(anything),
    Success: bool,
    Error: Type.Optional(text),
    Count: Type.Optional(int),
  }),
);

export const found = listOf(
  named('Found', 'Hardware of this machine, who uses it, and which instances can be created for it.', {
    ID: text,
    Kind: Type.Union(
      (['chip', 'line', 'port', 'pwm', 'led', 'onewire', 'sensor', 'mqtt', 'modbus'] as const).map((kind) =>
        Type.Literal(kind),
      ),
    ),
    Name: text,
    About: text,
    UsedBy: text,
    InstanceID: int,
    Create: listOf(Type.Object({ ModuleID: text, ModuleName: text, Properties: record })),
  }),
);

/** Objects that the configuration no longer contains, and why one is not deleted. */
export const orphans = listOf(
  named(
    'OrphanRecord',
    'An object that was removed from gateway.yaml. Problem says why it is not deleted, or is empty.',
    {
      ObjectID: int,
      Path: text,
      Type: text,
      Problem: text,
    },
  ),
);

export const reload = named(
  'ReloadReport',
  'What a reload applied, what needs a restart, and what is wrong.',
  { Applied: texts, NeedsRestart: texts, Problems: texts, CodedProblems: listOf(codedText) },
);
