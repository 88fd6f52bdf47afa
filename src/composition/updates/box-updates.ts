import { join } from 'node:path';
import { writeFileAtomically } from '../../base/atomic-write.js';
import { coded } from '../../base/codes/coded-text.js';
import type { Clock } from '../../base/clock.js';
import { fault, messageOf } from '../../base/fault.js';
import { parseJsonOr } from '../../base/json.js';
import type { Log } from '../../base/log.js';
import type { UpdatesConfig } from '../../config/schema/updates-schema.js';
import type { NameResolver } from '../../device/toolkit/name-resolver.js';
import type { UpdatesPort } from '../../functions/ports.js';
import { fetchText } from '../../service/fetch.js';
import {
  BOX_FILES,
  REQUEST_FILE,
  imageVersion,
  isImageVersion,
  isUpdateSource,
  readSmall,
  readState,
  type BoxFiles,
  type UpdateRequest,
} from '../../service/updates/box-files.js';
import { readRollbackNote } from '../../service/updates/rollback-note.js';
import { isNewer } from '../../service/updates/version-order.js';
import { DEFAULT_WINDOW, windowAt } from './update-window.js';

/** Interval for checking whether something is due, ms. */
const EVERY_MS = 60_000;
/** The service has this long to take a request, and to report again while it works, ms. */
const TAKEN_MS = 60_000;
const FETCH_MS = 30_000;

/** A request without what only an installation has. */
const REQUEST = { source: '', isAutomatic: false, version: '' } as const;

type Status = Awaited<ReturnType<UpdatesPort['status']>>;

interface Dependencies {
  readonly files?: BoxFiles;
  readonly clock: Clock;
  readonly names: NameResolver;
  readonly runtimeDirectory: string;
  readonly config: () => UpdatesConfig | undefined;
  readonly log: Log;
}

/** What the configured address offers. */
interface Offer {
  readonly version: string;
  readonly source: string;
  readonly checkedMs: number;
}

/**
 * The updates of a box. The gateway may not write slots: it asks for versions, and requests the rest from
 * `box-update.service`, which runs as root and verifies each update's signature.
 */
