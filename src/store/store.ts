import { logKind } from '../base/codes/log-kinds.js';
import { coded } from '../base/codes/coded-text.js';
import { randomUUID } from 'node:crypto';
import { healthy, type HealthChecks } from '../base/health-check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { codeOf, messageOf, codedMessageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { TaskProgress } from '../base/tasks/task-list.js';
import { withSharedProgress, type SharedProgress } from '../sqlite/shared-progress.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import { auditRoles, type AuditRecord, type AuditRole } from '../kernel/audit-record.js';
import { skipIdsAfterBackup } from '../kernel/ids.js';
import type { Kernel } from '../kernel/kernel.js';
import { readAudit, readAuditLines } from './audit-reading.js';
import type { BackupContent, BackupFile } from './backup-list.js';
import { CounterReserve } from './change-counter.js';
import { diskAdvice } from '../sqlite/disk-advice.js';
import { databaseFinding } from './database-finding.js';
import { loadTree, type LoadReport } from './load-tree.js';
import {
  BACKUPS_KEPT,
  type StoreRequests,
  type OpenReport,
  type StorePaths,
  type StoreWorker,
} from './worker-protocol.js';
import { PendingChanges } from './pending-changes.js';
import { WorkerThreadClient } from '../sqlite/worker-client.js';
import { metaName } from './schema.js';
import { LARGE_TEXT_BYTES_PER_DAY, LARGE_TEXT_CHARACTERS, WriteCounter } from './write-counter.js';
import { JournalWriter } from './journal-writer.js';

/** Interval for writing values to the runtime directory and checking write budgets. */
const KEEP_EVERY_MS = 1_000;
/** Default interval for writing values to the disk: 8 KB each time, at most 70 MB per day. */
export const SAVE_EVERY_MS = 10_000;
/**
 * Every n-th write includes variables that were updated with the same value: every ten minutes by default.
 */
const REPEATED_EVERY = 60;
/** Interval for checking whether a backup is due. */
const BACKUP_CHECK_MS = 600_000;
const DAY_MS = 86_400_000;
const MIB = 1024 * 1024;
/** Longest wait for the disk when the gateway stops; systemd waits three times as long. */
const CLOSE_DEADLINE_MS = 10_000;

/** Options of a store. */
interface StoreOptions extends StorePaths {
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  /** Default: {@link SAVE_EVERY_MS}. */
  readonly saveEveryMs?: number;
}

/**
 * The durable state of a gateway. Open it, create a kernel that starts at `counter` and calls `schedule` on
 * each change of its journal, and `load` the kernel. From then on, changes are written as described in
 * ARCHITECTURE.md, "What is durable when".
 */
export class Store implements AsyncDisposable {
  readonly #options: StoreOptions;
  readonly #worker: StoreWorker;
  readonly #opened: OpenReport;
  readonly #meta: Map<string, string>;
  readonly #writeCounter: WriteCounter;
  #life:
    { readonly kernel: Kernel; readonly pending: PendingChanges; readonly writer: JournalWriter } | undefined;
  #undo: Cancel[] = [];
  #cancelSave: Cancel = () => undefined;
  #saveEveryMs: number;
  #backupsKept = BACKUPS_KEPT;
  #isKeeping = false;
  #flushes = 0;
  #auditRecords = 0;
  #isBackingUp = false;
  #closing: Promise<void> | undefined;

  private constructor(options: StoreOptions, port: StoreWorker, opened: OpenReport) {
    this.#options = options;
    this.#worker = port;
    this.#opened = opened;
    this.#meta = new Map(opened.meta);
    this.#saveEveryMs = options.saveEveryMs ?? SAVE_EVERY_MS;
    this.#writeCounter = new WriteCounter(options.clock.nowMs(), this.#meta.get(WEAR));
  }

