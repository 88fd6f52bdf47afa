import { coded } from '../base/codes/coded-text.js';
import { HIDDEN } from '../base/url-secrets.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { message } from '../kernel/messages.js';
import type { Value } from '../kernel/value.js';
import type { ModuleDefinition } from './module.js';
import { secretsOfProperties } from './properties.js';

/** The limit of one message's data, bytes or characters. */
export const DEBUG_DATA_LIMIT = 2048;
/**
 * The part of the data that is searched for secrets: a secret that starts within the shown part ends within
 * this one.
 */
const SEARCHED_LENGTH = 2 * DEBUG_DATA_LIMIT;
/**
 * The limit of messages per object and second: more can't be read, and would evict everything else from the
 * change buffer.
 */
export const DEBUG_MESSAGES_PER_SECOND = 200;
/** The limit of objects that are debugged at the same time. */
export const DEBUGGED_OBJECTS_LIMIT = 100;

/** The format of a debug message's data (`SVC_SendDebug`). */
const debugFormat = { text: 0, hex: 1 } as const;

/** The file that one object's debug messages are written to. */
export interface DebugFile {
  /** Never throws and does not wait for the disk. */
  write(line: string): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** A debug message: what happens, the data, and the secrets to hide in both. */
interface DebugMessage {
  readonly what: string;
  readonly data: string | Uint8Array;
  readonly secrets?: readonly string[];
}

interface DebugOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** Opens the debug file of an object, or appends to it. Rejects if it can't be written. */
  readonly openFile?: (id: number) => Promise<DebugFile>;
}

/** An object that is being debugged. */
interface DebugSession {
  /** Cancels the output to the change stream; undefined if there is none. */
  live: Cancel | undefined;
  /** When that output ends, ns of the monotonic clock. */
  endNs: bigint;
  file: DebugFile | undefined;
  second: number;
  count: number;
}

/**
 * The debug output of instances: what goes over the wire, as KL_DEBUG messages in the change stream and in
 * files, while debugging is enabled. Nothing is stored in between.
 */
export class Debug implements AsyncDisposable {
  readonly #options: DebugOptions;
  readonly #sessions = new Map<number, DebugSession>();
  /** Whether any object is being debugged; tested before a message is created. */
  isOn = false;

  constructor(options: DebugOptions) {
    this.#options = options;
  }

  /**
   * Emits an object's debug messages for at least `durationS` seconds from now: somebody else may have
   * requested them for longer. Throws `BUSY`.
   */
  enable(id: number, durationS: number): void {
    const session = this.#sessionOf(id);
    const endNs = this.#options.clock.monotonicNs() + BigInt(durationS) * 1_000_000_000n;
    if (session.live !== undefined && endNs <= session.endNs) return;
    session.endNs = endNs;
    session.live?.();
    session.live = this.#options.clock.after(durationS * 1000, () => this.disable(id));
  }

  disable(id: number): void {
    const session = this.#sessions.get(id);
    session?.live?.();
    if (session !== undefined) session.live = undefined;
    this.#removeIfIdle(id);
  }

