import { createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { rm, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Clock } from '../../base/clock.js';
import { codeOf, isAbort, messageOf } from '../../base/fault.js';
import { readSmall, type BoxFiles, type UpdateState } from '../../service/updates/box-files.js';
import { isNewer } from '../../service/updates/version-order.js';
import { lockDirectory } from '../../store/directory-lock.js';
import type { SlotUpdates } from './slot-updates.js';

/** No update is larger: a slot has 640 MiB. */
const DOWNLOAD_BYTES = 1024 ** 3;
/** A download leaves this much of the data partition to the gateway, which commits there. */
const KEEP_FREE_BYTES = 100 * 1000 ** 2;
/** The free space is checked once per this much of a download, bytes: others write at the same time. */
const SPACE_CHECK_BYTES = 8 * 1024 ** 2;
/**
 * Limit of a download, ms: 15 kB/s for 107 MB. box-update.service may take 3 h; if systemd stopped it, the
 * owner would not learn why.
 */
const DOWNLOAD_MS = 2 * 3_600_000;
/**
 * The state is written at least this often while work is in progress, so that an end without a report is
 * noticed, ms.
 */
const REPORT_MS = 10_000;
const IDLE: UpdateState = { atMs: 0, busy: '', version: '', percent: 0, problem: '', slots: [] };

/** How an update is installed. */
interface InstallOptions {
  /** Also a version that was rolled back. */
  readonly again?: boolean;
  /** Only a version that is newer, and was neither rolled back nor left by the owner. */
  readonly isAutomatic?: boolean;
  /** The version that the update must have; '' if any. */
  readonly expected?: string;
  readonly onLine?: (line: string) => void;
}

interface Host {
  readonly clock: Pick<Clock, 'after' | 'every' | 'monotonicNs'>;
  /** The free space of a directory's file system, bytes. */
  readonly freeBytes?: ((directory: string) => Promise<number>) | undefined;
}

/** Installs updates and activates slots, and reports what it does in a file that the gateway reads. */
export class UpdateWork {
  readonly #updates: SlotUpdates;
  readonly #files: BoxFiles;
  readonly #clock: Host['clock'];
  readonly #freeBytes: (directory: string) => Promise<number>;
  #state = IDLE;

  constructor(updates: SlotUpdates, files: BoxFiles, { clock, freeBytes = freeBytesOf }: Host) {
    this.#updates = updates;
    this.#files = files;
    this.#clock = clock;
    this.#freeBytes = freeBytes;
  }

  /** Reports the slots as they are; does nothing while another process works, which reports them at its end. */
  async status(): Promise<void> {
    using lock = this.#lock();
    if (lock !== undefined) await this.#run({}, async () => undefined);
  }

  /**
   * Installs an update into the other slot, which the next start then uses. Returns its version; undefined if
   * it is not one that is installed automatically.
   */
  async install(source: string, options: InstallOptions = {}): Promise<string | undefined> {
    return this.#runAlone({ busy: 'install' }, async () => {
      const running = await this.#updates.running();
      if (!/^https?:/.test(source)) return this.#installFile(source, running, options);
      try {
        await this.#download(source);
        return await this.#installFile(this.#files.download, running, options);
      } finally {
        await rm(this.#files.download, { force: true });
      }
    });
  }

  async #installFile(
    file: string,
    { version: current, rolledBack }: Awaited<ReturnType<SlotUpdates['running']>>,
    { again = false, isAutomatic = false, expected = '', onLine }: InstallOptions,
  ): Promise<string | undefined> {
    const version = await this.#updates.inspect(file);
    // Old versions are signed, too: the signature does not prevent a downgrade.
    if (expected !== '' && version !== expected)
      throw new Error(`${expected} was offered, but the update is ${version}; check for updates again`);
    if (isAutomatic) {
      const skipped = (await readSmall(this.#files.skipped))?.trim();
      if (!isNewer(version, current) || version === skipped || version === rolledBack?.version)
        return undefined;
    }
    if (version === rolledBack?.version && !again)
      throw new Error(
        `${version} was rolled back. stellwerk update install --again installs it nevertheless`,
      );
    if ((await readSmall(this.#files.verdict))?.startsWith('healthy') !== true)
      throw new Error(
        `${current} is not confirmed yet, and the other slot is what the box would roll back to; try again in some minutes`,
      );
    this.#report({ busy: 'install', version, percent: 0 });
    await this.#updates.install(file, (line) => {
      onLine?.(line);
      const [, percent] = /^\s*(\d+)%/.exec(line) ?? [];
      if (percent !== undefined) this.#report({ percent: Number(percent) });
    });
    return version;
  }

  async #download(source: string): Promise<void> {
    this.#report({ busy: 'download', percent: 0 });
    const { host } = new URL(source);
    const limit = new AbortController();
    const cancel = this.#clock.after(DOWNLOAD_MS, () =>
      limit.abort(new Error(`${host} did not send the update within ${DOWNLOAD_MS / 3_600_000} h`)),
    );
    // By default, they end the process, and the incomplete file would stay.
    const stop = () => limit.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
    try {
      await this.#fetch(source, { host, signal: limit.signal });
    } catch (thrown) {
      throw limit.signal.aborted ? limit.signal.reason : thrown;
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stop);
      cancel();
    }
  }

  async #fetch(
    source: string,
    { host, signal }: { readonly host: string; readonly signal: AbortSignal },
  ): Promise<void> {
    const response = await fetch(source, { signal }).catch((thrown: unknown) => {
      throw new Error(`${host} does not reply: ${messageOf(thrown)}`);
    });
    if (!response.ok || response.body === null)
      throw new Error(`${host} returned ${response.status} ${response.statusText}`.trimEnd());
    const total = Number(response.headers.get('content-length')) || 0;
    let bytes = 0;
    let checkedBytes = 0;
    const counted = async function* (this: UpdateWork, content: AsyncIterable<Uint8Array>) {
      for await (const chunk of content) {
        bytes += chunk.length;
        if (bytes > DOWNLOAD_BYTES)
          throw new Error(`${host} sent more than ${DOWNLOAD_BYTES} bytes: this is not an update of a box`);
        if (bytes - checkedBytes >= SPACE_CHECK_BYTES) {
          checkedBytes = bytes;
          await this.#ensureSpace(0);
        }
        if (total > 0) this.#report({ percent: Math.floor((bytes * 100) / total) });
        yield chunk;
      }
    }.bind(this);
    mkdirSync(dirname(this.#files.download), { recursive: true });
    // What a killed process has left.
    await rm(this.#files.download, { force: true });
    await this.#ensureSpace(total);
    const body = Readable.fromWeb(response.body as ReadableStream<Uint8Array>);
    await pipeline(body, counted, createWriteStream(this.#files.download, { mode: 0o600 }), { signal });
  }

  /** Rejects if the data partition does not have room for a size, and what must stay free. */
  async #ensureSpace(bytes: number): Promise<void> {
    const directory = dirname(this.#files.download);
    const free = await this.#freeBytes(directory);
    if (free >= bytes + KEEP_FREE_BYTES) return;
    const [needed, kept, left] = [bytes, KEEP_FREE_BYTES, free].map((size) => Math.floor(size / 1000 ** 2));
    throw new Error(
      `the update does not fit in ${directory}: ${left} MB are free, ${kept} MB must stay free${bytes > 0 ? `, and it has ${needed} MB` : ''}; delete files, or install it from a USB stick`,
    );
  }

  /**
   * Makes the next start use the other slot. Returns that slot. Automatic updates skip the version that is
   * left.
   */
  async back(): Promise<{ readonly name: string; readonly version: string | undefined }> {
    return this.#runAlone({ busy: 'back' }, async () => {
      const { slots } = await this.#updates.status();
      const other = slots.find(({ isBooted }) => !isBooted);
      if (other === undefined || !other.isGood) throw new Error('the other slot has no usable system');
      await this.#updates.activateOther();
      const left = slots.find(({ isBooted }) => isBooted)?.version;
      if (left !== undefined) write(this.#files.skipped, `${left}\n`);
      return other;
    });
  }

  /** Takes the lock of all work; undefined while another process has it. The kernel releases it if a process ends. */
  #lock(): Disposable | undefined {
    const directory = dirname(this.#files.state);
    const own = join(directory, 'lock');
    mkdirSync(directory, { recursive: true, mode: 0o755 });
    // Who can open the file could hold the lock.
    mkdirSync(own, { recursive: true, mode: 0o700 });
    try {
      return lockDirectory(own);
    } catch (thrown) {
      if (codeOf(thrown) === 'STORE_UNUSABLE') return undefined;
      throw thrown;
    }
  }

  async #runAlone<T>(begin: Partial<UpdateState>, work: () => Promise<T>): Promise<T> {
    using lock = this.#lock();
    if (lock === undefined)
      throw new Error(
        'another update is in progress; stellwerk update status shows it. Try again at its end',
      );
    return await this.#run(begin, work);
  }

  async #run<T>(begin: Partial<UpdateState>, work: () => Promise<T>): Promise<T> {
    this.#report({ ...IDLE, ...begin });
    const cancel = this.#clock.every(REPORT_MS, () => this.#write());
    let problem = '';
    try {
      return await work();
    } catch (thrown) {
      if (!isAbort(thrown)) problem = messageOf(thrown);
      throw thrown;
    } finally {
      cancel();
      const slots = await this.#updates.status().then(
        (status) => status.slots,
        () => [],
      );
      this.#report({ ...IDLE, problem, slots });
    }
  }

  #report(change: Partial<UpdateState>): void {
    const next = { ...this.#state, ...change };
    if (JSON.stringify(next) === JSON.stringify(this.#state)) return;
    this.#state = next;
    this.#write();
  }

  #write(): void {
    const atMs = Number(this.#clock.monotonicNs() / 1_000_000n);
    write(this.#files.state, JSON.stringify({ ...this.#state, atMs }));
  }
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

/** Replaces a file that the gateway may read. */
function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(`${path}.new`, content, { mode: 0o644 });
  renameSync(`${path}.new`, path);
}
