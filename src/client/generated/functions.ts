/* oxlint-disable max-lines -- a function a line, made by a program */
// Made from the command reference by test/tools/generate/reference-files.ts; a test compares the two.

import type {
  AggregatedValue,
  AggregationVariable,
  ArchiveRecords,
  AuditEntry,
  ChangeRecord,
  ChartDataset,
  Compaction,
  Configurator,
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
  LoggedValue,
  MediaRecord,
  ModuleRecord,
  ObjectRecord,
  OptionRecord,
  OrphanRecord,
  Outcome,
  ProfileRecord,
  PushDevice,
  QualityRecord,
  Reference,
  ReloadReport,
  ScriptRecord,
  ScriptThread,
  Snapshot,
  Value,
  ValueRecord,
  VariableRecord,
} from './records.js';

/** The functions that can be called, as TypeScript sees them. Others: `new Client<AnyFunction>(address)`. */
export interface Functions {
  /** Adds records to a logged variable, of any time up to now; one of the same time as another takes its place. */
  AC_AddLoggedValues(
    InstanceID: number,
    VariableID: number,
    Values: readonly {
      TimeStamp: number;
      Value: Value;
      ClockTrusted?: boolean;
    }[],
  ): boolean;
  /** Makes the records of a variable, which may be gone, those of another one. */
  AC_ChangeVariableID(InstanceID: number, OldVariableID: number, NewVariableID: number): boolean;
  /** Deletes the records of a variable between two times and gives how many; with 0 and 0 all, and it is logged no more. */
  AC_DeleteVariableData(InstanceID: number, VariableID: number, StartTime: number, EndTime: number): number;
  /** What a chart shows of a variable, or of a media object that is a chart, from a time on (0: now). */
  AC_FetchChartData(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
  ): ChartDataset[];
  /** As AC_FetchChartData, with whether each dataset is shown. */
  AC_FetchChartDataEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    Visibility: readonly boolean[],
  ): ChartDataset[];
  /** What the records of a variable come to in pieces of time that lie wholly between two times, newest first. */
  AC_GetAggregatedValues(
    InstanceID: number,
    VariableID: number,
    AggregationSpan: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): AggregatedValue[];
  /** How a variable is aggregated: 0 as a gauge, 1 as a counter. */
  AC_GetAggregationType(InstanceID: number, VariableID: number): number;
  /** The variables that have records or are logged, also those that are gone; on request with what is stored. */
  AC_GetAggregationVariables(InstanceID: number, CalculateStatistics: boolean): AggregationVariable[];
  /** From which ages on the records of a variable are thinned, and to what. */
  AC_GetCompaction(InstanceID: number, VariableID: number): Compaction[];
  /** Whether zeros of a counter are passed over. */
  AC_GetCounterIgnoreZeros(InstanceID: number, VariableID: number): boolean;
  /** Whether a variable is shown in charts. */
  AC_GetGraphStatus(InstanceID: number, VariableID: number): boolean;
  /** Records of a variable between two times, newest first, at most 10,000; 0 is the beginning, and now. */
  AC_GetLoggedValues(
    InstanceID: number,
    VariableID: number,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): LoggedValue[];
  /** Whether the values of a variable are recorded. */
  AC_GetLoggingStatus(InstanceID: number, VariableID: number): boolean;
  /** Reads all records of a variable and makes anew what its aggregations are made of. */
  AC_ReAggregateVariable(InstanceID: number, VariableID: number): boolean;
  /** A chart of a variable, or of a media object that is a chart, as SVG of so many pixels. */
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
  /** As AC_RenderChart, with whether each dataset is shown. */
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
  /** Has a variable be aggregated as a gauge (0: average over time) or as a counter (1: what it rises by). */
  AC_SetAggregationType(InstanceID: number, VariableID: number, AggregationType: 0 | 1): boolean;
  /** Has records of a variable that are older than so many months be thinned to one a piece of time, or deleted; 0 ends that. */
  AC_SetCompaction(
    InstanceID: number,
    VariableID: number,
    MonthOffset: number,
    CompactionType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8,
  ): boolean;
  /** Passes over zeros of a counter when it is aggregated: some devices report 0 while they start. */
  AC_SetCounterIgnoreZeros(InstanceID: number, VariableID: number, IgnoreZeros: boolean): boolean;
  /** Shows a variable in charts, or not. */
  AC_SetGraphStatus(InstanceID: number, VariableID: number, Active: boolean): boolean;
  /** Records the values of a variable from now on, or no more; what is recorded stays. */
  AC_SetLoggingStatus(InstanceID: number, VariableID: number, Active: boolean): boolean;
  /** Sends a text over a client socket, one character a byte (Latin-1). */
  CSCK_SendText(InstanceID: number, Text: string): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  CSCK_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Makes an instance of what was found, below an object, and gives its ID. Module: the first that GW_GetFound names, unless said. */
  GW_CreateFrom(InstanceID: number, ID: string, ParentID: number, Module?: string, Name?: string): number;
  /** Who switched or changed what, from where and when, newest first; 100 entries by default, 10,000 at most. Role: only those of owner, inside (scripts, events, devices) or webfront, each of which has its own 10,000. */
  GW_GetAudit(Limit?: number, Role?: string): AuditEntry[];
  /** What the last search of an instance has found, who uses it, and what it can be turned into. */
  GW_GetFound(InstanceID: number): Found[];
  /** How the gateway is: named checks, each with its state, since when, and what to do. */
  GW_GetHealth(): Health;
  /** The board's header and all GPIO lines: their names, their users, and the values of the gateway's own lines. */
  GW_GetLines(): Lines;
  /** The mobile devices that are registered with a web front; their tokens are not shown. */
  GW_GetPushDevices(InstanceID: number): PushDevice[];
  /** Whether values are good (0), stale (1) or bad (2), why, when they were so and when they came; []: all that are not good. */
  GW_GetQuality(VariableIDs: readonly number[]): QualityRecord[];
  /** Records of a variable to the millisecond, oldest first, at most 10,000, and whether there are more; 0 is the beginning, and the end. */
  GW_GetRecords(VariableID: number, StartTime: number, EndTime: number, Limit: number): ArchiveRecords;
  /** Values and times of many variables, in the order asked for; one that fails has an Error instead. */
  GW_GetValues(VariableIDs: readonly number[]): ValueRecord[];
  /** The version of the gateway, as `stellwerk --version` prints it. */
  GW_GetVersion(): string;
  /** The objects that were removed from gateway.yaml and still exist; with Remove they are deleted. */
  GW_Prune(Remove: boolean): OrphanRecord[];
  /** Publishes a message through an MQTT client. */
  GW_Publish(InstanceID: number, Topic: string, Payload: string, QoS: 0 | 1 | 2, Retain: boolean): boolean;
  /** Reads the configuration again, applies what can change now, and says what needs a restart. */
  GW_ReloadConfiguration(): ReloadReport;
  /** Forgets a mobile device of a web front; false when it was not registered. */
  GW_RemovePushDevice(InstanceID: number, DeviceID: string): boolean;
  /** RequestAction for many variables at the same time, given as [[VariableID, Value], …]; each has its own outcome. */
  GW_RequestActions(Actions: readonly (readonly [number, Value])[]): Outcome[];
  /** Sets many variables at once, given as [[VariableID, Value], …]: all of them, or none when one fails. */
  GW_SetValues(Values: readonly (readonly [number, Value | null])[]): boolean;
  /** As GW_SimulateLine, with a contact that first bounces the given number of times within WithinMs, at moments that are the same for the same Seed. */
  GW_SimulateBounce(Line: string, Active: boolean, Bounces: number, WithinMs: number, Seed: number): boolean;
  /** Unplugs a chip of the simulated board, or plugs it in again. Until then its lines are lost to their instances. */
  GW_SimulateChipGone(Chip: string, Gone: boolean): boolean;
  /** Toggles a line of the simulated board PerSecond times a second for ForMs; it ends at its first level. GW_SimulateLine ends it sooner. */
  GW_SimulateFlood(Line: string, PerSecond: number, ForMs: number): boolean;
  /** Pulls a LED of the simulated board out, or plugs it in again. */
  GW_SimulateLedGone(Led: string, Gone: boolean): boolean;
  /** Drives a line of the simulated board from outside, as a button does. Active is the value that an instance on that line gets. */
  GW_SimulateLine(Line: string, Active: boolean): boolean;
  /** Removes a 1-Wire device of the simulated board from its bus, or puts it back. */
  GW_SimulateOneWireGone(Address: string, Gone: boolean): boolean;
  /** Pulls a PWM chip of the simulated board out, or plugs it in again. */
  GW_SimulatePwmGone(Chip: string, Gone: boolean): boolean;
  /** Makes every write to an output line of the simulated board fail, as if the kernel rejected it, or lets writes succeed again. The line keeps its level. */
  GW_SimulateRefusal(Line: string, Refuse: boolean): boolean;
  /** Makes a line of the simulated board stick at its present level, whatever drives it, or releases it. */
  GW_SimulateStuck(Line: string, Stuck: boolean): boolean;
  /** Narrows the changes on this socket to some objects with all below them, and to some messages; []: all. */
  GW_Subscribe(IDs: readonly number[], Messages?: readonly number[]): boolean;
  /** The value of a variable. */
  GetValue(VariableID: number): Value;
  /** The value of a variable of type boolean. */
  GetValueBoolean(VariableID: number): boolean;
  /** The value of a variable of type float. */
  GetValueFloat(VariableID: number): number;
  /** The value of a variable as its profile shows it. */
  GetValueFormatted(VariableID: number): string;
  /** A value as the profile of a variable shows it. */
  GetValueFormattedEx(VariableID: number, Value: Value): string;
  /** The value of a variable of type integer. */
  GetValueInteger(VariableID: number): number;
  /** The value of a variable of type string. */
  GetValueString(VariableID: number): string;
  /** A device's module and variables, as JSON: ident, name, type, profile, and whether it takes RequestAction. */
  HW_GetDeviceDescription(InstanceID: number): string;
  /** What is known of the devices behind an instance. */
  HW_GetKnownDevices(InstanceID: number): Record<string, unknown>[];
  /** A device's properties, as JSON: of each its type, its default and what it may be. */
  HW_GetParamsetDescription(InstanceID: number): string;
  /** A gateway has nothing to do for it: there is no central unit to load devices from: use SVC_StartSearch, GW_GetFound and GW_CreateFrom. */
  HW_LoadDevices(InstanceID: number, Protocol: 0 | 1 | 2 | 3): boolean;
  /** What is wrong with an instance and with those connected to it; empty when nothing is. */
  HW_ReadServiceMessages(InstanceID: number): {
    InstanceID: number;
    Code: string;
    Text: string;
  }[];
  /** Asks a device for the present value of one of its variables. */
  HW_RequestStatus(InstanceID: number, Parameter: string): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  HW_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Has a device carry out a value for one of its variables of type boolean. */
  HW_WriteValueBoolean(InstanceID: number, Parameter: string, Value: boolean): boolean;
  /** Has a device carry out a value for one of its variables of type float. */
  HW_WriteValueFloat(InstanceID: number, Parameter: string, Value: number): boolean;
  /** Has a device carry out a value for one of its variables of type integer. */
  HW_WriteValueInteger(InstanceID: number, Parameter: string, Value: number): boolean;
  /** Has a device carry out a value for one of its variables of type string. */
  HW_WriteValueString(InstanceID: number, Parameter: string, Value: string): boolean;
  /** Whether a variable takes RequestAction. */
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
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  MQTT_UIChangeSendTopic(InstanceID: number, Active: boolean): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  MQTT_UIChangeType(InstanceID: number, Type: number): boolean;
  /** Reads the value of a ModBus Address now; returns when it has been read. */
  ModBus_RequestRead(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIChangeMode(InstanceID: number, Mode: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIExportTemplate(InstanceID: number): string;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIForm(
    InstanceID: number,
    DataType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14,
    Factor: number,
  ): string;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIFormVirtual(InstanceID: number, VariableType: 0 | 1 | 2 | 3): string;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIImportTemplate(InstanceID: number, ImportData: string): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIUpdate(
    InstanceID: number,
    DataType: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14,
    ReadFunctionCode: number,
    WriteFunctionCode: number,
    Factor: number,
  ): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  ModBus_UIUpdateVirtual(InstanceID: number, VariableType: 0 | 1 | 2 | 3): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
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
  /** Has the device or the script behind a variable carry out a value within the range of its profile. */
  RequestAction(VariableID: number, Value: Value): boolean;
  /** As RequestAction; a script finds the given word in SENDER. */
  RequestActionEx(VariableID: number, Value: Value, Sender: string): boolean;
  /** Sends a text over a serial port; each character is one byte (Latin-1). */
  SPRT_SendText(InstanceID: number, Text: string): boolean;
  /** Holds the transmit line of a serial port in the break condition. */
  SPRT_SetBreak(InstanceID: number, OnOff: boolean): boolean;
  /** Sets the Data Terminal Ready line of a serial port. */
  SPRT_SetDTR(InstanceID: number, OnOff: boolean): boolean;
  /** Sets the Request To Send line of a serial port. */
  SPRT_SetRTS(InstanceID: number, OnOff: boolean): boolean;
  /** Sends a text to one client of a server socket, one character a byte (Latin-1). */
  SSCK_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text to all clients of a server socket, one character a byte (Latin-1). */
  SSCK_SendText(InstanceID: number, Text: string): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  SSCK_UpdateFormUseSSL(InstanceID: number, UseSSL: boolean): boolean;
  /** Stops a script, however often it runs; false when it does not run. */
  SVC_AbortScript(ScriptID: number): boolean;
  /** Whether there is an action with this ID. */
  SVC_ActionExists(ActionID: string): boolean;
  /** Makes the properties that were set the active ones and opens the instance with them. */
  SVC_ApplyChanges(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  SVC_CandidateMediaStream(SessionID: string, ICE: string): boolean;
  /** Whether there is a category with this ID. */
  SVC_CategoryExists(CategoryID: number): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  SVC_ConfigureMediaStream(SessionID: string, SessionDescription: string): boolean;
  /** Connects a device to the I/O instance that it works over. */
  SVC_ConnectInstance(InstanceID: number, ParentID: number): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  SVC_ConnectMediaStream(MediaID: number): unknown[];
  /** Creates a category below the root and gives its ID. */
  SVC_CreateCategory(): number;
  /** Creates an event below the root, inactive, and gives its ID. */
  SVC_CreateEvent(EventType: 0 | 1 | 2): number;
  /** Creates an instance of a module below the root, with default properties, and gives its ID. */
  SVC_CreateInstance(ModuleID: string): number;
  /** Creates a link below the root and gives its ID. */
  SVC_CreateLink(): number;
  /** Creates a media object without a file below the root and gives its ID. */
  SVC_CreateMedia(MediaType: 0 | 1 | 2 | 3 | 4 | 5): number;
  /** Creates an empty script below the root and gives its ID; type 0 (JavaScript) is the only one. */
  SVC_CreateScript(ScriptType: 0 | 1 | 2): number;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  SVC_CreateTemporaryMediaStreamToken(MediaID: number, ValidForSeconds: number): string;
  /** A password for the user name token that opens what the owner's does, for so many seconds; a day at most. */
  SVC_CreateTemporaryToken(ValidForSeconds: number): string;
  /** Creates a variable below the root and gives its ID. */
  SVC_CreateVariable(VariableType: 0 | 1 | 2 | 3): number;
  /** Creates a profile with nothing set. */
  SVC_CreateVariableProfile(ProfileName: string, ProfileType: 0 | 1 | 2 | 3): boolean;
  /** Deletes a category with nothing below it. */
  SVC_DeleteCategory(CategoryID: number): boolean;
  /** Deletes an event; a run of it that has begun goes on. */
  SVC_DeleteEvent(EventID: number): boolean;
  /** Closes and deletes an instance with the variables of its module; fails if there is anything else below it. */
  SVC_DeleteInstance(InstanceID: number): boolean;
  /** Deletes a link; what it points to stays. */
  SVC_DeleteLink(LinkID: number): boolean;
  /** Deletes a media object with nothing below it, and with DeleteFile its file unless another has it. */
  SVC_DeleteMedia(MediaID: number, DeleteFile: boolean): boolean;
  /** Deletes a script with nothing below it, and with DeleteFile its text unless another script has the file. */
  SVC_DeleteScript(ScriptID: number, DeleteFile: boolean): boolean;
  /** Deletes a variable with nothing below it. */
  SVC_DeleteVariable(VariableID: number): boolean;
  /** Deletes a profile. Variables that users gave it show "Invalid profile"; those of instances go on without, and the instance reports it. */
  SVC_DeleteVariableProfile(ProfileName: string): boolean;
  /** Ends what SVC_EnableDebug began; fine when it is over. */
  SVC_DisableDebug(ID: number): boolean;
  /** Ends what SVC_EnableDebugFile began; the file stays. */
  SVC_DisableDebugFile(ID: number): boolean;
  /** Takes a device off the I/O instance that it works over. */
  SVC_DisconnectInstance(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  SVC_DisconnectMediaStream(SessionID: string): boolean;
  /** Tells what an instance sends and receives as message 10206, for so many seconds; a day at most. */
  SVC_EnableDebug(ID: number, Duration: number): boolean;
  /** Writes what an instance sends and receives to debug/<ID>.log in the data directory, until told to stop. */
  SVC_EnableDebugFile(ID: number): boolean;
  /** Whether there is an event with this ID. */
  SVC_EventExists(EventID: number): boolean;
  /** Runs a program without a shell and gives what it printed, within 30 s and 1 MiB; without WaitResult it is only started. */
  SVC_Execute(Filename: string, Parameter: string, ShowWindow: boolean, WaitResult: boolean): string;
  /** As SVC_Execute; there are no sessions to choose from. */
  SVC_ExecuteEx(
    Filename: string,
    Parameter: string,
    ShowWindow: boolean,
    WaitResult: boolean,
    SessionID: number,
  ): string;
  /** As SVC_GetObjectIDByIdent, but 0 when there is none. */
  SVC_FindObjectIDByIdent(Ident: string, ParentID: number): number;
  /** As SVC_GetObjectIDByName, but 0 when there is none. */
  SVC_FindObjectIDByName(Name: string, ParentID: number): number;
  /** Whether there is a function with this name. */
  SVC_FunctionExists(FunctionName: string): boolean;
  /** The fields of an action, as a JSON text, with the values given so far; null where there is none yet. */
  SVC_GetActionForm(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** What a script would say for an action. */
  SVC_GetActionReadableCode(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** All actions with their parameters, as a JSON text. */
  SVC_GetActions(): string;
  /** The actions of an environment for an object (0: for none), as a JSON text; all there are belong to Default. */
  SVC_GetActionsByEnvironment(TargetID: number, Environment: string, IncludeDefault: boolean): string;
  /** How many clients come through a proxy of the vendor: none, there is no such proxy. */
  SVC_GetActiveProxyConnections(): number;
  /** How many WebRTC streams are open: none. */
  SVC_GetActiveWebRTCConnections(): number;
  /** How many HTTP connections are open. */
  SVC_GetActiveWebServerConnections(): number;
  /** How many clients are connected by WebSockets. */
  SVC_GetActiveWebSocketConnections(): number;
  /** Updates that the gateway found: none, it looks for none. */
  SVC_GetAvailableUpdates(): unknown[];
  /** What is known of a category: nothing beyond what SVC_GetObject shows. */
  SVC_GetCategory(CategoryID: number): Record<string, never>;
  /** The ID of the oldest category with this name directly below an object. */
  SVC_GetCategoryIDByName(Name: string, ParentID: number): number;
  /** The IDs of all categories. */
  SVC_GetCategoryList(): number[];
  /** The IDs of the objects directly below an object, in their order. */
  SVC_GetChildrenIDs(ID: number): number[];
  /** The IDs of the instances that an instance could be connected to. */
  SVC_GetCompatibleInstances(InstanceID: number): number[];
  /** The GUIDs of the modules whose instances an instance of this one could be connected to. */
  SVC_GetCompatibleModules(ModuleID: string): string[];
  /** All active properties of an instance, as JSON. */
  SVC_GetConfiguration(InstanceID: number): string;
  /** What an instance demands of the properties of its I/O instance, as JSON: no module demands anything. */
  SVC_GetConfigurationForParent(InstanceID: number): string;
  /** The form that an instance can be configured by, as JSON: its elements, and what its statuses mean. */
  SVC_GetConfigurationForm(InstanceID: number): string;
  /** The configurations of the instances that are connected to the given ones. */
  SVC_GetConfigurationsFromChildren(Parameter: readonly number[]): {
    InstanceID: number;
    ConnectionID: number;
    Configuration: string;
  }[];
  /** The clients on WebSockets, and how many bytes each has yet to take. */
  SVC_GetConnectionList(): {
    ConnectionType: string;
    Remote: string;
    QueueBytes: number;
  }[];
  /** When the trial ends; 0: never. */
  SVC_GetDemoExpiration(): number;
  /** When an event runs, on what conditions, and what. */
  SVC_GetEvent(EventID: number): EventRecord;
  /** The ID of the oldest event with this name directly below an object. */
  SVC_GetEventIDByName(Name: string, ParentID: number): number;
  /** The IDs of all events. */
  SVC_GetEventList(): number[];
  /** The IDs of all events of one type. */
  SVC_GetEventListByType(EventType: 0 | 1 | 2): number[];
  /** A gateway has nothing to do for it: its scripts are JavaScript: there are no flow scripts, workflows or short tags. */
  SVC_GetFlowScriptStatistic(ScriptID: number): unknown[];
  /** Parameters and result of a function. */
  SVC_GetFunction(FunctionName: string): FunctionRecord;
  /** The names of an instance's functions; of all, for 0. */
  SVC_GetFunctionList(InstanceID: number): string[];
  /** The names of a module's functions. */
  SVC_GetFunctionListByModuleID(ModuleID: string): string[];
  /** Parameters and results of some instances' functions; of all functions, for an empty list. */
  SVC_GetFunctions(InstanceIDs: readonly number[]): FunctionRecord[];
  /** As SVC_GetFunctions, by name. */
  SVC_GetFunctionsMap(InstanceIDs: readonly number[]): Record<string, FunctionRecord>;
  /** The icon of each of some objects, or of all: its own, else that of its profile or of its value there. */
  SVC_GetIcons(Parameter: readonly number[]): {
    ObjectID: number;
    Icon: string;
  }[];
  /** Module, connection and status of an instance. */
  SVC_GetInstance(InstanceID: number): InstanceRecord;
  /** How long each instance took to do what it was asked (Tx), and what it told took to be in the tree with all that follows at once (Rx), in ms: the last time, and at most. */
  SVC_GetInstanceDataFlowStatistics(): {
    InstanceID: number;
    TxDuration: number;
    TxMaxDuration: number;
    RxDuration: number;
    RxMaxDuration: number;
  }[];
  /** The ID of the oldest instance with this name directly below an object. */
  SVC_GetInstanceIDByName(Name: string, ParentID: number): number;
  /** The IDs of all instances. */
  SVC_GetInstanceList(): number[];
  /** The IDs of the instances of a module; none where there is no such module. */
  SVC_GetInstanceListByModuleID(ModuleID: string): number[];
  /** The IDs of the instances of all modules of a type. */
  SVC_GetInstanceListByModuleType(ModuleType: 0 | 1 | 2 | 3 | 4 | 5 | 6): number[];
  /** How many messages wait for instances: none, instances are not told by messages. */
  SVC_GetInstanceMessageQueueSize(): number;
  /** How long the last message of each instance took to be told to all, and at most, in ms; with option MessageQueueWatch. */
  SVC_GetInstanceMessageStatistics(): {
    InstanceID: number;
    Duration: number;
    MaxDuration: number;
  }[];
  /** The kind of processor. */
  SVC_GetKernelArchitecture(): string;
  /** When it was built, in unix seconds. */
  SVC_GetKernelDate(): number;
  /** The data directory, ending in "/". */
  SVC_GetKernelDir(): string;
  /** The directory of the program, ending in "/". */
  SVC_GetKernelDirEx(): string;
  /** Size and free space of the disk that the data directory is on, and what the directory takes, in bytes. */
  SVC_GetKernelDirSpace(): {
    Total: number;
    Free: number;
    Used: number;
  };
  /** The operating system. */
  SVC_GetKernelPlatform(): string;
  /** Which build it is. */
  SVC_GetKernelRevision(): string;
  /** How far it is: 10101 create, 10102 init, 10103 ready, 10104 uninit, 10105 shutdown. */
  SVC_GetKernelRunlevel(): number;
  /** When it was started, in unix seconds. */
  SVC_GetKernelStartTime(): number;
  /** The version of the interface, as "<major>.<minor>"; that of the gateway is GW_GetVersion. */
  SVC_GetKernelVersion(): string;
  /** What is known of some libraries; of all, for an empty list. */
  SVC_GetLibraries(LibraryIDs: readonly string[]): LibraryRecord[];
  /** What is known of a library. */
  SVC_GetLibrary(LibraryID: string): LibraryRecord;
  /** The GUIDs of all libraries. */
  SVC_GetLibraryList(): string[];
  /** The GUIDs of the modules of a library. */
  SVC_GetLibraryModules(LibraryID: string): string[];
  /** Who holds the licence: nobody, none is needed. */
  SVC_GetLicensee(): string;
  /** Days of trial that are left; 0: this is no trial. */
  SVC_GetLimitDemo(): number;
  /** Functions that the licence keeps back: none. */
  SVC_GetLimitFeatures(): unknown[];
  /** The server that the licence is bound to: none. */
  SVC_GetLimitServer(): string;
  /** How many variables there can be: as many as there are object IDs. */
  SVC_GetLimitVariables(): number;
  /** How many web fronts there may be; 0: no limit. */
  SVC_GetLimitWebFront(): number;
  /** Where a link points to. */
  SVC_GetLink(LinkID: number): LinkRecord;
  /** The ID of the oldest link with this name directly below an object. */
  SVC_GetLinkIDByName(Name: string, ParentID: number): number;
  /** The IDs of all links. */
  SVC_GetLinkList(): number[];
  /** The version that the gateway could update itself to: none. */
  SVC_GetLiveUpdateVersion(): string;
  /** Where an object stands: the names from below the root, joined by a backslash. */
  SVC_GetLocation(ID: number): string;
  /** The directory of the log, ending in "/". */
  SVC_GetLogDir(): string;
  /** Type, file, checksum, size and last change of a media object, and whether its file is there. */
  SVC_GetMedia(MediaID: number): MediaRecord;
  /** The content of a media object in Base64. */
  SVC_GetMediaContent(MediaID: number): string;
  /** The ID of the oldest media object with this file, or this URL of a stream. */
  SVC_GetMediaIDByFile(FilePath: string): number;
  /** The ID of the oldest media object with this name directly below an object. */
  SVC_GetMediaIDByName(Name: string, ParentID: number): number;
  /** The IDs of all media objects. */
  SVC_GetMediaList(): number[];
  /** The IDs of all media objects of a type. */
  SVC_GetMediaListByType(MediaType: 0 | 1 | 2 | 3 | 4 | 5): number[];
  /** What is known of a module. */
  SVC_GetModule(ModuleID: string): ModuleRecord;
  /** The GUIDs of all modules. */
  SVC_GetModuleList(): string[];
  /** The GUIDs of the modules of a type. */
  SVC_GetModuleListByType(ModuleType: 0 | 1 | 2 | 3 | 4 | 5 | 6): string[];
  /** What is known of some modules; of all, for an empty list. */
  SVC_GetModules(ModuleIDs: readonly string[]): ModuleRecord[];
  /** The name of an object. */
  SVC_GetName(ID: number): string;
  /** What is known of an object of any type. */
  SVC_GetObject(ID: number): ObjectRecord;
  /** The ID of the object with this ident directly below another; fails when there is none. */
  SVC_GetObjectIDByIdent(Ident: string, ParentID: number): number;
  /** The ID of the oldest object with this name directly below another; fails when there is none. */
  SVC_GetObjectIDByName(Name: string, ParentID: number): number;
  /** The IDs of all objects. */
  SVC_GetObjectList(): number[];
  /** The value of an option. */
  SVC_GetOption(Option: string): number;
  /** The value, default, limits and meaning of an option. */
  SVC_GetOptionEx(Option: string): OptionRecord;
  /** The names of the options. */
  SVC_GetOptionList(): string[];
  /** The ID of the object above; 0 is the root. */
  SVC_GetParent(ID: number): number;
  /** An active property of an instance. */
  SVC_GetProperty(InstanceID: number, Name: string): unknown;
  /** The IDs of the objects that an instance works with besides its own. */
  SVC_GetReferenceList(InstanceID: number): number[];
  /** A gateway has nothing to do for it: no second gateway mirrors it: keep its backups elsewhere (stellwerk backup, stellwerk restore). */
  SVC_GetReplicationConfiguration(): string;
  /** When a second gateway was last in step; 0: never. */
  SVC_GetReplicationSyncTime(): number;
  /** Type, file and last run of a script, whether it is broken, and where and why. */
  SVC_GetScript(ScriptID: number): ScriptRecord;
  /** The text of a script. */
  SVC_GetScriptContent(ScriptID: number): string;
  /** The IDs of the events directly below a script. */
  SVC_GetScriptEventList(ScriptID: number): number[];
  /** The name of the file in which the text of a script stands. */
  SVC_GetScriptFile(ScriptID: number): string;
  /** The ID of the script with this file. */
  SVC_GetScriptIDByFile(FilePath: string): number;
  /** The ID of the oldest script with this name directly below an object. */
  SVC_GetScriptIDByName(Name: string, ParentID: number): number;
  /** The IDs of all scripts. */
  SVC_GetScriptList(): number[];
  /** What a script thread runs, and what its runs so far took. */
  SVC_GetScriptThread(ThreadID: number): ScriptThread;
  /** The IDs of all script threads: as many as scripts may run at the same time, and more where scripts ran scripts. */
  SVC_GetScriptThreadList(): number[];
  /** As SVC_GetScriptThread, of some threads; of all, for an empty list. */
  SVC_GetScriptThreads(ThreadIDs: readonly number[]): ScriptThread[];
  /** Every how many seconds the timer of a script runs it; 0: it has none. */
  SVC_GetScriptTimer(ScriptID: number): number;
  /** A gateway has nothing to do for it: its access is not set by calls: passwords stand in gateway.yaml (remoteAccess, configurators). */
  SVC_GetSecurityMode(): number;
  /** The whole tree with all values, as it is at this moment. */
  SVC_GetSnapshot(): Snapshot;
  /** All changes after a counter; with 0 only the present counter. Fails when some are no longer kept. */
  SVC_GetSnapshotChanges(LastTimestamp: number): ChangeRecord[];
  /** When the subscription ends; 0: never. */
  SVC_GetSubscriptionExpiration(): number;
  /** The language of the system, as "en_US". */
  SVC_GetSystemLanguage(): string;
  /** When an event is set off by the clock; times are unix seconds, 0 is never. */
  SVC_GetTimer(TimerID: number): {
    TimerID: number;
    ParentID: number;
    Name: string;
    Interval: number;
    LastRun: number;
    NextRun: number;
  };
  /** The IDs of the events that the clock sets off. */
  SVC_GetTimerList(): number[];
  /** As SVC_GetTimer, of some events or of all. */
  SVC_GetTimers(TimerIDs: readonly number[]): {
    TimerID: number;
    ParentID: number;
    Name: string;
    Interval: number;
    LastRun: number;
    NextRun: number;
  }[];
  /** Where the gateway gets its updates from: nowhere by itself. */
  SVC_GetUpdateChannel(): string;
  /** Type, profiles, actions and times of a variable. */
  SVC_GetVariable(VariableID: number): VariableRecord;
  /** The IDs of the events that a variable triggers. */
  SVC_GetVariableEventList(VariableID: number): number[];
  /** The ID of the oldest variable with this name directly below an object. */
  SVC_GetVariableIDByName(Name: string, ParentID: number): number;
  /** The IDs of all variables. */
  SVC_GetVariableList(): number[];
  /** What is known of a profile. */
  SVC_GetVariableProfile(ProfileName: string): ProfileRecord;
  /** The names of all profiles. */
  SVC_GetVariableProfileList(): string[];
  /** The names of the profiles for one type of variable. */
  SVC_GetVariableProfileListByType(ProfileType: 0 | 1 | 2 | 3): string[];
  /** Whether properties were set and not yet applied. */
  SVC_HasChanges(InstanceID: number): boolean;
  /** Whether there are objects below an object. */
  SVC_HasChildren(ID: number): boolean;
  /** Whether there is an instance with this ID. */
  SVC_InstanceExists(InstanceID: number): boolean;
  /** Whether an object stands directly, or with Recursive anywhere, below another. */
  SVC_IsChild(ID: number, ParentID: number, Recursive: boolean): boolean;
  /** Whether conditions, given as a JSON text, hold at this moment; an empty list does. */
  SVC_IsConditionPassing(Conditions: string): boolean;
  /** Whether an instance could be connected to another. */
  SVC_IsInstanceCompatible(InstanceID: number, ParentInstanceID: number): boolean;
  /** Whether another licence waits for a restart: never. */
  SVC_IsLicenseChangePending(): boolean;
  /** Whether an instance of a module could be connected to one of another. */
  SVC_IsModuleCompatible(ModuleID: string, ParentModuleID: string): boolean;
  /** Whether a second gateway mirrors this one: never. */
  SVC_IsReplicationActive(): boolean;
  /** Whether this gateway is mirrored by another: never. */
  SVC_IsReplicationMaster(): boolean;
  /** Whether this gateway mirrors another: never. */
  SVC_IsReplicationOnStandBy(): boolean;
  /** Whether an instance is looking for hardware now; never one that does not search at all. */
  SVC_IsSearching(InstanceID: number): boolean;
  /** Whether there is a library with this GUID. */
  SVC_LibraryExists(LibraryID: string): boolean;
  /** Whether there is a link with this ID. */
  SVC_LinkExists(LinkID: number): boolean;
  /** Writes a line to the log, and sends it to those who follow the changes. */
  SVC_LogMessage(Sender: string, Message: string): boolean;
  /** A gateway has nothing to do for it: it does no harm to itself on demand: send the process a signal to try a crash. */
  SVC_MakeCrash(): boolean;
  /** A gateway has nothing to do for it: it does no harm to itself on demand: send the process a signal to try a crash. */
  SVC_MakeLeak(): boolean;
  /** Whether there is a media object with this ID. */
  SVC_MediaExists(MediaID: number): boolean;
  /** Whether there is a module with this GUID. */
  SVC_ModuleExists(ModuleID: string): boolean;
  /** Whether there is an object with this ID. */
  SVC_ObjectExists(ID: number): boolean;
  /** Has an instance carry out a value for one of its variables. */
  SVC_RequestAction(InstanceID: number, VariableIdent: string, Value: Value): boolean;
  /** Forgets properties that were set and not yet applied. */
  SVC_ResetChanges(InstanceID: number): boolean;
  /** Carries out an action and does not wait for it; how it fails goes to the log. */
  SVC_RunAction(ActionID: string, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Carries out an action and gives what it printed. */
  SVC_RunActionWait(ActionID: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** Starts a script and does not wait for it. */
  SVC_RunScript(ScriptID: number): boolean;
  /** Starts a script with parameters and does not wait for it. */
  SVC_RunScriptEx(ScriptID: number, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Starts a text as a script and does not wait for it. */
  SVC_RunScriptText(ScriptText: string): boolean;
  /** Starts a text as a script with parameters and does not wait for it. */
  SVC_RunScriptTextEx(ScriptText: string, Parameters: Readonly<Record<string, unknown>>): boolean;
  /** Runs a text as a script and gives what it printed. */
  SVC_RunScriptTextWait(ScriptText: string): string;
  /** Runs a text as a script with parameters and gives what it printed. */
  SVC_RunScriptTextWaitEx(ScriptText: string, Parameters: Readonly<Record<string, unknown>>): string;
  /** Runs a script and gives what it printed. */
  SVC_RunScriptWait(ScriptID: number): string;
  /** Runs a script with parameters and gives what it printed. */
  SVC_RunScriptWaitEx(ScriptID: number, Parameters: Readonly<Record<string, unknown>>): string;
  /** Whether there is a script with this ID. */
  SVC_ScriptExists(ScriptID: number): boolean;
  /** Whether there is a script thread with this ID. */
  SVC_ScriptThreadExists(ThreadID: number): boolean;
  /** In a script: waits so long at most until a semaphore is its own; whether it is. It is free when the script ends. */
  SVC_SemaphoreEnter(Name: string, Milliseconds: number): boolean;
  /** In a script: leaves a semaphore; whether it was its own. */
  SVC_SemaphoreLeave(Name: string): boolean;
  /** A debug message of an object, for those who follow it; binary data has one character a byte (Latin-1). */
  SVC_SendDebug(SenderID: number, Message: string, Data: string, Format: 0 | 1): boolean;
  /** Tells everybody that the content of a media object has changed; its file is looked at anew. */
  SVC_SendMediaEvent(MediaID: number): boolean;
  /** Sets all properties that a JSON object names, to be applied by SVC_ApplyChanges. */
  SVC_SetConfiguration(InstanceID: number, Configuration: string): boolean;
  /** Shows an object as not to be operated, or as operable again. */
  SVC_SetDisabled(ID: number, Disabled: boolean): boolean;
  /** Has an event carry out an action (SVC_GetActions), in place of a script; an empty ActionID: none. */
  SVC_SetEventAction(
    EventID: number,
    ActionID: string,
    ActionParameters: Readonly<Record<string, unknown>>,
  ): boolean;
  /** Has an event run, or no longer run. */
  SVC_SetEventActive(EventID: number, Active: boolean): boolean;
  /** Adds or changes a condition; its own ID as ParentID: it stands on top; -1 removes it with all below. */
  SVC_SetEventCondition(
    EventID: number,
    ConditionID: number,
    ParentID: number,
    Operation: 0 | 1 | 2 | 3,
  ): boolean;
  /** Adds or changes a rule that compares the date; year 0: of every year; all 0 removes it. */
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
  /** As SVC_SetEventConditionVariableRule. */
  SVC_SetEventConditionVariableStaticRule(
    EventID: number,
    ConditionID: number,
    RuleID: number,
    VariableID: number,
    Comparison: 0 | 1 | 2 | 3 | 4 | 5,
    Value: Value,
  ): boolean;
  /** On which days a cyclic event runs, and how often within each. */
  SVC_SetEventCyclic(
    EventID: number,
    DateType: 0 | 1 | 2 | 3 | 4 | 5,
    DateValue: number,
    DateDay: number,
    DateDayValue: number,
    TimeType: 0 | 1 | 2 | 3,
    TimeValue: number,
  ): boolean;
  /** The first day on which a cyclic event runs; all 0: no bound. */
  SVC_SetEventCyclicDateFrom(EventID: number, Day: number, Month: number, Year: number): boolean;
  /** The last day on which a cyclic event runs; all 0: no bound. */
  SVC_SetEventCyclicDateTo(EventID: number, Day: number, Month: number, Year: number): boolean;
  /** At what time a cyclic event runs, or runs first on a day. */
  SVC_SetEventCyclicTimeFrom(EventID: number, Hour: number, Minute: number, Second: number): boolean;
  /** Until when on a day a cyclic event runs; all 0: to its end. */
  SVC_SetEventCyclicTimeTo(EventID: number, Hour: number, Minute: number, Second: number): boolean;
  /** How often an event may still run, before it becomes inactive; 0: without end. */
  SVC_SetEventLimit(EventID: number, Count: number): boolean;
  /** Adds or changes an action of a schedule that runs a text as a script; an empty name removes it. */
  SVC_SetEventScheduleAction(
    EventID: number,
    ScheduleActionID: number,
    Name: string,
    Color: number,
    ScriptText: string,
  ): boolean;
  /** As SVC_SetEventScheduleAction, with an action of SVC_GetActions in place of a script. */
  SVC_SetEventScheduleActionEx(
    EventID: number,
    ScheduleActionID: number,
    Name: string,
    Color: number,
    ActionID: string,
    ActionParameters: Readonly<Record<string, unknown>>,
  ): boolean;
  /** Adds or changes a group of days (1 Monday … 64 Sunday, added up) of a schedule; 0 days remove it. */
  SVC_SetEventScheduleGroup(EventID: number, GroupID: number, Days: number): boolean;
  /** From which time on an action holds on the days of a group; an hour of -1 removes the point. */
  SVC_SetEventScheduleGroupPoint(
    EventID: number,
    GroupID: number,
    PointID: number,
    StartHour: number,
    StartMinute: number,
    StartSecond: number,
    ActionID: number,
  ): boolean;
  /** Has an event run a text as a script, in place of an action; empty: the script that it stands below. */
  SVC_SetEventScript(EventID: number, EventScript: string): boolean;
  /** Which variable sets an event off (0: none), and whether at any update, a change, a limit or a value. */
  SVC_SetEventTrigger(EventID: number, TriggerType: 0 | 1 | 2 | 3 | 4, TriggerVariableID: number): boolean;
  /** Whether an event runs at every update beyond its limit or with its value, or only at the first. */
  SVC_SetEventTriggerSubsequentExecution(EventID: number, AllowSubsequentExecutions: boolean): boolean;
  /** The limit or the value that sets an event off; set the variable first, whose type it takes. */
  SVC_SetEventTriggerValue(EventID: number, TriggerValue: Value): boolean;
  /** Hides an object from web fronts, or shows it again. */
  SVC_SetHidden(ID: number, Hidden: boolean): boolean;
  /** Sets the icon of an object. */
  SVC_SetIcon(ID: number, Icon: string): boolean;
  /** Gives an object an ident: letters, digits, underscore; unique among its siblings. */
  SVC_SetIdent(ID: number, Ident: string): boolean;
  /** Sets the notes on an object. */
  SVC_SetInfo(ID: number, Info: string): boolean;
  /** A gateway has nothing to do for it: the software is free and no licence is sold for it. */
  SVC_SetLicense(Licensee: string, LicenseContent: string): boolean;
  /** Points a link to an object; 0 is none. */
  SVC_SetLinkTargetID(LinkID: number, TargetID: number): boolean;
  /** Has the content of a media object held in memory once it was asked for, or no longer. */
  SVC_SetMediaCached(MediaID: number, Cached: boolean): boolean;
  /** Writes the content of a media object, given in Base64; without a file it gets one in the folder media. */
  SVC_SetMediaContent(MediaID: number, Content: string): boolean;
  /** Gives a media object a file in the folder media or user of the data directory, or a stream its URL. */
  SVC_SetMediaFile(MediaID: number, FilePath: string, FileMustExists: boolean): boolean;
  /** Names an object; an empty name restores the default one. */
  SVC_SetName(ID: number, Name: string): boolean;
  /** Sets an option; it counts at once. */
  SVC_SetOption(Option: string, Value: number): boolean;
  /** Moves an object with all that is below it. */
  SVC_SetParent(ID: number, ParentID: number): boolean;
  /** Sets the place of an object among its siblings. */
  SVC_SetPosition(ID: number, Position: number): boolean;
  /** Sets a property, to be applied by SVC_ApplyChanges. False for an unknown one and for an unchanged value. */
  SVC_SetProperty(InstanceID: number, Name: string, Value: unknown): boolean;
  /** A gateway has nothing to do for it: no second gateway mirrors it: keep its backups elsewhere (stellwerk backup, stellwerk restore). */
  SVC_SetReplicationConfiguration(Configuration: string): boolean;
  /** Replaces the text of a script; one that cannot be compiled is kept and marked as broken. */
  SVC_SetScriptContent(ScriptID: number, Content: string): boolean;
  /** Has the text of a script stand in another file of the scripts directory. */
  SVC_SetScriptFile(ScriptID: number, FilePath: string): boolean;
  /** Has a script run every so many seconds, by a cyclic event ScriptTimer below it; 0 deletes that. */
  SVC_SetScriptTimer(ScriptID: number, Interval: number): boolean;
  /** A gateway has nothing to do for it: its access is not set by calls: passwords stand in gateway.yaml (remoteAccess, configurators). */
  SVC_SetSecurity(Mode: number, Password: string): boolean;
  /** Gives a variable a script or an instance that carries out its actions; 0: its own, 1: none. */
  SVC_SetVariableCustomAction(VariableID: number, ScriptID: number): boolean;
  /** Gives a variable a profile that wins over its own; an empty name takes it away again. */
  SVC_SetVariableCustomProfile(VariableID: number, ProfileName: string): boolean;
  /** Names a value; with an empty name and an empty icon its entry is deleted. Colour −1 is none. */
  SVC_SetVariableProfileAssociation(
    ProfileName: string,
    AssociationValue: Value,
    AssociationName: string,
    AssociationIcon: string,
    AssociationColor: number,
  ): boolean;
  /** Sets how many decimals are shown. */
  SVC_SetVariableProfileDigits(ProfileName: string, Digits: number): boolean;
  /** Sets the icon of a profile. */
  SVC_SetVariableProfileIcon(ProfileName: string, Icon: string): boolean;
  /** Sets what stands before and after a value. */
  SVC_SetVariableProfileText(ProfileName: string, Prefix: string, Suffix: string): boolean;
  /** Sets the range and the step of values; all 0: no limits. */
  SVC_SetVariableProfileValues(
    ProfileName: string,
    MinValue: number,
    MaxValue: number,
    StepSize: number,
  ): boolean;
  /** Waits so long. */
  SVC_Sleep(Milliseconds: number): boolean;
  /** Has an instance look for hardware; false while it is looking. GW_GetFound tells what was found. */
  SVC_StartSearch(InstanceID: number): boolean;
  /** Ends the gateway as SIGTERM does; under systemd it is started again. */
  SVC_StopKernel(): boolean;
  /** Ends a search before it is through; false when none is going on. */
  SVC_StopSearch(InstanceID: number): boolean;
  /** Whether an instance looks for hardware: one of the module Hardware does. */
  SVC_SupportsSearching(InstanceID: number): boolean;
  /** Whether an event with this ID is set off by the clock. */
  SVC_TimerExists(TimerID: number): boolean;
  /** A text of a module in the language of the system: all texts are English, so it comes back as it is. */
  SVC_Translate(InstanceID: number, Text: string): string;
  /** Gives memory back to the machine that the gateway does not need; false where it cannot. */
  SVC_TrimKernel(): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  SVC_UpdateFormField(Name: string, Parameter: string, Value: Value, SessionID: string): boolean;
  /** A gateway has nothing to do for it: the software is free and no licence is sold for it. */
  SVC_UpdateSubscriptionExpiration(): boolean;
  /** Whether there is a variable with this ID. */
  SVC_VariableExists(VariableID: number): boolean;
  /** Whether there is a profile with this name. */
  SVC_VariableProfileExists(ProfileName: string): boolean;
  /** Sets a variable; the value is converted to its type. Variables of devices take RequestAction instead. */
  SetValue(VariableID: number, Value: Value | null): boolean;
  /** Sets a variable of type boolean. */
  SetValueBoolean(VariableID: number, Value: boolean): boolean;
  /** Sets a variable of type float. */
  SetValueFloat(VariableID: number, Value: number): boolean;
  /** Sets a variable of type integer. */
  SetValueInteger(VariableID: number, Value: number): boolean;
  /** Sets a variable of type string. */
  SetValueString(VariableID: number, Value: string): boolean;
  /** The battery that the machine runs on, in percent and seconds; -1 is not known. */
  Sys_GetBattery(): {
    OnBattery: boolean;
    IsCharging: boolean;
    BatteryLevel: number;
    BatteryRemainingTime: number;
    BatteryMaxTime: number;
  };
  /** How busy each processor and all together were since the call before, in percent; at first since the boot. */
  Sys_GetCPUInfo(): Record<string, number>;
  /** The file systems of the machine with size and free space in bytes, by numbers from 0. */
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
  /** Memory and swap space of the machine and what is free of them, in bytes. */
  Sys_GetMemoryInfo(): {
    TOTALPHYSICAL: number;
    AVAILPHYSICAL: number;
    TOTALPAGEFILE: number;
    AVAILPAGEFILE: number;
    TOTALVIRTUAL: number;
    AVAILVIRTUAL: number;
  };
  /** The network interfaces of the machine with addresses, Mbit/s and bytes in and out. */
  Sys_GetNetworkInfo(): {
    InterfaceIndex: number;
    IP: string;
    MAC: string;
    Description: string;
    Speed: number;
    InTotal: number;
    OutTotal: number;
  }[];
  /** The gateway's own handles, threads and memory in bytes, and how many processes it sees. */
  Sys_GetProcessInfo(): {
    SVC_HANDLECOUNT: number;
    SVC_NUMTHREADS: number;
    SVC_VIRTUALSIZE: number;
    SVC_WORKINGSETSIZE: number;
    SVC_PAGEFILE: number;
    PROCESSCOUNT: number;
  };
  /** What waits to be printed; nothing where the machine has no print service. */
  Sys_GetSpooler(): {
    Job: string;
    User: string;
    Size: number;
  }[];
  /** Reads an http or https URL: 10 MiB and 30 s at most. */
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
  /** Whether a host answers an echo request within so many milliseconds, 60,000 at most. */
  Sys_Ping(Host: string, Timeout: number): boolean;
  /** Deletes objects with all that is below them; the files of scripts and media stay. */
  UC_DeleteObjects(InstanceID: number, IDs: readonly number[]): boolean;
  /** Copies an object below another, with Recursive all that is below it, and gives the ID of the copy. A copied instance stays closed until SVC_ApplyChanges. */
  UC_DuplicateObject(InstanceID: number, ID: number, ParentID: number, Recursive: boolean): number;
  /** The lines in files of scripts (an empty list: in all of them) that hold a text, upper and lower case told apart. */
  UC_FindInFiles(InstanceID: number, Files: readonly string[], SearchStr: string): FoundLine[];
  /** Names, icons, notes and values of objects, and texts of profiles, with control characters or half characters in them. */
  UC_FindInvalidStrings(InstanceID: number): InvalidText[];
  /** Who uses an object: links, actions, connections, properties, the archive, web fronts, events, and texts of scripts and charts that name its ID. */
  UC_FindReferences(InstanceID: number, ID: number): Reference[];
  /** A gateway has nothing to do for it: its scripts are JavaScript: there are no flow scripts, workflows or short tags. */
  UC_FindShortTags(InstanceID: number): unknown[];
  /** Takes out of texts that UC_FindInvalidStrings found what should not be in them. */
  UC_FixInvalidStrings(InstanceID: number, References: readonly InvalidText[]): boolean;
  /** A gateway has nothing to do for it: its scripts are JavaScript: there are no flow scripts, workflows or short tags. */
  UC_FixShortTags(InstanceID: number, References: readonly unknown[]): boolean;
  /** How often events ran, by their messages that are kept: those that the clock sets off, and triggers. */
  UC_GetEventStatistics(InstanceID: number): {
    CyclicUpdateCount: number;
    TriggerUpdateCount: number;
  };
  /** An icon: SVG, in Base64. */
  UC_GetIconContent(InstanceID: number, Icon: string): string;
  /** The names of all icons: those that come with the gateway, and the files in its folder icons. */
  UC_GetIconList(InstanceID: number): string[];
  /** Messages since the start, slow ones, those that wait for clients, ms until the gateway turned to this, calls under way. */
  UC_GetKernelStatistics(InstanceID: number): {
    MessageCounter: number;
    MessageSlowCounter: number;
    MessageQueueSize: number;
    MessageQueueDelay: number;
    RequestQueueSize: number;
  };
  /** The last messages of a type in the log, the newest first; 100 of each are kept. */
  UC_GetLastLogMessages(
    InstanceID: number,
    Type: 0 | 1 | 2 | 3 | 4 | 5 | 6,
  ): {
    Type: number;
    TimeStamp: number;
    Sender: string;
    Message: string;
  }[];
  /** How many messages of each type the log has had, since the start or since they were reset. */
  UC_GetLogMessageStatistics(InstanceID: number): {
    MessageDefaultCount: number;
    MessageSuccessCount: number;
    MessageNotifyCount: number;
    MessageWarningCount: number;
    MessageErrorCount: number;
    MessageCustomCount: number;
  };
  /** How many of the messages that are kept came from each object, most first. */
  UC_GetMessageSenderIDList(InstanceID: number): {
    SenderID: number;
    Count: number;
  }[];
  /** How much memory the messages take that are kept of each object, in bytes, most first. */
  UC_GetMessageSenderIDSizeList(InstanceID: number): {
    SenderID: number;
    Size: number;
  }[];
  /** How many of the messages that are kept are of each kind, most first. */
  UC_GetMessageTypeList(InstanceID: number): {
    Message: number;
    Count: number;
  }[];
  /** How often each sender has had a script run since the start, most first. */
  UC_GetScriptSenderList(InstanceID: number): {
    Sender: string;
    Count: number;
  }[];
  /** A gateway has nothing to do for it: its scripts are JavaScript: there are no flow scripts, workflows or short tags. */
  UC_MigrateWorkflow(InstanceID: number, ScriptID: number): boolean;
  /** Gives the file of a script another name; no other file may have it. */
  UC_RenameScript(InstanceID: number, ScriptID: number, Filename: string): boolean;
  /** Replaces a text in files of scripts (an empty list: in all of them) and gives the lines that are others now. */
  UC_ReplaceInFiles(
    InstanceID: number,
    Files: readonly string[],
    SearchStr: string,
    ReplaceStr: string,
  ): FoundLine[];
  /** Forgets the last messages of the log. */
  UC_ResetLastLogMessages(InstanceID: number): boolean;
  /** Counts the log's messages from 0 again. */
  UC_ResetLogMessageStatistics(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: it tells nobody how it is used. */
  UC_SendUsageData(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: the software is free and no licence is sold for it. */
  UC_UpdateLicenseData(InstanceID: number): boolean;
  /** Sends a text as a datagram from a UDP socket, one character a byte (Latin-1). */
  USCK_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text as a datagram to the Host of a UDP socket, one character a byte (Latin-1). */
  USCK_SendText(InstanceID: number, Text: string): boolean;
  /** A client comes to a virtual I/O, as to a server. */
  VIO_Connect(InstanceID: number, ClientIP: string, ClientPort: number): boolean;
  /** A client of a virtual I/O leaves; what it had begun to say is forgotten. */
  VIO_Disconnect(InstanceID: number, ClientIP: string, ClientPort: number): boolean;
  /** What was sent over a virtual I/O to single clients, one character a byte, the oldest first. */
  VIO_GetPacketList(InstanceID: number): {
    TimeStamp: number;
    Text: string;
    ClientIP: string;
    ClientPort: number;
  }[];
  /** What the devices below a virtual I/O have sent, one character a byte, the oldest first. */
  VIO_GetTextList(InstanceID: number): {
    TimeStamp: number;
    Text: string;
  }[];
  /** Sets what a device below a virtual I/O is answered when it sends such a request of HTTP/1. */
  VIO_HTTPResponse(InstanceID: number, Route: string, Method: string, Data: string): boolean;
  /** The devices below a virtual I/O receive a server-sent event, as it stands in an event stream (UTF-8). */
  VIO_PushData(InstanceID: number, Event: string, Data: string, Retry: string, ID: string): boolean;
  /** The devices below a virtual I/O receive a text of a client, one character a byte (Latin-1). */
  VIO_PushPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** The devices below a virtual I/O receive bytes of a client, given as hexadecimal digits. */
  VIO_PushPacketHEX(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** The devices below a virtual I/O receive a text, one character a byte (Latin-1). */
  VIO_PushText(InstanceID: number, Text: string): boolean;
  /** The devices below a virtual I/O receive bytes, given as hexadecimal digits. */
  VIO_PushTextHEX(InstanceID: number, Text: string): boolean;
  /** Sends a text over a virtual I/O to a client as if a device below did, one character a byte (Latin-1). */
  VIO_SendPacket(InstanceID: number, Text: string, ClientIP: string, ClientPort: number): boolean;
  /** Sends a text over a virtual I/O as if a device below did, one character a byte (Latin-1). */
  VIO_SendText(InstanceID: number, Text: string): boolean;
  /** Adds an item to a web front, below another or with "" at the top; its position is 0. */
  WFC_AddItem(
    InstanceID: number,
    ID: string,
    ClassName: string,
    Configuration: string,
    ParentID: string,
  ): boolean;
  /** Has the fronts of a configurator play a sound: a media object of its area. */
  WFC_AudioNotification(InstanceID: number, Title: string, MediaID: number): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  WFC_CandidateMediaStream(InstanceID: number, SessionID: string, ICE: string): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  WFC_ConfigureMediaStream(InstanceID: number, SessionID: string, SessionDescription: string): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  WFC_ConnectMediaStream(InstanceID: number, MediaID: number): string;
  /** Deletes an item of a web front that has none below it. */
  WFC_DeleteItem(InstanceID: number, ID: string): boolean;
  /** A gateway has nothing to do for it: it passes no streams on: have the front open the address of the camera itself. */
  WFC_DisconnectMediaStream(InstanceID: number, SessionID: string): boolean;
  /** Has the device or the script behind a variable of a configurator's area carry out a value. */
  WFC_Execute(InstanceID: number, ActionID: number, TargetID: number, Value: Value): string;
  /** What a chart shows of a variable, or of a media object that is a chart, of a configurator's area from a time on (0: now). */
  WFC_FetchChartData(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
  ): ChartDataset[];
  /** As WFC_FetchChartData, with whether each dataset is shown. */
  WFC_FetchChartDataEx(
    InstanceID: number,
    ObjectID: number,
    StartTime: number,
    TimeSpan: 0 | 1 | 2 | 3 | 4 | 5,
    Density: 0 | 1 | 2,
    Visibility: readonly boolean[],
  ): ChartDataset[];
  /** As AC_GetAggregatedValues, of a variable of a configurator's area. */
  WFC_GetAggregatedValues(
    InstanceID: number,
    VariableID: number,
    AggregationSpan: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): AggregatedValue[];
  /** The web front configurators; the one function that needs no credentials. */
  WFC_GetConfigurators(): Configurator[];
  /** The items of a web front, in the order in which they were added. */
  WFC_GetItems(InstanceID: number): FrontItem[];
  /** As AC_GetLoggedValues, of a variable of a configurator's area. */
  WFC_GetLoggedValues(
    InstanceID: number,
    VariableID: number,
    StartTime: number,
    EndTime: number,
    Limit: number,
  ): LoggedValue[];
  /** A configurator's area with all values, as it is at this moment. */
  WFC_GetSnapshot(InstanceID: number): Snapshot;
  /** The changes in a configurator's area after a counter; with 0 only the present counter. */
  WFC_GetSnapshotChanges(InstanceID: number, LastTimeStamp: number): ChangeRecord[];
  /** The changes in a part of a configurator's area after a counter; with 0 only the present counter. */
  WFC_GetSnapshotChangesEx(InstanceID: number, CategoryID: number, LastTimeStamp: number): ChangeRecord[];
  /** A part of a configurator's area with all values. */
  WFC_GetSnapshotEx(InstanceID: number, CategoryID: number): Snapshot;
  /** Has the fronts of a configurator show a category, or an instance, of its area. */
  WFC_OpenCategory(InstanceID: number, CategoryID: number): boolean;
  /** As WFC_SendNotification, with a sound and an object of the area to go to, or 0. It reaches connected fronts only: this gateway has no push service. */
  WFC_PushNotification(
    InstanceID: number,
    Title: string,
    Text: string,
    Sound: string,
    TargetID: number,
  ): boolean;
  /** Registers a mobile device, or what it registered anew, where the configurator allows it (mobile: true); gives its DeviceID. */
  WFC_RegisterPNS(
    InstanceID: number,
    Token: string,
    Provider: string,
    DeviceID: string,
    DeviceName: string,
  ): string;
  /** Has the fronts of a configurator begin anew, with its items as they are now. */
  WFC_Reload(InstanceID: number): boolean;
  /** A chart of a variable, or of a media object that is a chart, of a configurator's area as SVG of so many pixels. */
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
  /** As WFC_RenderChart, with whether each dataset is shown. */
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
  /** Shows a message in the fronts of a configurator for so many seconds; with 0 until somebody closes it. */
  WFC_SendNotification(
    InstanceID: number,
    Title: string,
    Text: string,
    Icon: string,
    Timeout: number,
  ): boolean;
  /** Shows a message in the fronts of a configurator until somebody closes it. */
  WFC_SendPopup(InstanceID: number, Title: string, Text: string): boolean;
  /** Replaces all items of a web front by those of a JSON list as WFC_GetItems gives it. */
  WFC_SetItems(InstanceID: number, Items: string): boolean;
  /** Has the fronts of a configurator show another page: an item, by its ID. */
  WFC_SwitchPage(InstanceID: number, PageName: string): boolean;
  /** Gives an item of a web front another configuration: the text of a JSON object. */
  WFC_UpdateConfiguration(InstanceID: number, ID: string, Configuration: string): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormGraphDefaults(InstanceID: number, GraphRawDensity: boolean): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormNotificationValues(InstanceID: number): boolean;
  /** A gateway has nothing to do for it: no form editor waits for it: set properties with SVC_SetProperty or in gateway.yaml. */
  WFC_UpdateFormSecurityWarning(InstanceID: number, AllowPasswordlessOnWAN: boolean): boolean;
  /** Moves an item of a web front below another, or with "" to the top. */
  WFC_UpdateParentID(InstanceID: number, ID: string, ParentID: string): boolean;
  /** Gives an item of a web front another position among those beside it. */
  WFC_UpdatePosition(InstanceID: number, ID: string, Position: number): boolean;
  /** Shows or hides an item of a web front. */
  WFC_UpdateVisibility(InstanceID: number, ID: string, Visible: boolean): boolean;
  /** All functions, as an OpenRPC document. */
  'rpc.discover'(): Record<string, unknown>;
}
