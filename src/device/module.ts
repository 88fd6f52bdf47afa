import type { TreeView } from './tree-view.js';
import type { TObject, Static } from '@sinclair/typebox';
import type { Clock } from '../base/clock.js';
import type { Text } from '../base/codes/coded-text.js';
import type { Log } from '../base/log.js';
import type { WriteBudget } from '../kernel/object.js';
import type { VariableRole } from '../base/codes/stable-codes.js';
import type { ProfileDefinition } from '../kernel/profiles/profile-data.js';
import type { PendingChange, QualityProblem, RuleInForce } from '../kernel/quality.js';
import type { Value, VariableType } from '../kernel/value.js';
import type { FunctionDeclaration } from './declare.js';
import type { HardwareFinder, InstanceTemplate, Search } from './hardware-search.js';

export type { Value, VariableType } from '../kernel/value.js';
export { variableType } from '../kernel/value.js';
export { imageTypes } from '../kernel/image-type.js';
export type { ProfileDefinition } from '../kernel/profiles/profile-data.js';
export { quality, type PendingChange, type QualityProblem, type RuleInForce } from '../kernel/quality.js';

/** Module types; the numbers are those of the interface (interface §1). */
export const moduleKind = {
  core: 0,
  io: 1,
  splitter: 2,
  device: 3,
  configurator: 4,
  discovery: 5,
  visualisation: 6,
} as const;
type ModuleKind = (typeof moduleKind)[keyof typeof moduleKind];

/**
 * A data-flow interface between a device and the I/O instance it is connected to: a GUID, and the type of
 * what the I/O instance provides while it is online. Two modules are compatible if one provides what the
 * other requires.
 */
export interface Flow<T> {
  readonly id: string;
  /** Never set; carries the type. */
  readonly type?: T;
}

/**
 * What the value of a property refers to, given as `refers` in its schema. Allows a configuration to be
 * checked without opening anything. '' and 0 refer to nothing.
 */
export const referenceKind = {
  /** A GPIO line on the chip in `Chip`; exclusive. */
  line: 'line',
  /** A PWM channel on the chip in `Chip`; exclusive. */
  channel: 'channel',
  /** An LED; exclusive. */
  led: 'led',
  /** A 1-Wire bus, and a device on one; exclusive. */
  bus: 'bus',
  onewire: 'onewire',
  /** A sensor chip of the kernel; exclusive. */
  sensor: 'sensor',
  /** A serial port; exclusive. */
  serialPort: 'serialPort',
  /** A listening port at the address in `BindIP`; exclusive. */
  tcpPort: 'tcpPort',
  udpPort: 'udpPort',
  /** The ident path of a boolean variable or of an instance with a STATE (`Host.toggle`). */
  switch: 'switch',
  /** A file of this machine. */
  file: 'file',
} as const;
export type ReferenceKind = (typeof referenceKind)[keyof typeof referenceKind];

/** A variable of a module's instances. It is created if missing; its module never deletes it. */
export interface VariableDeclaration {
  readonly ident: string;
  readonly name: string;
  readonly type: VariableType;
  /** What it is to residents: `main` is shown first, `diagnostic` only to the owner. */
  readonly role: VariableRole;
  readonly profile?: string;
  /** The profile of this name, which is created if it is missing. Users may change it afterwards. */
  readonly profileDefinition?: ProfileDefinition;
  /** The property that names the profile, if one does: `Topics[2].Profile`. */
  readonly profileProperty?: string;
  /** Whether the instance accepts commands for it (`RequestAction`, `HW_WriteValue*`). */
  readonly action?: boolean;
  readonly position?: number;
  /** A count that only rises, such as a meter's: the archive aggregates it as a counter by default. */
  readonly counter?: boolean;
  /** Persisted earlier than other values, by a write budget of its own; checked once a second. */
  readonly durable?: WriteBudget;
  /** The longest time between two values, in seconds. A variable without a new value for longer is stale. */
  readonly staleAfterS?: number;
}

/**
 * An image that a module's instances get from their device: a media object, which is created if missing. Its
 * content is in memory only.
 */
export interface ImageDeclaration {
  readonly ident: string;
  readonly name: string;
  readonly position?: number;
  /** Whether fronts do not show it until a user changes that. */
  readonly isHidden?: boolean;
}

/** A problem of an open instance, or the reason why it is not open; one entry of `HW_ReadServiceMessages`. */
export interface InstanceProblem {
  /** Stable, in capitals: `UNREACHABLE`, `OVERFLOW`, `CONFIGURATION` … */
  readonly code: string;
  /** What is wrong and what to do. */
  readonly text: Text;
}

/**
 * Flags that last until the machine reboots, even if the gateway crashes immediately after setting one.
 * Shared by all instances. Iterating gives all flags.
 */
