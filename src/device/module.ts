import type { TObject, Static } from '@sinclair/typebox';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { WriteBudget } from '../kernel/object.js';
import type { QualityProblem } from '../kernel/quality.js';
import type { Value, VariableType } from '../kernel/value.js';
import type { FunctionDeclaration } from './declare.js';
import type { HardwareFinder, Search } from './hardware-search.js';

export type { Value, VariableType } from '../kernel/value.js';
export { variableType } from '../kernel/value.js';
export { quality, type QualityProblem } from '../kernel/quality.js';

/** Module types by their numbers in the interface (§1). */
export const moduleKind = {
  core: 0,
  io: 1,
  splitter: 2,
  device: 3,
  configurator: 4,
  discovery: 5,
  visualisation: 6,
} as const;
export type ModuleKind = (typeof moduleKind)[keyof typeof moduleKind];

/**
 * A data-flow interface between a device and the I/O instance it is connected to: a GUID with the type of what the
 * I/O offers while it is online. Two modules are compatible when one `offers` what the other `needs`.
 */
export interface Flow<T> {
  readonly id: string;
  /** Never set; carries the type. */
  readonly type?: T;
}

/**
 * What the value of a property names, as `refers` in its schema's options: so that a configuration can be checked
 * without opening anything. '' and 0 name nothing.
 */
export const referenceKind = {
  /** A GPIO line, on the chip in `Chip`; exclusive. */
  line: 'line',
  /** A PWM channel, on the chip in `Chip`; exclusive. */
  channel: 'channel',
  /** An LED; exclusive. */
  led: 'led',
  /** A 1-Wire bus, and a device on one; exclusive. */
  bus: 'bus',
  onewire: 'onewire',
  /** A serial port; exclusive. */
  serialPort: 'serialPort',
  /** A port that is listened on, at the address in `BindIP`; exclusive. */
  tcpPort: 'tcpPort',
  udpPort: 'udpPort',
  /** The ident path of something that is on or off (`Host.toggle`). */
  switch: 'switch',
  /** A file of this machine. */
  file: 'file',
} as const;
export type ReferenceKind = (typeof referenceKind)[keyof typeof referenceKind];

/** A variable that every instance of a module has. It is created where missing, and never deleted by its module. */
export interface VariableDeclaration {
  readonly ident: string;
  readonly name: string;
  readonly type: VariableType;
  readonly profile?: string;
  /** The property that names the profile, where one does: `Topics[2].Profile`. */
  readonly profileProperty?: string;
  /** True when the instance takes writes to it (`RequestAction`, `HW_WriteValue*`). */
  readonly action?: boolean;
  readonly position?: number;
  /** It goes to the disk by a budget of its own, sooner than all values do; looked at once a second. */
  readonly durable?: WriteBudget;
  /** Its device promises a value within so many seconds of the one before; later than that, the value is stale. */
  readonly staleAfterS?: number;
}

/** What is wrong with an instance although it runs, or why it does not: one line of `HW_ReadServiceMessages`. */
export interface InstanceProblem {
  /** Stable, in capitals: `UNREACHABLE`, `OVERFLOW`, `CONFIGURATION` … */
  readonly code: string;
  /** What is wrong and what to do. */
  readonly text: string;
}

/**
 * Texts that are remembered until the machine boots again, also over a crash of the gateway in the very next step; shared
 * by all instances. Going through them gives them all.
 */
export interface BootFlags extends Iterable<string> {
  has(mark: string): boolean;
  /** Twice is fine. */
  add(mark: string): void;
  /** One that is not there is fine. */
  delete(mark: string): void;
}

/** An instance of the same module, open or not, with its active properties. */
export interface Sibling<P = unknown> {
  readonly id: number;
  readonly name: string;
  readonly properties: P;
}

