import type { Cancel, Clock } from '../base/clock.js';
import { fault } from '../base/fault.js';
import type { Instance } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { message } from '../kernel/messages.js';
import type { Value } from '../kernel/value.js';
import type { ModuleDefinition } from './module.js';
import { HIDDEN, secretsOfProperties } from './properties.js';

/** What is shown of one message's data at most, bytes or characters. */
export const DEBUG_DATA_LIMIT = 2048;
/** What is looked at for secrets: one that begins within what is shown ends in it. */
const LOOKED_AT = 2 * DEBUG_DATA_LIMIT;
/** Messages of one object that are told in a second: more can't be read, and would push all else out of the buffer. */
export const DEBUG_MESSAGES_PER_SECOND = 200;
/** Objects that can be followed at a time. */
export const DEBUGGED_OBJECTS_LIMIT = 100;

/** How the data of a debug message is written (`SVC_SendDebug`). */
export const debugFormat = { text: 0, hex: 1 } as const;

/** Where the debug messages of one object are written to. */
export interface DebugFile {
  /** Never throws, and does not wait for the disk. */
  write(line: string): void;
  /** Resolves when all is written. */
  close(): Promise<void>;
}

/** What is shown of an object: what happens, its data, and what must not stand in either. */
export interface DebugMessage {
  readonly what: string;
  readonly data: string | Uint8Array;
  readonly secrets?: readonly string[];
}

export interface DebugOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  /** Begins or goes on with the file of an object. Rejects with what keeps it from being written. */
  readonly openFile?: (id: number) => Promise<DebugFile>;
}

/** An object that somebody follows. */
interface Followed {
  /** Ends telling those who follow the changes; undefined: they are not told. */
  live: Cancel | undefined;
  file: DebugFile | undefined;
  second: number;
  count: number;
}

/**
 * What goes over an instance's wires, while somebody wants to see it: as KL_DEBUG in the change stream, and in a file.
 * Nothing is kept from one time to the next.
 */
export class Debug implements AsyncDisposable {
  readonly #options: DebugOptions;
  readonly #followed = new Map<number, Followed>();
  /** Whether anything is followed: what is tested before a message is made. */
  isOn = false;

  constructor(options: DebugOptions) {
    this.#options = options;
  }

  /** Tells what an object sends for so many seconds from now on. Throws `BUSY`. */
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

  /** Writes what an object sends to a file, until it is told to stop or the gateway ends. Throws `BUSY`. */
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

  /** Resolves when all is written. */
  async disableFile(id: number): Promise<void> {
    const followed = this.#followed.get(id);
    const file = followed?.file;
    if (followed !== undefined) followed.file = undefined;
    this.#tidy(id);
    await file?.close();
  }

  /** A message of an object, if it is followed. In data that is bytes or text no secret is shown. */
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

  /** Follows nothing any more; resolves when all files are written. */
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
    // One message is one line, whatever a device sends.
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

  /** Forgets what is followed in no way. */
  #tidy(id: number): void {
    const followed = this.#followed.get(id);
    if (followed?.live === undefined && followed?.file === undefined) this.#followed.delete(id);
    this.isOn = this.#followed.size > 0;
  }
}

/** What one instance sends; its secrets are hidden. */
export class DebugTap {
  readonly #debug: Debug;
  readonly #instance: Instance;
  readonly #module: ModuleDefinition;

  constructor(debug: Debug, instance: Instance, module: ModuleDefinition) {
    this.#debug = debug;
    this.#instance = instance;
    this.#module = module;
  }

  /** What happens, the data, and what they are about. Does nothing while nobody follows anything. */
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

/** In hexadecimal. A secret is hidden wherever its bytes stand, also at the end of what is shown. */
function hexOf(data: Uint8Array, secrets: readonly string[]): string {
  if (secrets.length === 0) return Buffer.from(data.subarray(0, DEBUG_DATA_LIMIT)).toString('hex');
  const looked = Buffer.from(data.subarray(0, LOOKED_AT)).toString('latin1');
  const bytes = secrets.map((secret) => Buffer.from(secret).toString('latin1'));
  return Buffer.from(hidden(looked, bytes), 'latin1').toString('hex');
}