export interface BootFlags extends Iterable<string> {
  has(flag: string): boolean;
  /** Adding a flag twice is allowed. */
  add(flag: string): void;
  /** Deleting an absent flag is allowed. */
  delete(flag: string): void;
}

/** An instance of the same module, open or not, with its active properties. */
export interface Sibling<P = unknown> {
  readonly id: number;
  readonly name: string;
  readonly properties: P;
}

/**
 * What the gateway provides to an open instance, from `open` until `signal` aborts; later calls do nothing.
 */
export interface Host<P = unknown> {
  /** The instance's object id. */
  readonly id: number;
  /** The instance's name when it was opened, for messages to the owner. */
  readonly name: string;
  /** The active properties, validated against the module's schema, with defaults filled in. */
  readonly properties: P;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootFlags: BootFlags;
  /** Aborts when the instance must close: stop, changed properties, lost parent. */
  readonly signal: AbortSignal;
  /**
   * Reports the present value of the hardware: the only way in which a hardware variable changes. The value
   * must have the variable's type; others are logged and dropped. `at` is the time of the value, if known:
   * CLOCK_MONOTONIC in nanoseconds (a bigint), or unix milliseconds of the device's own clock (a number); 0
   * means an unknown time in the past. The value is good unless it is older than the variable's
   * `staleAfterS`.
   */
  report(ident: string, value: Value, at?: bigint | number): void;
  /** As `report`, for a value that is uncertain, with the reason. */
  reportUncertain(ident: string, value: Value, problem: QualityProblem): void;
  /** Marks the present value as uncertain until the next report. */
  markUncertain(ident: string, problem: QualityProblem): void;
  /** Marks the present value as good, without reporting it again: a repeated event would be a new one. */
  markGood(ident: string): void;
  /**
   * Marks the device as unavailable although the connection to it is up, with the reason; undefined marks it as available. While it is unavailable all its values are bad. A newly opened instance is available.
   */
  setUnavailable(text: Text | undefined): void;
  /**
   * Reports the rule that would reject a command for the variable now, or with undefined that there is none.
   * It is cleared when the instance closes. The name of another object must not be in it.
   */
  reportRule(ident: string, rule: RuleInForce | undefined): void;
  /**
   * Reports that the variable will change by itself, or with undefined that nothing is scheduled. It is
   * cleared when the instance closes.
   */
  reportPending(ident: string, pending: PendingChange | undefined): void;
  /**
   * Reports the present content of one of the module's images: JPEG, PNG, GIF or WebP. The bytes are copied.
   * `isAvailable`: whether its device is available; true by default. Returns why it was rejected; then nothing
   * changes.
   */
  reportImage(ident: string, content: Uint8Array, isAvailable?: boolean): Text | undefined;
  /** Marks an image as unavailable, or again as available if one has been reported since `open`. */
  setImageAvailable(ident: string, isAvailable: boolean): void;
  /** The present value of a variable, possibly from before a restart; undefined if it was never reported. */
  lastValue(ident: string): Value | undefined;
  /**
   * Emits one of the module's own messages (from 20000) in the change stream, with the instance as sender.
   */
  emitMessage(message: number, data: readonly Value[]): void;
  /**
   * Adds to the instance's debug output (`SVC_EnableDebug`): what happens (`received`, `sent`), the data, and
   * what it is about. Costs next to nothing while the instance is not being debugged; its secrets are hidden.
   */
  debug(what: string, data: string | Uint8Array, about?: string): void;
  /**
   * Reports that the hardware is gone. The supervisor closes the instance and reopens it with a jittered
   * back-off. Calling it twice is allowed.
   */
  reportLost(cause: unknown): void;
  /**
   * Sets the problem with this code, or clears it if `text` is undefined; shown in `HW_ReadServiceMessages`
   * and STATUS. `shown` is the text for STATUS if `text` names another object, which not everyone who sees
   * this instance may know of.
   */
  setProblem(code: string, text: Text | undefined, shown?: Text): void;
  /** Counts a poll that began at `fromNs` (monotonic) and has just ended, with or without a value. */
  recordPoll(fromNs: bigint): void;
  /** Counts an MQTT message of the instance's connection. */
  countMessage(direction: 'received' | 'sent', qos: number): void;
  /** All instances of this module, including this one, as configured now. */
  siblings(): readonly Sibling<P>[];
  /** The instances that are connected to this one, open or not, as configured now. */
  connected(): readonly Sibling<Readonly<Record<string, unknown>>>[];
  /**
   * Creates an instance next to this one and connects it to this one. Throws like `Devices.create`.
   */
  createConnected(template: InstanceTemplate, name: string): void;
  /** Stores changed properties of this instance and reopens it with them. Throws `PROPERTY_*`. */
  reconfigure(changes: Readonly<Record<string, unknown>>): void;
  /**
   * Toggles another output, as `RequestAction` would: the boolean variable at an ident path, or STATE of the
   * instance there. Rejects with a text that says what to do, or with the fault of the device or its rules.
   */
  toggle(path: string): Promise<void>;
  /** Other objects, for a module that publishes parts of the tree. */
  readonly tree: TreeView;
  /**
   * What the connected I/O instance provides for this interface. The I/O instance stays online as long as
   * this one.
   */
  parent<T>(flow: Flow<T>): T;
}

