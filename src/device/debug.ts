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
const LOOKED_AT = 2 * DEBUG_DATA_LIMIT;
/**
 * The limit of messages per object and second: more can't be read, and would evict everything else from the
 * change buffer.
 */
export const DEBUG_MESSAGES_PER_SECOND = 200;
/** The limit of objects that are debugged at the same time. */
export const DEBUGGED_OBJECTS_LIMIT = 100;

/** The format of a debug message's data (`SVC_SendDebug`). */
export const debugFormat = { text: 0, hex: 1 } as const;

/** The file that one object's debug messages are written to. */
export interface DebugFile {
  /** Never throws and does not wait for the disk. */
  write(line: string): void;
  /** Resolves when everything is written. */
  close(): Promise<void>;
}

/** A debug message: what happens, the data, and the secrets to hide in both. */
export interface DebugMessage {
  readonly what: string;
  readonly data: string | Uint8Array;
  readonly secrets?: readonly string[];
}

export interface DebugOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** Opens the debug file of an object, or appends to it. Rejects if it can't be written. */
  readonly openFile?: (id: number) => Promise<DebugFile>;
}

/** An object that is being debugged. */
interface Followed {
  /** Cancels the output to the change stream; undefined if there is none. */
  live: Cancel | undefined;
  file: DebugFile | undefined;
  second: number;
  count: number;
}

/**
 * The debug output of instances: what goes over the wire, as KL_DEBUG messages in the change stream and in
 * files, while somebody follows it. Nothing is stored in between.
 */
export class Debug implements AsyncDisposable {
  readonly #options: DebugOptions;
  readonly #followed = new Map<number, Followed>();
  /** Whether any object is followed; tested before a message is created. */
  isOn = false;

  constructor(options: DebugOptions) {
    this.#options = options;
  }

  /** Emits an object's debug messages for `durationS` seconds from now. Throws `BUSY`. */
  enable(id: number, durationS: number): void {
    const followed = this.#follow(id);
    followed.live?.();
    followed.live = this.#options.clock.after(durationS * 1000, () => this.disable(id));
  }

  disable(id: number): void {
    const followed = this.#followed.get(id);
    followed?.live?.();
    if (followed !== undefined) followed.live = undefined;
    this.#tidy(id);
  }

  /** Writes an object's debug messages to a file until it is disabled or the gateway stops. Throws `BUSY`. */
  async enableFile(id: number): Promise<void> {
    const { openFile } = this.#options;
    const followed = this.#follow(id);
    try {
      if (openFile === undefined) throw fault('NOT_SUPPORTED', 'A debug file without a data directory');
      const file = await openFile(id);
      if (followed.file === undefined && this.#followed.get(id) === followed) followed.file = file;
      else await file.close();
    } finally {
      this.#tidy(id);
    }
  }

  /** Resolves when everything is written. */
  async disableFile(id: number): Promise<void> {
    const followed = this.#followed.get(id);
    const file = followed?.file;
    if (followed !== undefined) followed.file = undefined;
    this.#tidy(id);
    await file?.close();
  }

  /** Emits a debug message if the object is followed. Secrets in the data are hidden. */
  send(id: number, { what, data, secrets = [] }: DebugMessage): void {
    const followed = this.#followed.get(id);
    if (followed === undefined) return;
    const nowMs = this.#options.clock.nowMs();
    const second = Math.floor(nowMs / 1000);
    if (second !== followed.second) {
      const left = followed.count - DEBUG_MESSAGES_PER_SECOND;
      followed.second = second;
      followed.count = 0;
      if (left > 0)
        this.#tell(id, followed, ['left out', `${left} messages of one second`, debugFormat.text, nowMs]);
    }
    if (++followed.count > DEBUG_MESSAGES_PER_SECOND) return;
    const length = data.length > DEBUG_DATA_LIMIT ? ` (${DEBUG_DATA_LIMIT} of ${data.length})` : '';
    const shown = typeof data === 'string' ? hidden(data, secrets) : hexOf(data, secrets);
    const format = typeof data === 'string' ? debugFormat.text : debugFormat.hex;
    const most = format === debugFormat.hex ? DEBUG_DATA_LIMIT * 2 : DEBUG_DATA_LIMIT;
    this.#tell(id, followed, [hidden(what, secrets) + length, shown.slice(0, most), format, nowMs]);
  }

  /** Stops all output; resolves when all files are written. */
  async close(): Promise<void> {
    const all = [...this.#followed.values()];
    for (const { live } of all) live?.();
    this.#followed.clear();
    this.isOn = false;
    await Promise.all(all.flatMap(({ file }) => file?.close() ?? []));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #tell(id: number, { live, file }: Followed, data: readonly [string, string, number, number]): void {
    if (live !== undefined) this.#options.kernel.changes.emit(id, message.KL_DEBUG, data);
    const [what, shown, , atMs] = data;
    // One message is one line, even if the data has line breaks.
    file?.write(`${new Date(atMs).toISOString()} ${what}: ${JSON.stringify(shown).slice(1, -1)}\n`);
  }

  #follow(id: number): Followed {
    let followed = this.#followed.get(id);
    if (followed === undefined) {
      if (this.#followed.size >= DEBUGGED_OBJECTS_LIMIT)
        throw fault('BUSY', 'Too many objects are being debugged');
      followed = { live: undefined, file: undefined, second: 0, count: 0 };
      this.#followed.set(id, followed);
      this.isOn = true;
    }
    return followed;
  }

  /** Removes an object that is no longer followed. */
  #tidy(id: number): void {
    const followed = this.#followed.get(id);
    if (followed?.live === undefined && followed?.file === undefined) this.#followed.delete(id);
    this.isOn = this.#followed.size > 0;
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
   * Emits a message: what happens, the data, and what it is about. Does nothing while no object is followed.
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
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text.slice(0, LOOKED_AT));
}

/**
 * Formats bytes in hexadecimal. Secrets are hidden wherever their bytes are, even at the end of the shown
 * part.
 */
function hexOf(data: Uint8Array, secrets: readonly string[]): string {
  if (secrets.length === 0) return Buffer.from(data.subarray(0, DEBUG_DATA_LIMIT)).toString('hex');
  const looked = Buffer.from(data.subarray(0, LOOKED_AT)).toString('latin1');
  const bytes = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  return Buffer.from(hidden(looked, bytes), 'latin1').toString('hex');
}
