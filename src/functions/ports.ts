import type { ArchivePort } from '../archive/port.js';
import type { Clock } from '../base/clock.js';
import type { FetchRequest } from '../base/fetch-request.js';
import type { Log } from '../base/log.js';
import type { ProgramRequest } from '../base/program-request.js';
import type { AuditRecord, AuditRole } from '../kernel/audit-record.js';
import type { Caller, ReadonlyStatic } from '../device/declare.js';
import type { Debug } from '../device/debug.js';
import type { Devices } from '../device/devices.js';
import type { Configurator } from '../kernel/configurator.js';
import type { Kernel } from '../kernel/kernel.js';
import type * as machineShapes from './machine-shapes.js';
import type { MessageWatch } from './message-watch.js';
import type { Options } from './options.js';
import type * as shapes from './shapes.js';

/** What the functions need of the process; `gateway.ts` fills it. */
export interface Ports {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly devices: Devices;
  readonly debug: Debug;
  readonly scripts: ScriptsPort;
  /** Loaded by the first who asks. */
  readonly media: () => Promise<MediaPort>;
  /** What runs events, at work from then on; it is loaded for the first one. */
  readonly events: () => Promise<object>;
  readonly configurators: ConfiguratorsPort;
  readonly messageLog: LogPort;
  /** Undefined while nothing is listened on yet. */
  readonly connections: () => ConnectionsPort | undefined;
  readonly messageWatch: MessageWatch;
  readonly system: SystemPort;
  readonly options: Options;
  /** What can be asked of the machine; loaded when something first is. */
  readonly machine: () => Promise<MachinePort>;
  /** The archive, which is opened when it is first asked for. */
  readonly archive: () => Promise<ArchivePort>;
  /** What a program of the machine printed. Throws `NOT_ALLOWED` unless the configuration allows it, and as `Execution`. */
  readonly execute: (wish: ProgramRequest) => Promise<string>;
}

/** The configurators as they are now; a reload of the configuration may change them. */
export interface ConfiguratorsPort {
  /** Ordered by position, then id (decision 1). */
  all(): readonly Configurator[];
  /** What is kept for a configurator beside the tree: its items, its mobile devices; undefined when there is nothing. */
  frontData(id: number, what: FrontDataKind): string | undefined;
  /** Keeps a text; a change of the configuration like any other. */
  saveFrontData(id: number, what: FrontDataKind, text: string): void;
}

/** What is kept for a configurator. */
export type FrontDataKind = 'items' | 'devices';

/** How a script is to run. */
export interface ScriptRun {
  /** The script's id; absent for a text that is run once. */
  readonly id?: number;
  /** The text, where it is not a script of the tree. */
  readonly text?: string;
  /** What the script finds in `PARAMETERS`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Who runs it: `RunScript`, `Action`, `WebFront` or another's own word. */
  readonly sender: string;
  /** Who called: a script that waits for this one is known by it. */
  readonly caller: Caller;
}

/** What one slot for a script's process does and has done (interface §1). */
export type ScriptThread = ReadonlyStatic<typeof shapes.scriptThread>;

/** Scripts: their texts and their runs. `src/script` implements it. */
export interface ScriptsPort {
  /** A new script with an empty file. Throws `IDS_EXHAUSTED`, `STORE_FAILED`. */
  create(): Promise<number>;
  /** Throws `NOT_OF_TYPE`, `HAS_CHILDREN`. */
  delete(id: number, deleteFile: boolean): Promise<void>;
  content(id: number): Promise<string>;
  /** Keeps the text although it can't be compiled; the script then is marked as broken. */
  setContent(id: number, text: string): Promise<void>;
  /** Throws `FILE_NAME`. */
  setFile(id: number, file: string): Promise<void>;
  /** Why a script is broken, with file, line and column; '' for one that is not. Throws `NOT_OF_TYPE`. */
  compileError(id: number): Promise<string>;
  /** Its file gets another name. Throws `FILE_NAME`, also for one that a file has already. */
  rename(id: number, file: string): Promise<void>;
  /** Starts it and does not wait; what goes wrong is logged. Throws `NOT_OF_TYPE`, `BUSY`. */
  start(run: ScriptRun): void;
  /** Resolves with what it printed; rejects with `SCRIPT_FAILED`, `TIMED_OUT`, `NOT_OF_TYPE`, `BUSY`, `STOPPING`. */
  run(run: ScriptRun): Promise<string>;
  /** Stops all runs of a script; false where there is none. Throws `NOT_OF_TYPE`. */
  abort(id: number): boolean;
  /** Whether the semaphore is the calling script's within that time. Throws `NOT_ALLOWED` outside of a script, `BUSY`. */
  enter(name: string, ms: number, caller: Caller): boolean | Promise<boolean>;
  /** Whether the semaphore was the calling script's. Throws `NOT_ALLOWED` outside of a script. */
  leave(name: string, caller: Caller): boolean;
  /** Resolves when the time has passed; rejects when who waits is stopped. */
  sleep(ms: number, caller: Caller): Promise<void>;
  /** How often each sender (`SENDER`) has had a script run, since the start. */
  senders(): ReadonlyMap<string, number>;
  /** Every slot for a script's process. */
  threads(): Promise<readonly ScriptThread[]>;
}

