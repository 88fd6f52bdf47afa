import type { ArchivePort } from '../archive/port.js';
import type { Clock } from '../base/clock.js';
import type { Histogram } from '../base/metrics/histogram.js';
import type { FetchRequest } from '../base/requests/fetch-request.js';
import type { Log, LogRecord } from '../base/log.js';
import type { TaskList, TaskProgress } from '../base/tasks/task-list.js';
import type { ProgramRequest } from '../base/requests/program-request.js';
import type { AuditRecord, AuditRole } from '../kernel/audit-record.js';
import type { Caller, ReadonlyStatic } from '../device/declare.js';
import type { Debug } from '../device/debug.js';
import type { Devices } from '../device/devices.js';
import type { EventEngine } from '../events/event-engine.js';
import type { Configurator } from '../kernel/configurator.js';
import type { Kernel } from '../kernel/kernel.js';
import type * as machineShapes from './machine-shapes.js';
import type * as backupShapes from './backup-shapes.js';
import type * as updateShapes from './update-shapes.js';
import type * as targetShapes from './target-shapes.js';
import type * as configurationShapes from './configuration-shapes.js';
import type { Deletions } from './deletion/deletions.js';
import type { MessageWatch } from './message-watch.js';
import type { Options } from './options.js';
import type * as shapes from './shapes.js';

/** What the functions need from the process; the composition provides it. */
export interface Ports {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly devices: Devices;
  readonly deletions: Deletions;
  readonly tasks: TaskList;
  readonly debug: Debug;
  readonly scripts: ScriptsPort;
  /** Loaded on first use. */
  readonly media: () => Promise<MediaPort>;
  /** Starts the event engine, which is loaded for the first event. */
  readonly events: () => Promise<Pick<EventEngine, 'decisionsOf' | 'stateOf'>>;
  readonly configurators: ConfiguratorsPort;
  readonly messageLog: LogPort;
  /** Undefined while no listener is open yet. */
  readonly connections: () => ConnectionsPort | undefined;
  readonly messageWatch: MessageWatch;
  readonly system: SystemPort;
  /** Loaded on first use. */
  readonly configuration: () => Promise<ConfigurationPort>;
  /** Loaded on first use. */
  readonly backups: () => Promise<BackupsPort>;
  readonly targetBackups: () => Promise<TargetBackupsPort>;
  /** Loaded on first use. */
  readonly updates: () => Promise<UpdatesPort>;
  /** Loaded on first use. */
  readonly chips: () => Promise<ChipsPort>;
  readonly options: Options;
  /** Queries about the machine; loaded on first use. */
  readonly machine: () => Promise<MachinePort>;
  /** The archive, opened on first use. */
  readonly archive: () => Promise<ArchivePort>;
  /**
   * Runs a program and returns its output. Throws `NOT_ALLOWED` unless the configuration allows it, and as
   * `ProgramRunner`.
   */
  readonly execute: (request: ProgramRequest) => Promise<string>;
}

/** The current configurators; a reload of the configuration may change them. */
export interface ConfiguratorsPort {
  /** Ordered by position, then id (interface, decision 1). */
  all(): readonly Configurator[];
  /**
   * Data stored for a configurator outside of the tree (its items or mobile devices); undefined if there is
   * none.
   */
  frontData(id: number, what: FrontDataKind): string | undefined;
  /** Stores the data; this is a change of the configuration like any other. */
  saveFrontData(id: number, what: FrontDataKind, text: string): void;
}

/** Data that is stored for a configurator. */
type FrontDataKind = 'items' | 'devices';

/** A request to run a script. */
export interface ScriptRun {
  /** The script's id; absent for a text that runs once. */
  readonly id?: number;
  /** The text, if it is not a script of the tree. */
  readonly text?: string;
  /** The script's global `PARAMETERS`. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The script's global `SENDER`: `RunScript`, `Action`, `WebFront` or any other word. */
  readonly sender: string;
  /** Who called; identifies a script that waits for this one. */
  readonly caller: Caller;
}