/**
 * An open instance. The supervisor gives each of these calls a deadline; if one is exceeded, the instance is
 * closed and reopened.
 */
export interface OpenInstance {
  /**
   * Sends a command. Resolves when the device has accepted it (the driver then reports the new value).
   * Rejects with `DEVICE_OFFLINE`, `DEVICE_REFUSED` or `READ_ONLY` if it has not; nothing is sent later.
   */
  write?(ident: string, value: Value): Promise<void>;
  /** Reads the present value of a variable from the device and reports it (`HW_RequestStatus`). */
  refresh?(ident: string): Promise<void>;
  /** Checks the connection, every 10 s. Rejects, or never resolves, if it is dead. */
  probe?(): Promise<void>;
  /** Known devices behind this one (`HW_GetKnownDevices`, `MQTT_GetKnownDevices`): plain JSON records. */
  knownDevices?(): readonly object[];
  /** What connected instances get from `Host.parent`. */
  readonly provided?: unknown;
  /** The hardware search (`SVC_StartSearch`), if the module has one. */
  readonly search?: Search;
  /**
   * Reports values that are still held back; called just before the instance closes, while reports still
   * count.
   */
  flush?(): void;
  /** The result of `Host.siblings` may have changed: an instance was created, deleted or configured. */
  onSiblingsChange?(): void;
  /**
   * Withdraws what it has published on other systems; called while it is open, before its object is deleted.
   */
  withdraw?(): Promise<void>;
  /**
   * Releases all resources. Does not move an output, but stops a motor that nothing else would stop. Called
   * once.
   */
  close(): Promise<void>;
}

/**
 * A kind of driver; the list of modules (`composition/module-list.ts`) names each. The supervisor calls
 * `open` repeatedly, with a back-off, until it resolves. `open` rejects with a fault whose text says what to
 * do, or with an AbortError when `host.signal` aborts. A module keeps no state between two calls of `open`.
 */
export interface ModuleDefinition<S extends TObject = TObject> {
  /** `{GUID}` in capitals. */
  readonly id: string;
  readonly name: string;
  readonly kind: ModuleKind;
  /** The prefix of its functions: `HW`, `SPRT`, `MQTT`. */
  readonly prefix: string;
  readonly aliases?: readonly string[];
  /** What it is for, in a sentence for the person who chooses a module. */
  readonly description?: string;
  /** A built-in icon. */
  readonly icon?: string;
  /** The page of the manual that describes it, below `docs/`: `hardware/inputs.md`. */
  readonly page?: string;
  /** A TypeBox object. Every property has a `default`; secrets have `secret: true` in their schema; `withHelp` adds what forms show. */
  readonly properties: S;
  /** The variables of an instance with these properties. Pure. */
  variables(properties: Static<S>): readonly VariableDeclaration[];
  /** The images of an instance with these properties. Pure. */
  images?(properties: Static<S>): readonly ImageDeclaration[];
  /** The interface that its I/O instance must provide; absent if it needs none. */
  readonly requires?: Flow<unknown>;
  readonly provides?: Flow<unknown>;
  /**
   * Finds hardware of this machine that instances of this driver's modules could use. Rejects if the search
   * is not possible.
   */
  readonly findHardware?: HardwareFinder;
  /** Functions that the module adds to the command reference. */
  functions?(instances: OpenInstances): readonly FunctionDeclaration[];
  /** Checks what the schema can't express. Returns what is wrong and what to do, or undefined. Pure. */
  check?(properties: Static<S>): Text | undefined;
  /**
   * For modules with an enable property such as `Open`: why an instance with these properties stays closed.
   * Pure.
   */
  disabledReason?(properties: Static<S>): Text | undefined;
  /**
   * The longest delay before a reopen, for modules whose attempts cost little, such as devices of this
   * machine. Default: 30 s.
   */
  readonly maxRetryDelayMs?: number;
  open(host: Host<Static<S>>): Promise<OpenInstance>;
}

/** Gives a module's own functions access to its open instances. */
export interface OpenInstances {
  /** The open instance with this id. Throws `NOT_OF_TYPE`, `WRONG_MODULE` or `DEVICE_OFFLINE`. */
  openInstance(id: number, module: { readonly id: string; readonly name: string }): OpenInstance;
}