/** The contents of media objects: files. `src/media` implements it; all throw `NOT_OF_TYPE`. */
export interface MediaPort {
  readonly icons: IconsPort;
  /** The longest content, in bytes, that is read or written. */
  readonly limit: number;
  /** Takes up what became of its file outside of the gateway. */
  refresh(id: number): Promise<void>;
  /** Throws `FILE_MISSING`, `TEXT_TOO_LONG`, and `NOT_SUPPORTED` for a stream. */
  content(id: number): Promise<Buffer>;
  /** Throws `TEXT_TOO_LONG`, `STORE_FAILED`, and `NOT_SUPPORTED` for a stream. */
  setContent(id: number, bytes: Uint8Array): Promise<void>;
  /** A file, or a stream's URL. Throws `FILE_NAME`, `FILE_MISSING`. */
  setFile(id: number, path: string, mustExist: boolean): Promise<void>;
  setCached(id: number, cached: boolean): void;
  /** Tells that its content has changed. Throws `FILE_MISSING`. */
  announceChange(id: number): Promise<void>;
  /** Throws `HAS_CHILDREN`. */
  delete(id: number, deleteFile: boolean): Promise<void>;
  /** The object with this file or URL. Throws `FILE_NAME`. */
  findFile(path: string): number | undefined;
}

/** The icons that there are. */
export interface IconsPort {
  names(): Promise<string[]>;
  /** As SVG. Throws `ICON_MISSING`, `TEXT_TOO_LONG`. */
  content(name: string): Promise<Buffer>;
}

/** What is known of the program and the machine, and what only the process can do. */
export interface SystemPort {
  /** `<major>.<minor>`, readable as a float (decision 17). */
  readonly version: string;
  /** Which build it is. */
  readonly revision: string;
  /** When it was built, unix seconds. */
  readonly builtAt: number;
  /** The data directory, absolute, ending in `/`. */
  readonly kernelDir: string;
  /** Where the program stands, absolute, ending in `/`. */
  readonly programDir: string;
  readonly logDir: string;
  /** Unix seconds. */
  readonly startedAt: number;
  /** As `Linux`, `x86_64`. */
  readonly platform: string;
  readonly architecture: string;
  /** As `en_US`. */
  readonly language: string;
  /** As `Europe/Berlin`. */
  readonly timezone: string;
  /** Named checks, each with its state, since when, and what to do. */
  health(): ReadonlyStatic<typeof shapes.health>;
  /** The newest entries, newest first; with a role only those. */
  audit(limit: number, role?: AuditRole): Promise<readonly AuditRecord[]> | readonly AuditRecord[];
  /** Gives memory back that is not needed; false: it can't be asked for here. */
  trimMemory(): Promise<boolean>;
  /** Ends the program, as SIGTERM does; absent where it is not ours to end. */
  readonly stop?: () => void;
  /** Reads the configuration again: what was applied, and what needs a restart. Rejects with `CONFIGURATION_INVALID`. */
  reload(): Promise<ReadonlyStatic<typeof shapes.reload>>;
  /** Objects that the configuration no longer lists; with `remove`, they are deleted. */
  prune(remove: boolean): Promise<ReadonlyStatic<typeof shapes.orphans>>;
}

/** The machine, as `src/service` reads it; sizes are in bytes. */
export interface MachinePort {
  processors(): Promise<ReadonlyStatic<typeof machineShapes.processors>>;
  memory(): Promise<ReadonlyStatic<typeof machineShapes.memory>>;
  process(): Promise<ReadonlyStatic<typeof machineShapes.processFigures>>;
  battery(): Promise<ReadonlyStatic<typeof machineShapes.battery>>;
  drives(): Promise<ReadonlyStatic<typeof machineShapes.drives>>;
  networks(): Promise<ReadonlyStatic<typeof machineShapes.networks>>;
  spooler(): Promise<ReadonlyStatic<typeof machineShapes.printJobs>>;
  /** Of the data directory and its disk. */
  room(): Promise<ReadonlyStatic<typeof machineShapes.room>>;
  /** Throws `NOT_SUPPORTED`, `NOT_ALLOWED`. */
  ping(host: string, timeoutMs: number): Promise<boolean>;
  /** Throws `URL_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`. */
  content(wish: FetchRequest): Promise<string>;
}

/** The log: what callers write to it, and what it has had. */
export interface LogPort {
  /** Writes a line under a sender of the caller's. */
  custom(text: string, by: { readonly sender: string; readonly user: string }): void;
  readonly messages: {
    counts(): ReadonlyStatic<typeof machineShapes.logStatistics>;
    /** Of a type (`logTypes`), the newest first. */
    last(type: number): ReadonlyStatic<typeof machineShapes.logMessages>;
    resetCounts(): void;
    resetLast(): void;
  };
}

/** A client on a WebSocket: what waits to be taken by it, and how many of its calls are under way. */
export interface SocketStatistics {
  readonly remote: string;
  readonly messages: number;
  readonly bytes: number;
  readonly calls: number;
}

/** Who is connected, as `src/api` knows it. */
export interface ConnectionsPort {
  sockets(): readonly SocketStatistics[];
  /** Calls over HTTP that are under way. */
  calls(): number;
  /** How many connections are open that are no WebSockets. */
  webServers(): Promise<number>;
  /** A password for so many seconds. Throws `BUSY`. */
  createToken(validForS: number): string;
}