/** State and statistics of one slot for a script process (interface §1). */
type ScriptThread = ReadonlyStatic<typeof shapes.scriptThread>;

/** Scripts, their texts and their runs; implemented in `src/script/`. */
export interface ScriptsPort {
  /** Creates a script with an empty file. Throws `IDS_EXHAUSTED`, `STORE_FAILED`. */
  create(): Promise<number>;
  /** Throws `NOT_OF_TYPE`, `HAS_CHILDREN`. */
  delete(id: number, deleteFile: boolean): Promise<void>;
  content(id: number): Promise<string>;
  /** Stores the text even if it cannot be compiled; the script is then marked as broken. */
  setContent(id: number, text: string): Promise<void>;
  /** Throws `FILE_NAME`. */
  setFile(id: number, file: string): Promise<void>;
  /** Why a script is broken, with file, line and column; '' if it is not broken. Throws `NOT_OF_TYPE`. */
  compileError(id: number): Promise<string>;
  /** Renames its file. Throws `FILE_NAME`, also if the name is taken. */
  rename(id: number, file: string): Promise<void>;
  /** Starts it without waiting; failures are logged. Throws `NOT_OF_TYPE`, `BUSY`. */
  start(run: ScriptRun): void;
  /**
   * Resolves with its output; rejects with `SCRIPT_FAILED`, `TIMED_OUT`, `NOT_OF_TYPE`, `BUSY`, `STOPPING`.
   */
  run(run: ScriptRun): Promise<string>;
  /** Stops all runs of a script; false if there is none. Throws `NOT_OF_TYPE`. */
  abort(id: number): boolean;
  /**
   * Acquires a semaphore for the calling script; false on timeout. Throws `NOT_ALLOWED` outside of a script,
   * `BUSY`.
   */
  enter(name: string, ms: number, caller: Caller): boolean | Promise<boolean>;
  /**
   * Releases a semaphore; false if the calling script does not hold it. Throws `NOT_ALLOWED` outside of a
   * script.
   */
  leave(name: string, caller: Caller): boolean;
  /** Resolves after the given time; rejects if the caller is stopped. */
  sleep(ms: number, caller: Caller): Promise<void>;
  /** Number of script runs since the start, by sender (`SENDER`). */
  senders(): ReadonlyMap<string, number>;
  /** All slots for script processes. */
  threads(): Promise<readonly ScriptThread[]>;
}

/**
 * The contents of media objects, which are files; implemented in `src/media/`. All methods throw
 * `NOT_OF_TYPE`.
 */
export interface MediaPort {
  readonly icons: IconsPort;
  /** Maximum size of content that is read or written, bytes. */
  readonly limit: number;
  /** Detects changes of its file by other programs. */
  refresh(id: number): Promise<void>;
  /** Throws `FILE_MISSING`, `TEXT_TOO_LONG`, and `NOT_SUPPORTED` for a stream. */
  content(id: number): Promise<Buffer>;
  /** Throws `TEXT_TOO_LONG`, `STORE_FAILED`, and `NOT_SUPPORTED` for a stream. */
  setContent(id: number, bytes: Uint8Array): Promise<void>;
  /** A file, or a stream's URL. Throws `FILE_NAME`, `FILE_MISSING`. */
  setFile(id: number, path: string, mustExist: boolean): Promise<void>;
  setCached(id: number, cached: boolean): void;
  /** Announces that its content has changed. Throws `FILE_MISSING`. */
  announceChange(id: number): Promise<void>;
  /** Throws `HAS_CHILDREN`. */
  delete(id: number, deleteFile: boolean): Promise<void>;
  /** The media object with this file or URL. Throws `FILE_NAME`. */
  findFile(path: string): number | undefined;
}

/** The available icons. */
interface IconsPort {
  names(): Promise<string[]>;
  /** The SVG file of an icon. Throws `ICON_MISSING`, `TEXT_TOO_LONG`. */
  content(name: string): Promise<Buffer>;
}