export class BoxUpdates implements UpdatesPort {
  readonly #dependencies: Dependencies;
  readonly #files: BoxFiles;
  readonly #request: string;
  readonly #stop: () => void;
  /** The part of the window that passes before the check: not all boxes ask in the same minute. */
  readonly #delay: number;
  #offer: Offer | undefined;
  #requestedMs = Number.NEGATIVE_INFINITY;
  #checkedWindowMs = 0;
  #isChecking = false;
  #isClosed = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(dependencies: Dependencies) {
    const { clock, files = BOX_FILES, runtimeDirectory } = dependencies;
    this.#dependencies = dependencies;
    this.#files = files;
    this.#request = join(runtimeDirectory, REQUEST_FILE);
    this.#delay = clock.random() / 2;
    this.#stop = clock.every(EVERY_MS, () => void this.#doDue());
  }

  /** Requests nothing more, not even after a check in progress. What was requested is done by the service. */
  async close(): Promise<void> {
    this.#stop();
    this.#isClosed = true;
    await this.#writing.catch(() => undefined); // its caller reports it
  }

  /** See {@link UpdatesPort}. */
  async status(): Promise<Status> {
    const { clock, config } = this.#dependencies;
    const [release, state, note, waiting] = await Promise.all([
      readSmall(this.#files.release),
      readState(this.#files.state),
      readRollbackNote(this.#files.rolledBack),
      readSmall(this.#request),
    ]);
    const version = imageVersion(release ?? '');
    const updates = config();
    // The service reports nothing before its first work since the box was started.
    if (version !== undefined && state === undefined && waiting === undefined && !this.#wasRequested())
      await this.#write({ ...REQUEST, action: 'status' });
    const offered = this.#offer;
    const isStalled = state !== undefined && state.busy !== '' && this.#nowMs() - state.atMs > TAKEN_MS;
    const busy = isStalled ? '' : (state?.busy ?? '');
    return {
      IsBox: version !== undefined,
      Version: version ?? '',
      Slots: (state?.slots ?? []).map((slot) => ({
        Name: slot.name,
        Version: slot.version ?? '',
        IsRunning: slot.isBooted,
        IsNext: slot.isNext,
        IsUsable: slot.isGood,
      })),
      Busy: waiting !== undefined && this.#wasRequested() ? 'waiting' : busy,
      Installing: state?.version ?? '',
      Percent: state?.percent ?? 0,
      Problem:
        isStalled || (waiting !== undefined && !this.#wasRequested()) ? NO_SERVICE : (state?.problem ?? ''),
      Available: offered === undefined || offered.version === version ? '' : offered.version,
      CheckedMs: offered?.checkedMs ?? 0,
      NextCheckMs: updates === undefined ? 0 : this.#nextCheckMs(updates, clock.nowMs()),
      RolledBack: note === undefined || note === 'unreadable' ? '' : note.version,
    };
  }

  /** See {@link UpdatesPort}. */
  async check(): Promise<Status> {
    await this.#ensureBox();
    await this.#ask();
    return this.status();
  }

  /** See {@link UpdatesPort}. */
  async install(source: string): Promise<void> {
    // The owner confirmed the version that was offered: its address must not deliver another one.
    const chosen = source === '' ? this.#offer : { source, version: '' };
    if (chosen === undefined || !isUpdateSource(chosen.source)) throw fault('PARAMETER_BOUNDS', 'Source');
    await this.#send({ ...REQUEST, action: 'install', source: chosen.source, version: chosen.version });
  }

  /** See {@link UpdatesPort}. */
  async back(): Promise<void> {
    await this.#send({ ...REQUEST, action: 'back' });
  }

  /** See {@link UpdatesPort}. */
  async restart(): Promise<void> {
    await this.#send({ ...REQUEST, action: 'restart' });
  }

  async #ensureBox(): Promise<void> {
    const release = await readSmall(this.#files.release);
    if (imageVersion(release ?? '') === undefined)
      throw fault('NOT_SUPPORTED', coded`WHAT_UPDATES_WITHOUT_SLOTS: An update of a machine without slots`);
  }

  async #send(request: UpdateRequest): Promise<void> {
    await this.#ensureBox();
    const { Busy } = await this.status();
    if (Busy !== '') throw fault('BUSY', coded`WHAT_BOX_UPDATE: The service for updates is busy`);
    await this.#write(request);
  }

  async #write(request: UpdateRequest): Promise<void> {
    if (this.#isClosed) return;
    this.#writing = writeFileAtomically(this.#request, JSON.stringify(request), 0o600);
    await this.#writing;
    this.#requestedMs = this.#nowMs();
  }

  /** By the monotonic clock: the wall clock of a box jumps when the network comes. */
  #nowMs(): number {
    return Number(this.#dependencies.clock.monotonicNs() / 1_000_000n);
  }

  #wasRequested(): boolean {
    return this.#nowMs() - this.#requestedMs < TAKEN_MS;
  }

  /** Asks the configured address for the newest version. */
  async #ask(): Promise<Offer> {
    const { clock, config, names } = this.#dependencies;
    const { url } = config() ?? {};
    if (url === undefined) throw fault('NAME_NOT_FOUND', 'updates.url');
    const text = await fetchText(
      { url, method: 'GET', headers: {}, timeoutMs: FETCH_MS, verifyPeer: true, verifyHost: true },
      { clock, names },
    );
    const { version, update } = parseJsonOr<Partial<Record<string, unknown>>>(text, {}) ?? {};
    const source = typeof update === 'string' && URL.canParse(update, url) ? new URL(update, url).href : '';
    if (typeof version !== 'string' || !isImageVersion(version) || !isUpdateSource(source))
      throw fault('URL_FAILED', coded`NOT_UPDATE_LIST: the address is not the file stellwerk-box-BOARD.json`);
    this.#offer = { version, source, checkedMs: clock.nowMs() };
    return this.#offer;
  }

  #nextCheckMs(updates: UpdatesConfig, nowMs: number): number {
    const { startMs, endMs } = windowAt({ ...DEFAULT_WINDOW, ...updates }, nowMs);
    const isDone = startMs === this.#checkedWindowMs;
    const window = isDone ? windowAt({ ...DEFAULT_WINDOW, ...updates }, endMs) : { startMs, endMs };
    return window.startMs + Math.floor((window.endMs - window.startMs) * this.#delay);
  }

  /** In the window: asks once, installs what is newer, and restarts into what was installed, if that is configured. */
  async #doDue(): Promise<void> {
    const { clock, config, log } = this.#dependencies;
    const updates = config();
    const nowMs = clock.nowMs();
    if (updates === undefined || this.#isChecking || !clock.isTrusted()) return;
    const { startMs } = windowAt({ ...DEFAULT_WINDOW, ...updates }, nowMs);
    if (nowMs < startMs) return;
    this.#isChecking = true;
    try {
      const { IsBox, Busy, Slots, Version, RolledBack } = await this.status();
      if (!IsBox || Busy !== '') return;
      const next = Slots.find(({ IsNext }) => IsNext);
      if (updates.install === true && next !== undefined && !next.IsRunning) {
        if (isNewer(next.Version, Version)) await this.restart();
      } else if (nowMs >= this.#nextCheckMs(updates, nowMs)) {
        this.#checkedWindowMs = startMs;
        const { version, source } = await this.#ask();
        const skipped = (await readSmall(this.#files.skipped))?.trim();
        // The service would skip it, too, but only after the download.
        const isUnwanted = version === RolledBack || version === skipped;
        if (updates.install === true && isNewer(version, Version) && !isUnwanted)
          await this.#send({ action: 'install', source, isAutomatic: true, version });
      }
    } catch (thrown) {
      log.warn({}, `the check for updates failed: ${messageOf(thrown)}`);
    } finally {
      this.#isChecking = false;
    }
  }
}

const NO_SERVICE = 'box-update.service did not do what was requested; journalctl -u box-update shows why';
