import { coded } from '../base/codes/coded-text.js';
import type { HealthChecks } from '../base/health-check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault, faultFrom, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { TaskProgress } from '../base/tasks/task-list.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { variableType } from '../kernel/value.js';
import { isKnown, type Variable } from '../kernel/variables.js';
import { WorkerThreadClient, type WorkerClient } from '../sqlite/worker-client.js';
import { ArchiveHealth } from './archive-health.js';
import type { ArchiveRequests, RecordRange, RecordBatch, SeriesStatistics } from './worker-protocol.js';
import {
  MAX_ROWS,
  type NewRecord,
  type AggregatedRange,
  type AggregatedValue,
  type ArchivePort,
  type LoggedRange,
  type LoggedValue,
} from './port.js';
import { rebuildAllSummaries } from './reaggregation.js';
import { UNKNOWN_CLOCK, UntrustedClocks } from './untrusted-clocks.js';
import { aggregatedOf, valueOf, valuesOf } from './value-conversion.js';
import { toRecordBatch, WriteBuffer } from './write-buffer.js';

/** Delay of the first downsampling, which must not slow down the start, and the interval after it. */
const COMPACT_FIRST_MS = 600_000;
const COMPACT_EVERY_MS = 24 * 3_600_000;
/** A disk that hangs must not keep the service from stopping. */
const CLOSE_DEADLINE_MS = 10_000;
/** End of an unbounded range: later than the time of any record. */
const END_OF_TIME_MS = 2 ** 43;

/** Options of {@link Archive.open}. */
interface ArchiveOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  /** The data directory. */
  readonly directory: string;
  /** Called with the number of bytes written to the disk. */
  readonly onWritten: (bytes: number) => void;
  /** Interval of the writes: the maximum time until a record is on the disk, ms. */
  readonly writeEveryMs: number;
}

/**
 * The archive: records the values of logged variables, writes them in batches, and reads them. If the disk
 * fails, records stay in memory, health reports it, and each batch retries the write.
 */
export class Archive implements ArchivePort, AsyncDisposable {
  /** Records that were written, and writes that failed, since it was opened. */
  readonly figures = { records: 0, failures: 0 };
  readonly #options: ArchiveOptions;
  readonly #worker: WorkerClient<ArchiveRequests>;
  readonly #buffer = new WriteBuffer();
  readonly #clocks: UntrustedClocks;
  readonly #health: ArchiveHealth;
  /** Writes one batch at a time. */
  readonly #queue = new SerialQueue();
  #cancelWrites: Cancel = () => undefined;
  #cancelCompaction: Cancel[] = [];
  #isOpen = false;
  #isScheduled = false;
  #closing: Promise<void> | undefined;