/** Facts about the program and the machine, and operations on the process. */
export interface SystemPort {
  /** `<major>.<minor>`, readable as a float (interface, decision 17). */
  readonly version: string;
  /** The version of the product. */
  readonly revision: string;
  /** Time of the build, unix seconds. */
  readonly builtAt: number;
  /** The data directory, absolute, ending in `/`. */
  readonly kernelDir: string;
  /** The directory of the program, absolute, ending in `/`. */
  readonly programDir: string;
  readonly logDir: string;
  /** Unix seconds. */
  readonly startedAt: number;
  /** For example `Linux`. */
  readonly platform: string;
  readonly architecture: string;
  /** For example `en_US`. */
  readonly language: string;
  /** For example `Europe/Berlin`. */
  readonly timezone: string;
  /** Named checks, each with its state, since when, and the remedy. */
  health(): ReadonlyStatic<typeof shapes.health>;
  /** Checks the configuration, the machine and the gateway now. */
  doctor(): Promise<ReadonlyStatic<typeof shapes.doctor>>;
  /** The newest records, newest first; with a role, only that role's. */
  audit(limit: number, role?: AuditRole): Promise<readonly AuditRecord[]> | readonly AuditRecord[];
  /** The newest records of a role as they are stored, oldest first: lines of JSON with chained digests. */
  auditLines(limit: number, role: AuditRole): Promise<readonly string[]> | readonly string[];
  /** Returns unused memory to the machine. */
  trimMemory(): Promise<void>;
  /** Ends the program as SIGTERM does; absent if the gateway does not own the process. */
  readonly stop?: () => void;
  /**
   * Reloads the configuration; reports what was applied and what needs a restart. Rejects with
   * `CONFIGURATION_INVALID`.
   */
  reload(): Promise<ReadonlyStatic<typeof shapes.reload>>;
  /** Lists objects that the configuration no longer contains; with `remove`, deletes them. */
  prune(remove: boolean): Promise<ReadonlyStatic<typeof shapes.orphans>>;
}

/** The configuration as a text. */
export interface ConfigurationPort {
  read(): Promise<ReadonlyStatic<typeof configurationShapes.configurationText>>;
  /** Throws `TEXT_TOO_LONG`. */
  check(content: string): Promise<ReadonlyStatic<typeof configurationShapes.configurationProblems>>;
  /** Throws `CONFIGURATION_CHANGED`, `CONFIGURATION_INVALID`, `TEXT_TOO_LONG`, `FILE_FAILED`. */
  write(content: string, digest: string): Promise<ReadonlyStatic<typeof shapes.reload>>;
  /** The configuration with the tree as it is on the disk. Throws `FILE_FAILED`. */
  exported(values: boolean): Promise<ReadonlyStatic<typeof configurationShapes.configurationExport>>;
  settings(): Promise<ReadonlyStatic<typeof configurationShapes.configurationSettings>>;
  /** What `check` would report after changes. Throws `PARAMETER_BOUNDS`. */
  checkChanges(
    changes: ReadonlyStatic<typeof configurationShapes.settingChanges>,
  ): Promise<ReadonlyStatic<typeof configurationShapes.configurationProblems>>;
  /** Throws as `write`, and `PARAMETER_BOUNDS`. */
  change(
    changes: ReadonlyStatic<typeof configurationShapes.settingChanges>,
    digest: string,
  ): Promise<ReadonlyStatic<typeof shapes.reload>>;
  /** The file that the gateway was started with. */
  installed(): Promise<ReadonlyStatic<typeof configurationShapes.configurationText>>;
  /** Throws `NOT_SUPPORTED` without an overlay, and as `write`. */
  removeOverlay(digest: string): Promise<ReadonlyStatic<typeof shapes.reload>>;
  /** Throws `NAME_NOT_FOUND`, `CONFIGURATION_INVALID`, `FILE_FAILED`. */
  setPassword(target: string, password: string): Promise<ReadonlyStatic<typeof shapes.reload>>;
}