  /** Writes an object's debug messages to a file until it is disabled or the gateway stops. Throws `BUSY`. */
  async enableFile(id: number): Promise<void> {
    const { openFile } = this.#options;
    const session = this.#sessionOf(id);
    try {
      if (openFile === undefined)
        throw fault('NOT_SUPPORTED', coded`WHAT_DEBUG_FILE: A debug file without a data directory`);
      const file = await openFile(id);
      if (session.file === undefined && this.#sessions.get(id) === session) session.file = file;
      else await file.close();
    } finally {
      this.#removeIfIdle(id);
    }
  }

  /** Resolves when everything is written. */
  async disableFile(id: number): Promise<void> {
    const session = this.#sessions.get(id);
    const file = session?.file;
    if (session !== undefined) session.file = undefined;
    this.#removeIfIdle(id);
    await file?.close();
  }

  /** Emits a debug message if the object is being debugged. Secrets in the data are hidden. */
  send(id: number, { what, data, secrets = [] }: DebugMessage): void {
    const session = this.#sessions.get(id);
    if (session === undefined) return;
    const nowMs = this.#options.clock.nowMs();
    const second = Math.floor(nowMs / 1000);
    if (second !== session.second) {
      const left = session.count - DEBUG_MESSAGES_PER_SECOND;
      session.second = second;
      session.count = 0;
      if (left > 0)
        this.#emit(id, session, ['omitted', `${left} messages of one second`, debugFormat.text, nowMs]);
    }
    if (++session.count > DEBUG_MESSAGES_PER_SECOND) return;
    const length = data.length > DEBUG_DATA_LIMIT ? ` (${DEBUG_DATA_LIMIT} of ${data.length})` : '';
    const shown = typeof data === 'string' ? hidden(data, secrets) : hexOf(data, secrets);
    const format = typeof data === 'string' ? debugFormat.text : debugFormat.hex;
    const limit = format === debugFormat.hex ? DEBUG_DATA_LIMIT * 2 : DEBUG_DATA_LIMIT;
    this.#emit(id, session, [hidden(what, secrets) + length, shown.slice(0, limit), format, nowMs]);
  }

  /** Stops all output; resolves when all files are written. */
  async close(): Promise<void> {
    const all = [...this.#sessions.values()];
    for (const { live } of all) live?.();
    this.#sessions.clear();
    this.isOn = false;
    await Promise.all(all.flatMap(({ file }) => file?.close() ?? []));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #emit(id: number, { live, file }: DebugSession, data: readonly [string, string, number, number]): void {
    if (live !== undefined) this.#options.kernel.changes.emit(id, message.KL_DEBUG, data);
    const [what, shown, , atMs] = data;
    // One message is one line, even if the data has line breaks.
    file?.write(`${new Date(atMs).toISOString()} ${what}: ${JSON.stringify(shown).slice(1, -1)}\n`);
  }

  #sessionOf(id: number): DebugSession {
    let session = this.#sessions.get(id);
    if (session === undefined) {
      if (this.#sessions.size >= DEBUGGED_OBJECTS_LIMIT)
        throw fault('BUSY', coded`TOO_MANY_OBJECTS_BEING: Too many objects are being debugged`);
      session = { live: undefined, endNs: 0n, file: undefined, second: 0, count: 0 };
      this.#sessions.set(id, session);
      this.isOn = true;
    }
    return session;
  }

  /** Removes the session of an object that is no longer debugged. */
  #removeIfIdle(id: number): void {
    const session = this.#sessions.get(id);
    if (session?.live === undefined && session?.file === undefined) this.#sessions.delete(id);
    this.isOn = this.#sessions.size > 0;
  }
}

/** The debug output of one instance; its secrets are hidden. */
export class DebugTap {
  readonly #debug: Debug;
  readonly #instance: Instance;
  readonly #module: ModuleDefinition;

  constructor(debug: Debug, instance: Instance, module: ModuleDefinition) {
    this.#debug = debug;
    this.#instance = instance;
    this.#module = module;
  }

  /**
   * Emits a message: what happens, the data, and what it is about. Does nothing while no object is being debugged.
   */
  send(what: string, data: Value | Uint8Array, about = ''): void {
    if (!this.#debug.isOn) return;
    const { id, data: own } = this.#instance;
    this.#debug.send(id, {
      what: about === '' ? what : `${what} ${about}`,
      data: data instanceof Uint8Array ? data : String(data),
      secrets: secretsOfProperties(this.#module, own.properties),
    });
  }
}

function hidden(text: string, secrets: readonly string[]): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text.slice(0, SEARCHED_LENGTH));
}

/**
 * Formats bytes in hexadecimal. Secrets are hidden wherever their bytes are, even at the end of the shown
 * part.
 */
function hexOf(data: Uint8Array, secrets: readonly string[]): string {
  if (secrets.length === 0) return Buffer.from(data.subarray(0, DEBUG_DATA_LIMIT)).toString('hex');
  const searched = Buffer.from(data.subarray(0, SEARCHED_LENGTH)).toString('latin1');
  const bytes = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  return Buffer.from(hidden(searched, bytes), 'latin1').toString('hex');
}