/** What the gateway gives to one opening of an instance. Valid until `signal` aborts; calls after that do nothing. */
export interface Host<P = unknown> {
  /** The instance's object id. */
  readonly id: number;
  /** The instance's name when it was opened, for texts that tell the owner which one is meant. */
  readonly name: string;
  /** The active properties, checked against the module's schema, defaults filled in. */
  readonly properties: P;
  readonly clock: Clock;
  readonly log: Log;
  readonly bootFlags: BootFlags;
  /** Aborts when this opening must end: stop, changed properties, lost parent. */
  readonly signal: AbortSignal;
  /**
   * A fact: the hardware now has this value. The only way in which a hardware variable changes. The value is of the
   * variable's type (a mismatch is logged and dropped). `at` is when it was so, where known: the kernel's CLOCK_MONOTONIC
   * in nanoseconds (a bigint), or unix milliseconds by the device's own clock (a number); 0 is some time, nobody knows when.
   * The value is good, unless it is older than its variable promises.
   */
  report(ident: string, value: Value, at?: bigint | number): void;
  /** As `report`, of a value that is no fact: it can't be relied on, and why. */
  reportUncertain(ident: string, value: Value, doubt: QualityProblem): void;
  /** The value that the variable has can't be relied on, until the next report of it. */
  markUncertain(ident: string, doubt: QualityProblem): void;
  /**
   * The device is away although the way to it stands, and why; with undefined it is there again. While it is away its values
   * are bad, whatever is reported. An opening begins with a device that is there.
   */
  setUnavailable(text: string | undefined): void;
  /** The value that the variable has now, also from before a restart; undefined before its first report ever. */
  lastValue(ident: string): Value | undefined;
  /** A message of the module's own in the change stream, from the instance; its number is one of the module's (from 20000). */
  emitMessage(message: number, data: readonly Value[]): void;
  /**
   * Shows what goes over the wire to those who follow this instance (`SVC_EnableDebug`): what happens (`received`, `sent`),
   * the data, and what they are about. Costs next to nothing while nobody does; the instance's secrets are hidden.
   */
  debug(what: string, data: string | Uint8Array, about?: string): void;
  /** The hardware is gone. The supervisor closes this opening and opens again with a jittered back-off. Calling twice is fine. */
  reportLost(cause: unknown): void;
  /**
   * Sets or, with undefined, clears the trouble of this code; in `HW_ReadServiceMessages`, and in STATUS. `shown`: the text
   * for STATUS where the other one names another object, as not all who see this instance may know of that one.
   */
  setProblem(code: string, text: string | undefined, shown?: string): void;
  /** All instances of this module, itself too, as they are configured now. */
  siblings(): readonly Sibling<P>[];
  /**
   * Switches something else over, as `RequestAction` would: the boolean variable at an ident path, or STATE of the instance
   * there. Rejects with a text that says what to do, and with what its device or its rules fail with.
   */
  toggle(path: string): Promise<void>;
  /** What the connected I/O instance offers under this interface. It is online while this opening lives. */
  parent<T>(flow: Flow<T>): T;
}

/** One opened instance. The supervisor calls these; each has a deadline, past which the instance is closed and reopened. */
export interface OpenInstance {
  /**
   * A wish. Resolves when the device took it (the driver then reports what it now is); rejects with
   * `DEVICE_OFFLINE`, `DEVICE_REFUSED` or `READ_ONLY` when it did not, and nothing is sent later.
   */
  write?(ident: string, value: Value): Promise<void>;
  /** Asks the device for the present value of a variable and reports it (`HW_RequestStatus`). */
  refresh?(ident: string): Promise<void>;
  /** Rejects, or never resolves, when the binding is dead although it did not say so. Called every 10 s. */
  probe?(): Promise<void>;
  /** What is known of devices behind this one (`HW_GetKnownDevices`, `MQTT_GetKnownDevices`): plain JSON records. */
  knownDevices?(): readonly object[];
  /** What connected children get from `Host.parent`. */
  readonly provided?: unknown;
  /** Looking for hardware (`SVC_StartSearch`), for a module that does. */
  readonly search?: Search;
  /** Reports what is known and not yet told: this opening is about to end, and reports still count. */
  flush?(): void;
  /** Releases everything. Moves no output, but stops a motor that nobody would stop any more. Called once. */
  close(): Promise<void>;
}

/**
 * A kind of driver: one constant per module, registered in `gateway.ts`. `open` is called by the supervisor, again and
 * again with back-off until it resolves; it rejects with a fault whose text says what to do, or with an AbortError when
 * `host.signal` aborts. It holds no state of its own between openings.
 */
export interface ModuleDefinition<S extends TObject = TObject> {
  /** `{GUID}` in capitals. */
  readonly id: string;
  readonly name: string;
  readonly kind: ModuleKind;
  /** Of its functions: `HW`, `SPRT`, `MQTT`. */
  readonly prefix: string;
  readonly aliases?: readonly string[];
  /** A TypeBox object; every property has a `default`; a secret one has `secret: true` in its options. */
  readonly properties: S;
  /** The variables that an instance with these properties has. Pure. */
  variables(properties: Static<S>): readonly VariableDeclaration[];
  /** The interface that its I/O instance must offer; absent where it needs none. */
  readonly requires?: Flow<unknown>;
  readonly provides?: Flow<unknown>;
  /** What of this machine could become instances of this driver's modules. Rejects with what makes looking impossible. */
  readonly findHardware?: HardwareFinder;
  /** Functions of its own, beside the reference's families. */
  functions?(instances: OpenInstances): readonly FunctionDeclaration[];
  /** Checks what the schema can't say. Returns the mistake and what to do, or undefined. Pure. */
  check?(properties: Static<S>): string | undefined;
  /** For a module with a switch of its own (`Open`): why an instance with these properties stays closed. Pure. */
  disabledReason?(properties: Static<S>): string | undefined;
  /** The longest wait before it is opened again, where trying costs little: a device of this machine. Half a minute unless said. */
  readonly maxRetryDelayMs?: number;
  open(host: Host<Static<S>>): Promise<OpenInstance>;
}

/** What a module's own functions reach their instances by. */
export interface OpenInstances {
  /** The opening of an instance of this module. Throws `NOT_OF_TYPE`, `WRONG_MODULE` or `DEVICE_OFFLINE`. */
  openInstance(id: number, module: { readonly id: string; readonly name: string }): OpenInstance;
}