/** The backups in the data directory. All methods with a name throw `FILE_MISSING`. */
export interface BackupsPort {
  list(): Promise<readonly ReadonlyStatic<typeof backupShapes.backupRecord>[]>;
  /** Throws `FILE_FAILED`, `CANCELLED`. */
  make(note: string, progress: TaskProgress): Promise<ReadonlyStatic<typeof backupShapes.backupRecord>>;
  delete(name: string): Promise<void>;
  /** Restores it at the next start; '' cancels that. Throws `STORE_UNUSABLE`, `CONFIGURATION_INVALID`. */
  restore(name: string): Promise<ReadonlyStatic<typeof backupShapes.restoreReport>>;
  /** The path of its file. */
  path(name: string): Promise<string>;
  /** Makes the next start delete everything. */
  reset(): Promise<void>;
}

/** Encrypted backups on other machines. All methods with a target throw `NAME_NOT_FOUND` if there is none. */
export interface TargetBackupsPort {
  list(): ReadonlyStatic<typeof targetShapes.targetList>;
  createKey(): Promise<ReadonlyStatic<typeof targetShapes.recoveryKey>>;
  /**
   * Writes and reads a small file on a target that need not be in the configuration; `***` stands for the stored
   * secret of the target with the same name. Throws `CONFIGURATION_INVALID`, `BACKUP_TARGET_FAILED`.
   */
  test(target: object, progress: TaskProgress): Promise<boolean>;
  /** Throws `NOT_SUPPORTED` without a key, `BACKUP_TARGET_FAILED`, `RECOVERY_KEY_WRONG`, as all that follow. */
  backups(
    target: string,
    progress: TaskProgress,
  ): Promise<readonly ReadonlyStatic<typeof targetShapes.targetBackup>[]>;
  run(target: string, progress: TaskProgress): Promise<ReadonlyStatic<typeof targetShapes.storedBackup>>;
  /** Compares a backup; '' is the newest. Throws `BACKUP_DAMAGED`. */
  verify(
    target: string,
    name: string,
    progress: TaskProgress,
  ): Promise<ReadonlyStatic<typeof targetShapes.verifiedBackup>>;
  /** Fetches a backup that the next start restores; returns its name there. Throws `BACKUP_DAMAGED`. */
  restore(target: string, name: string, progress: TaskProgress): Promise<string>;
}

/** Updates of a box with two slots. Its methods throw `NOT_SUPPORTED` on another machine, except for `status`. */
export interface UpdatesPort {
  status(): Promise<ReadonlyStatic<typeof updateShapes.boxUpdates>>;
  /** Asks the configured address. Throws `NAME_NOT_FOUND` without one, `URL_FAILED`, `TIMED_OUT`. */
  check(): Promise<ReadonlyStatic<typeof updateShapes.boxUpdates>>;
  /** Requests an installation, or with '' of the version that `check` found. Throws `BUSY`, `PARAMETER_BOUNDS`. */
  install(source: string): Promise<void>;
  /** Makes the next start use the other slot. Throws `BUSY`. */
  back(): Promise<void>;
  /** Restarts the box. Throws `BUSY`. */
  restart(): Promise<void>;
}

/** Chips on I²C that the machine's configuration declares. Both throw `CHIP_NOT_ENABLED`; no address is accessed. */
export interface ChipsPort {
  /** How the machine declares a chip (`bme280@1-0076`); changes nothing. */
  check(device: string): Promise<ReadonlyStatic<typeof machineShapes.chipPlan>>;
  /** Writes it. Throws `NOT_SUPPORTED` without the service that may do it, `BUSY`. */
  enable(device: string): Promise<ReadonlyStatic<typeof machineShapes.chipPlan>>;
}