  private constructor(options: ArchiveOptions) {
    const { clock, log, checks } = options;
    this.#options = options;
    this.#health = new ArchiveHealth(checks, log);
    this.#clocks = new UntrustedClocks(clock);
    const program = new URL('archive-worker.js', import.meta.url);
    this.#worker = new WorkerThreadClient<ArchiveRequests>({
      program,
      name: coded`THE_ARCHIVE: the archive`,
      log,
    });
  }

  /**
   * Opens the archive of a data directory and records the current values of the variables. Never rejects:
   * health reports what is wrong.
   */
  static async open(options: ArchiveOptions): Promise<Archive> {
    const archive = new Archive(options);
    await archive.#open();
    return archive;
  }

  /** Changes the interval of the writes. */
  setWriteInterval(ms: number): void {
    this.#cancelWrites();
    this.#cancelWrites = this.#options.clock.every(ms, () => this.#schedule());
  }

  /** Records a new value of a logged variable. */
  record(variable: Variable, nowMs: number): void {
    this.#buffer.add({
      id: variable.id,
      atMs: nowMs,
      value: variable.data.value,
      mark: this.#clocks.mark(),
    });
    // A failing disk is retried at intervals, not with each record.
    const isBatchFull = this.#buffer.isFull && !this.#health.isFailing;
    if (isBatchFull && !this.#isScheduled) this.#schedule();
  }

  async logged(variableId: number, range: LoggedRange): Promise<readonly LoggedValue[]> {
    const { data } = this.#options.kernel.variables.get(variableId);
    const rows = await this.#request('logged', { range: this.#recordRange(variableId, data.type, range) });
    return valuesOf(rows, data.type);
  }

  async records(variableId: number, range: LoggedRange) {
    const { data } = this.#options.kernel.variables.get(variableId);
    const fromMs = Math.round(range.startS * 1000);
    const toMs = range.endS === 0 ? END_OF_TIME_MS : Math.round(range.endS * 1000);
    const page = { ...this.#recordRange(variableId, data.type, range), fromMs, toMs };
    const { run, more } = await this.#request('records', { range: page });
    const records = run.times.map((atMs, n) => ({
      atMs,
      value: valueOf(run.values[n] as number | string, data.type),
      isTrusted: run.marks[n] === 0,
    }));
    return { records, more };
  }

  async aggregated(
    variableId: number,
    { span, ...range }: AggregatedRange,
  ): Promise<readonly AggregatedValue[]> {
    const { data } = this.#options.kernel.variables.get(variableId);
    if (data.type === variableType.string)
      throw fault('NOT_SUPPORTED', coded`WHAT_AGGREGATING_TEXTS: Aggregating texts`);
    const { counter = false, ignoreZeros = false } = data.logging ?? {};
    const aggregation = { ...this.#recordRange(variableId, data.type, range), span, counter, ignoreZeros };
    const { fields } = await this.#request('aggregated', { range: aggregation });
    return aggregatedOf(fields);
  }

  async add(variableId: number, values: readonly NewRecord[]): Promise<void> {
    const records = toRecordBatch(
      values.map(({ atMs, value, isTrusted = true }) => ({
        id: variableId,
        atMs,
        value,
        mark: isTrusted ? 0 : UNKNOWN_CLOCK,
      })),
    );
    const report = await this.#request('write', { records, clocks: [] });
    if (report.text !== '') this.#health.reportDamage(report);
  }

  recordPresent(variableId: number): void {
    void this.#queue.run(() => this.#writePresent([this.#options.kernel.variables.get(variableId)]));
  }

  async delete(variableId: number, startS: number, endS: number): Promise<number> {
    await this.flush();
    const toMs = endS === 0 ? END_OF_TIME_MS : endS * 1000 + 999;
    const { count } = await this.#request('delete', { variableId, fromMs: startS * 1000, toMs });
    return count;
  }

  async move(variableId: number, toId: number): Promise<void> {
    await this.flush();
    await this.#request('move', { variableId, toId });
  }

  async reaggregate(variableId: number, progress?: TaskProgress): Promise<void> {
    await this.flush();
    await rebuildAllSummaries(variableId, (step) => this.#request('rebuildSummaries', step), progress);
  }

  async recordedVariables(): Promise<readonly number[]> {
    await this.flush();
    return (await this.#request('variables', {})).ids;
  }

  async statistics(): Promise<readonly SeriesStatistics[]> {
    await this.flush();
    return (await this.#request('statistics', {})).series;
  }

  /** Downsamples old records by rules, in steps; not while the clock is untrusted: it may be years ahead. */
  async compact(): Promise<void> {
    const { kernel, clock, log } = this.#options;
    if (!clock.isTrusted()) return;
    const jobs = [...kernel.tree.objectsOfType(objectType.variable)].flatMap(({ id, data: { logging } }) =>
      (logging?.compaction ?? []).map((rule) => ({
        variableId: id,
        rule,
        counter: logging?.counter ?? false,
      })),
    );
    try {
      for (const job of jobs)
        for (let more = true; more && this.#closing === undefined;)
          ({ more } = await this.#worker.request('compact', { ...job, nowMs: clock.nowMs() }));
    } catch (thrown) {
      log.error({}, `old records were not downsampled: ${messageOf(thrown)}`);
    }
  }

  /** Writes the buffered records; if that fails, resolves all the same and keeps them. */
  flush(): Promise<void> {
    return this.#queue.run(() => this.#write());
  }

  /** Writes the buffered records and closes the archive. May be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(): Promise<void> {
    const { clock, kernel, writeEveryMs } = this.#options;
    await this.#openFile();
    this.setWriteInterval(writeEveryMs);
    const compact = () => void this.compact();
    this.#cancelCompaction = [clock.after(COMPACT_FIRST_MS, compact), clock.every(COMPACT_EVERY_MS, compact)];
    // After a power cut, the newest record may be older or newer than the variable's value.
    await this.#queue.run(() => this.#writePresent(kernel.variables.logged()));
  }

  /** Returns whether the archive is open, and opens it if necessary; only then the marks in use are known. */
  async #openFile(): Promise<boolean> {
    if (this.#isOpen) return true;
    const { clock, directory } = this.#options;
    try {
      const opened = await this.#worker.request('open', { directory, nowMs: clock.nowMs() });
      this.#buffer.raiseMarks(this.#clocks.begin(opened));
      this.#isOpen = true;
      this.#health.reportDamage(opened);
    } catch (thrown) {
      this.#reportWrite(thrown);
    }
    return this.#isOpen;
  }

  #schedule(): void {
    this.#isScheduled = true;
    void this.flush();
  }

  async #write(): Promise<void> {
    this.#isScheduled = false;
    if (!(await this.#openFile())) return;
    // Read before the records are taken, so that all records with an old mark are written before the
    // correction.
    const offsetMs = this.#clocks.correctionMs();
    if (this.#buffer.count > 0) {
      try {
        await this.#send(this.#buffer.take());
        this.#buffer.confirmTaken();
      } catch (thrown) {
        this.#buffer.putBack();
        this.#reportWrite(thrown);
        return;
      }
      await this.#reportWritten();
    }
    if (offsetMs !== undefined && !(await this.#correctTimes(offsetMs))) return;
    // Even if no record waited, an archive that could not be opened or corrected is usable again.
    this.#reportWrite(undefined);
  }

  async #send(records: RecordBatch, updatedMs?: ReadonlyMap<number, number>): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const clocks = this.#clocks.uncorrected();
    const report = await this.#worker.request('write', { records, clocks, updatedMs, nowMs });
    this.figures.records += records.ids.length;
    if (report.text !== '') this.#health.reportDamage(report);
  }

  async #writePresent(variables: readonly Variable[]): Promise<void> {
    const { clock } = this.#options;
    const mark = this.#clocks.mark();
    const known = variables.filter(isKnown);
    const present = known.map(({ id, data: { value } }) => ({ id, atMs: clock.nowMs(), value, mark }));
    // The end of the second in which it was updated.
    const updatedMs = new Map(known.map(({ id, data: { updated } }) => [id, updated * 1000 + 999]));
    if (present.length === 0) return;
    const bufferAll = () => {
      for (const record of present) this.#buffer.add(record);
    };
    if (!this.#isOpen) return bufferAll();
    try {
      await this.#send(toRecordBatch(present), updatedMs);
    } catch (thrown) {
      bufferAll();
      this.#reportWrite(thrown);
    }
  }

  /** Corrects the times of earlier records after the clock has become trusted. Returns whether it succeeded. */
  async #correctTimes(offsetMs: number): Promise<boolean> {
    try {
      const { count } = await this.#worker.request('correctTimes', { offsetMs });
      this.#clocks.corrected();
      this.#options.log.info({ records: count }, 'the clock is set: times of records were corrected');
      return true;
    } catch (thrown) {
      this.#reportWrite(thrown);
      return false;
    }
  }

  async #reportWritten(): Promise<void> {
    const { bytes } = await this.#worker.request('status', {});
    if (bytes !== undefined) this.#options.onWritten(bytes);
  }

  #reportWrite(failure: unknown): void {
    if (failure !== undefined) this.figures.failures += 1;
    this.#health.reportWrite(failure, this.#buffer.takeLost());
  }

  async #request<Q extends keyof ArchiveRequests>(
    request: Q,
    fields: ArchiveRequests[Q]['request'],
  ): Promise<ArchiveRequests[Q]['reply']> {
    try {
      return await this.#worker.request(request, fields);
    } catch (thrown) {
      throw faultFrom(thrown, 'ARCHIVE_FAILED', messageOf(thrown));
    }
  }

  #recordRange(id: number, type: number, { startS, endS, limit }: LoggedRange): RecordRange {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    // An untrusted clock may be behind all records.
    const endMs = clock.isTrusted() ? nowMs : END_OF_TIME_MS;
    return {
      id,
      isText: type === variableType.string,
      fromMs: startS * 1000,
      toMs: endS === 0 ? endMs : endS * 1000 + 999,
      limit: limit <= 0 || limit > MAX_ROWS ? MAX_ROWS : limit,
      nowMs,
      waiting: this.#buffer.of(id),
    };
  }

  async #close(): Promise<void> {
    this.#cancelWrites();
    for (const cancel of this.#cancelCompaction) cancel();
    const deadline = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(CLOSE_DEADLINE_MS, deadline.resolve);
    await Promise.race([this.#finish(), deadline.promise]);
    cancel();
    await this.#worker.close();
  }

  async #finish(): Promise<void> {
    await this.flush();
    if (this.#buffer.count > 0)
      this.#options.log.error({ records: this.#buffer.count }, 'the last records could not be written');
    // The worker ends either way, and records that could not be written are logged already.
    await this.#worker.request('close', {}).catch(() => undefined);
  }
}