  /**
   * Opens the database of a data directory. Throws `STORE_UNUSABLE` with what to do. If an existing database
   * is lost, health reports it.
   */
  static async open(options: StoreOptions): Promise<Store> {
    const { clock, log, directory, runtimeDirectory, files } = options;
    const port: StoreWorker = new WorkerThreadClient<StoreRequests>({
      program: new URL('worker.js', import.meta.url),
      name: coded`THE_STORE: the store`,
      log,
    });
    try {
      const places = { directory, runtimeDirectory, files };
      const opened = await port.request('open', { places, nowMs: clock.nowMs(), life: randomUUID() });
      return new Store(options, port, opened);
    } catch (thrown) {
      await port.close();
      throw thrown;
    }
  }

  /** The first message of the kernel gets the counter after this one. */
  get counter(): number {
    return this.#opened.counter;
  }

  /** Schedules a commit after a change of the kernel's journal. */
  schedule(): void {
    this.#life?.writer.schedule();
  }

  /** Loads the kernel and starts to write its changes. Call it once. */
  async load(kernel: Kernel): Promise<LoadReport> {
    const { clock, log, checks } = this.#options;
    const given = this.#meta.get(metaName.ids);
    kernel.tree.ids.restore(this.#opened.found === 'from-backup' ? skipIdsAfterBackup(given ?? '') : given);
    const report = await loadTree(kernel, this.#worker, this.#opened.profiles);
    const finding = databaseFinding(this.#opened, report);
    checks.set('database', finding);
    checks.set('store', healthy(coded`ALL_ON_DISK: everything is on the disk`));
    const details = { found: this.#opened.found, objects: report.objects };
    if (finding.state === 'ok') log.info(details, this.#opened.text?.Text ?? 'loaded');
    else {
      const { orphans, unusable } = report;
      const about = { kind: logKind.databaseRecovered, ...details, orphans, unusable };
      log.error(about, finding.text.toString());
    }
    const pending = new PendingChanges(kernel, given);
    const onState = (failure: unknown) => this.#reportState(failure);
    const writer = new JournalWriter({ kernel, pending, port: this.#worker, clock, onState });
    this.#life = { kernel, pending, writer };
    const counters = new CounterReserve(kernel.changes, this.#opened.reserved, (end) => {
      pending.setMeta(metaName.counter, String(end));
      writer.schedule();
    });
    this.#undo = [
      () => counters.close(),
      () => writer.close(),
      clock.every(KEEP_EVERY_MS, () => {
        if (kernel.journal.isDue(clock.nowMs())) writer.schedule();
        void this.#keepValues();
      }),
      clock.every(BACKUP_CHECK_MS, () => void this.#backupWhenDue()),
    ];
    this.setSaveInterval(this.#saveEveryMs);
    if (this.#opened.found === 'read-only') {
      pending.setMeta(metaName.counter, String(this.#opened.reserved));
      pending.setMeta(metaName.clean, '0');
    }
    writer.schedule();
    return report;
  }

  /** Sets the interval for writing last values, ms. */
  setSaveInterval(ms: number): void {
    this.#saveEveryMs = ms;
    this.#cancelSave();
    if (this.#life !== undefined) this.#cancelSave = this.#options.clock.every(ms, () => this.#saveValues());
  }

  /** Sets how many backups are kept; the next backup deletes the oldest beyond that. */
  setBackupsKept(count: number): void {
    this.#backupsKept = count;
  }

  /** Resolves when all changes of the configuration so far are on the disk; rejects with `STORE_FAILED`. */
  committed(): Promise<void> {
    return this.#loaded.writer.committed();
  }

  /** A text in `meta`, such as the options, by its name. */
  meta(name: string): string | undefined {
    return this.#meta.get(name);
  }

  /** All texts in `meta`. */
  metaValues(): Iterable<string> {
    return this.#meta.values();
  }

  /**
   * Sets a text in `meta`; like any change of the configuration, it is on the disk after {@link committed}.
   */
  setMeta(name: string, value: string): void {
    if (this.#meta.get(name) === value) return;
    const { kernel, pending } = this.#loaded;
    this.#meta.set(name, value);
    pending.setMeta(name, value);
    kernel.journal.markOther();
  }

  /** Adds an audit record, which the next commit writes. */
  recordAudit(record: AuditRecord): void {
    const ring = auditRoles.indexOf(record.role ?? 'owner');
    this.#auditRecords += 1;
    this.#loaded.pending.addAudit([ring, JSON.stringify(record)]);
  }

  /** The newest audit records, newest first; with a role only those of its ring. */
  audit(limit: number, role?: AuditRole): Promise<AuditRecord[]> {
    return readAudit({ ...this.#loaded, worker: this.#worker }, limit, role);
  }

  /** The newest records of one ring of the audit as they are stored, oldest first (`base/audit-chain.ts`). */
  auditLines(limit: number, role: AuditRole): Promise<string[]> {
    return readAuditLines({ ...this.#loaded, worker: this.#worker }, limit, role);
  }

  /** Makes a backup now. Rejects if that fails, and with `CANCELLED`; then there is no part of it. */
  async backup(
    reason = 'asked',
    note = '',
    progress?: TaskProgress,
  ): Promise<{ readonly file: string; readonly bytes: number }> {
    const { clock, log, checks } = this.#options;
    this.#isBackingUp = true;
    try {
      const { writer } = this.#loaded;
      writer.saveValues();
      await writer.settled();
      const kept = this.#backupsKept;
      const request = (shared?: SharedProgress) =>
        this.#worker.request('backup', { reason, note, nowMs: clock.nowMs(), kept, progress: shared });
      const made = await (progress === undefined ? request() : withSharedProgress(progress, clock, request));
      this.setMeta(metaName.backupMs, String(clock.nowMs()));
      log.info({ kind: logKind.backupMade, ...made }, 'backup made');
      const without =
        made.leftOut.length > 0
          ? coded`WITHOUT_MEDIA: , without ${made.leftOut.length} large media files`
          : '';
      checks.set('backup', healthy(coded`NEWEST_BACKUP: the newest is ${made.file}${without}`));
      return made;
    } catch (thrown) {
      if (codeOf(thrown) === 'CANCELLED') throw thrown;
      const text = coded`BACKUP_FAILED: the backup failed: ${codedMessageOf(thrown)}`;
      checks.set('backup', { state: 'warning', text, whatToDo: diskAdvice(thrown) });
      throw thrown;
    } finally {
      this.#isBackingUp = false;
    }
  }

  /** The backups in the data directory, newest first. */
  async backups(): Promise<readonly BackupFile[]> {
    return (await this.#worker.request('backups', { directory: this.#options.directory })).backups;
  }

  /** Checks a backup completely. Rejects if it is damaged. */
  readBackup(path: string): Promise<BackupContent> {
    return this.#worker.request('readBackup', { path });
  }

  /** Resolves when the worker replies: never while the disk hangs. Also counts written bytes. */
  async ping(): Promise<void> {
    const { bytes } = await this.#worker.request('status', {});
    if (bytes !== undefined) this.#writeCounter.note(bytes, this.#options.clock.nowMs());
  }

  /** Counts the bytes that another part of the gateway has written in this run. */
  noteWritten(writer: string, bytes: number): void {
    this.#writeCounter.note(bytes, this.#options.clock.nowMs(), writer);
  }

  /** Bytes written to disks today (UTC) and yesterday, as of the last {@link ping}. */
  get written(): { readonly today: number; readonly yesterday: number } {
    const { today, yesterday } = this.#writeCounter;
    return { today, yesterday };
  }

  /** What it has done since the gateway started. */
  get figures() {
    return {
      commits: this.#life?.writer.durations,
      auditRecords: this.#auditRecords,
      written: this.#writeCounter.totals,
    };
  }

  /**
   * Writes all changes, marks a clean stop and closes the database. The kernel must not change after this
   * call.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  get #loaded() {
    if (this.#life === undefined) throw new Error('the store was not loaded');
    return this.#life;
  }

  async #close(): Promise<void> {
    const { clock, log } = this.#options;
    this.#cancelSave();
    const deadline = Promise.withResolvers<void>();
    const cancel = clock.after(CLOSE_DEADLINE_MS, () => {
      log.error({ kind: logKind.changesLost }, 'the disk did not respond; unwritten changes are lost');
      deadline.resolve();
    });
    await Promise.race([this.#finish(), deadline.promise]);
    cancel();
    for (const undo of this.#undo) undo();
    await this.#worker.close();
  }

  async #finish(): Promise<void> {
    try {
      if (this.#life !== undefined) {
        const { kernel, pending, writer } = this.#life;
        await writer.settled();
        pending.setMeta(metaName.counter, String(kernel.changes.counter));
        pending.setMeta(metaName.clean, '1');
        writer.saveValues();
        await writer.settled();
        if (writer.isFailing)
          this.#options.log.error({ kind: logKind.changesLost }, 'the last changes could not be written');
      }
      await this.#worker.request('close', {});
    } catch (thrown) {
      this.#options.log.error({}, `closing the store: ${messageOf(thrown)}`);
    }
  }

  #saveValues(): void {
    // Only counts written bytes; the watchdog and the next commit notice a failing disk.
    this.ping().catch(() => undefined);
    const { pending, writer } = this.#loaded;
    if (pending.hasValues) pending.setMeta(WEAR, this.#writeCounter.kept);
    this.#flushes += 1;
    const which = this.#flushes % REPEATED_EVERY === 0 ? 'all' : 'due';
    if (pending.hasValues || !pending.isEmpty || (which === 'all' && pending.hasRepeated))
      writer.saveValues(which);
    this.#reportBudget(pending.waitingTexts);
  }

  #reportBudget(texts: number): void {
    const written = coded`WRITTEN_TODAY: ${Math.ceil(this.written.today / MIB)} MiB written today; at most ${LARGE_TEXT_BYTES_PER_DAY / MIB} MiB a day for large texts`;
    const text = coded`TEXTS_TOO_FREQUENT: ${texts} texts of more than ${LARGE_TEXT_CHARACTERS} characters change faster than the write budget allows and are written less often; ${written}`;
    const whatToDo = coded`UPDATE_LESS_OFTEN: update them less often: after a power cut their values may be hours old, and each write wears out the disk`;
    this.#options.checks.set(
      'disk budget',
      texts > 0 ? { state: 'warning', text, whatToDo } : healthy(written),
    );
  }

  async #keepValues(): Promise<void> {
    const { kernel, pending } = this.#loaded;
    if (this.#isKeeping || this.#options.runtimeDirectory === undefined) return;
    this.#isKeeping = true;
    try {
      for (const values of pending.freshValues()) {
        await this.#worker.request('runtime', { values, counter: kernel.changes.counter });
        await yieldToEventLoop();
      }
    } catch (thrown) {
      this.#options.log.warn({}, `values cannot be written to the runtime directory: ${messageOf(thrown)}`);
    } finally {
      this.#isKeeping = false;
    }
  }

  async #backupWhenDue(): Promise<void> {
    const sinceMs = this.#options.clock.nowMs() - Number(this.#meta.get(metaName.backupMs) ?? 0);
    // A backup is also due after the clock was set back.
    if (this.#isBackingUp || (sinceMs >= 0 && sinceMs < DAY_MS)) return;
    // The health check reports the failure.
    await this.backup('daily').catch(() => undefined);
  }

  #reportState(failure: unknown): void {
    const { checks } = this.#options;
    if (failure === undefined) {
      if (this.#opened.found === 'read-only')
        checks.set('database', healthy(coded`DATABASE_WRITABLE_AGAIN: the database is writable again`));
      return checks.set('store', healthy(coded`ALL_ON_DISK: everything is on the disk`));
    }
    const text = coded`CHANGES_IN_MEMORY: changes cannot be written and are kept in memory: ${codedMessageOf(failure)}`;
    checks.set('store', { state: 'failed', text, whatToDo: diskAdvice(failure) });
  }
}

/** Name in `meta` of the bytes written today. */
const WEAR = 'wear';