/** The machine, as `src/service/` reads it; sizes are in bytes. */
export interface MachinePort {
  processors(): Promise<ReadonlyStatic<typeof machineShapes.processors>>;
  memory(): Promise<ReadonlyStatic<typeof machineShapes.memory>>;
  process(): Promise<ReadonlyStatic<typeof machineShapes.processFigures>>;
  battery(): Promise<ReadonlyStatic<typeof machineShapes.battery>>;
  hardware(): Promise<ReadonlyStatic<typeof machineShapes.hardware>>;
  drives(): Promise<ReadonlyStatic<typeof machineShapes.drives>>;
  networks(): Promise<ReadonlyStatic<typeof machineShapes.networks>>;
  spooler(): Promise<ReadonlyStatic<typeof machineShapes.printJobs>>;
  /** Size of the data directory and free space on its disk. */
  diskUsage(): Promise<ReadonlyStatic<typeof machineShapes.room>>;
  /** Throws `NOT_SUPPORTED`, `NOT_ALLOWED`. */
  ping(host: string, timeoutMs: number): Promise<boolean>;
  /** Throws `URL_FAILED`, `TIMED_OUT`, `TEXT_TOO_LONG`. */
  content(request: FetchRequest): Promise<string>;
}

/** The log: lines that callers write, counts, and the latest messages. */
interface LogPort {
  /** Writes a line with a sender chosen by the caller. */
  custom(text: string, by: { readonly sender: string; readonly user: string }): void;
  readonly messages: {
    counts(): ReadonlyStatic<typeof machineShapes.logStatistics>;
    /** The latest messages of a type (`logTypes`), newest first. */
    last(type: number): ReadonlyStatic<typeof machineShapes.logMessages>;
    resetCounts(): void;
    resetLast(): void;
  };
  readonly records: {
    /** The newest records that meet the conditions, oldest first. */
    find(query: {
      readonly sinceMs: number;
      readonly level: LogRecord['Level'];
      readonly subject: string;
      readonly limit: number;
    }): readonly LogRecord[];
  };
}

/** A WebSocket client: its queued messages and bytes, and its calls in progress. */
export interface SocketStatistics {
  readonly remote: string;
  readonly messages: number;
  readonly bytes: number;
  readonly calls: number;
}

/** A device that gets messages while its front is closed. */
export interface PushDevice {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  /** Unix seconds. */
  readonly at: number;
}

/** The open connections; implemented in `src/api/`. */
export interface ConnectionsPort {
  sockets(): readonly SocketStatistics[];
  /** What the API has counted since it was started. */
  figures(): {
    /** From an edge of an input to the write to the clients. */
    readonly edgeToPush: Histogram;
    /** Messages that slow clients have not received as they were. */
    readonly losses: { readonly coalesced: number; readonly dropped: number };
    /** Rejected requests by reason. */
    readonly authFailures: Readonly<Record<string, number>>;
  };
  /** Number of HTTP calls in progress. */
  calls(): number;
  /** Number of open connections that are not WebSockets. */
  webServers(): Promise<number>;
  /** Creates a password that is valid for `validForS` seconds. Throws `BUSY`. */
  createToken(validForS: number): string;
  /** The browsers that are signed in, most recently used first. */
  browserSessions(): Promise<
    readonly Omit<ReadonlyStatic<typeof machineShapes.browserSessions>[number], 'IsOwn'>[]
  >;
  /**
   * Creates a ticket with which the browser of the owner's session opens an area as its residents see it.
   * Throws `NOT_FOUND`, `ACCESS_DENIED`.
   */
  createFrontTicket(configurator: number, owner: string): string;
  /** The addresses that the gateway listens on. */
  listeners(): ReadonlyStatic<typeof machineShapes.listeners>;
  /** Signs a browser out; false if there is no such session. Rejects with `STORE_FAILED`. */
  endBrowserSession(id: string): Promise<boolean>;
  /** The browsers to which messages to the fronts of a configurator are pushed. */
  pushDevices(configurator: number): readonly PushDevice[];
  /** Ends the subscription of a browser; false if there is none with this ID. */
  removePushDevice(id: string): Promise<boolean>;
}
