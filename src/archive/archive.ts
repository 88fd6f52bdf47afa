import { healthy, type HealthChecks } from '../base/health-check.js';
import type { Cancel, Clock } from '../base/clock.js';
import { fault, faultFrom, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import { variableType } from '../kernel/value.js';
import type { Variable } from '../kernel/variables.js';
import { diskAdvice, isDatabaseDamaged } from '../sqlite/disk-advice.js';
import { WorkerThreadClient, type WorkerClient } from '../sqlite/worker-client.js';
import type {
  ArchiveRequests,
  DamageReport,
  RecordRange,
  RecordBatch,
  SeriesStatistics,
  UntrustedClock,
} from './worker-protocol.js';
import {
  MAX_ROWS,
  type NewRecord,
  type AggregatedRange,
  type AggregatedValue,
  type ArchivePort,
  type LoggedRange,
  type LoggedValue,
} from './port.js';
import { UNKNOWN_CLOCK, UntrustedClocks } from './untrusted-clocks.js';
import { aggregatedOf, valueOf, valuesOf } from './value-conversion.js';
import { toRecordBatch, WriteBuffer } from './write-buffer.js';

/** How soon old records are thinned, when all that starts has started, and how often then. */
const COMPACT_FIRST_MS = 600_000;
const COMPACT_EVERY_MS = 24 * 3_600_000;
/** Records that are written before that: what one message to the worker can hold. */
const WRITE_AT = 20_000;
/** A disk that hangs at the end must not keep the service from stopping. */
const CLOSE_DEADLINE_MS = 10_000;
/** What the last record's time may be: far beyond all clocks. */
const END_OF_TIME_MS = 2 ** 43;

/** What an archive works with. */
interface ArchiveOptions {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly checks: HealthChecks;
  /** The data directory. */
  readonly directory: string;
  /** Called with the number of bytes written to the disk. */
  readonly onWritten: (bytes: number) => void;
  /** How far the disk may be behind. */
  readonly writeEveryMs: number;
}

/**
 * The archive: takes the values of logged variables, writes them in batches, and reads them. If the disk
 * fails, records wait in memory, health reports it, and writing is retried with each batch.
 */
export class Archive implements ArchivePort, AsyncDisposable {
  readonly #options: ArchiveOptions;
  readonly #port: WorkerClient<ArchiveRequests>;
  readonly #waiting = new WriteBuffer();
  readonly #clocks: UntrustedClocks;
  /** Batches go out one after the other. */
  readonly #turn = new SerialQueue();
  #unwrite: Cancel = () => undefined;
  #uncompact: Cancel[] = [];
  #isOpen = false;
  #isFailing = false;
  #isScheduled = false;
  #closing: Promise<void> | undefined;

  private constructor(options: ArchiveOptions) {
    const { clock, log } = options;
    this.#options = options;
    this.#clocks = new UntrustedClocks(clock);
    const program = new URL('archive-worker.js', import.meta.url);
    this.#port = new WorkerThreadClient<ArchiveRequests>({ program, name: 'the archive', log });
  }

  /**
   * Opens the archive of a data directory and records what its variables hold now. Never rejects: health says
   * what is wrong.
   */
  static async open(options: ArchiveOptions): Promise<Archive> {
    const archive = new Archive(options);
    await archive.#open();
    return archive;
  }

  /** How far the disk may be behind. */
  setWriteInterval(ms: number): void {
    this.#unwrite();
    this.#unwrite = this.#options.clock.every(ms, () => this.#schedule());
  }

  /** A logged variable has another value. */
  record(variable: Variable, nowMs: number): void {
    this.#waiting.add({
      id: variable.id,
      atMs: nowMs,
      value: variable.data.value,
      mark: this.#clocks.mark(),
    });
    // A failing disk is retried at intervals, not with each record.
    const isTime = this.#waiting.count >= WRITE_AT && !this.#isFailing;
    if (isTime && !this.#isScheduled) this.#schedule();
  }

  async logged(variableId: number, range: LoggedRange): Promise<readonly LoggedValue[]> {
    const { data } = this.#options.kernel.variables.get(variableId);
    const rows = await this.#asked('logged', { range: this.#rangeOf(variableId, data.type, range) });
    return valuesOf(rows, data.type);
  }

  async records(variableId: number, range: LoggedRange) {
    const { data } = this.#options.kernel.variables.get(variableId);
    const { startS, endS } = range;
    const toMs = endS === 0 ? END_OF_TIME_MS : Math.round(endS * 1000);
    const asked = { ...this.#rangeOf(variableId, data.type, range), fromMs: Math.round(startS * 1000), toMs };
    const { run, more } = await this.#asked('records', { range: asked });
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
    if (data.type === variableType.string) throw fault('NOT_SUPPORTED', 'Aggregating texts');
    const { counter = false, ignoreZeros = false } = data.logging ?? {};
    const asked = { ...this.#rangeOf(variableId, data.type, range), span, counter, ignoreZeros };
    const { fields } = await this.#asked('aggregated', { range: asked });
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
    await this.#asked('write', { records, clocks: [], isPresent: false });
  }

  recordPresent(variableId: number): void {
    void this.#turn.run(() => this.#writePresent([this.#options.kernel.variables.get(variableId)]));
  }

  async delete(variableId: number, startS: number, endS: number): Promise<number> {
    await this.flush();
    const toMs = endS === 0 ? END_OF_TIME_MS : endS * 1000 + 999;
    const { count } = await this.#asked('delete', { variableId, fromMs: startS * 1000, toMs });
    return count;
  }

  async move(variableId: number, toId: number): Promise<void> {
    await this.flush();
    await this.#asked('move', { variableId, toId });
  }

  async reaggregate(variableId: number): Promise<void> {
    await this.flush();
    for (let after: number | undefined = 0; after !== undefined;)
      after = (await this.#asked('resum', { variableId, after })).next;
  }

  async recordedVariables(): Promise<readonly number[]> {
    await this.flush();
    return (await this.#asked('variables', {})).ids;
  }

  async statistics(): Promise<readonly SeriesStatistics[]> {
    await this.flush();
    return (await this.#asked('facts', {})).series;
  }

  /**
   * Thins what is old enough, as the variables' rules say, in small steps; what goes wrong is logged. By a
   * clock that is not trusted nothing is: it may be years ahead.
   */
  async compact(): Promise<void> {
    const { kernel, clock, log } = this.#options;
    if (!clock.isTrusted()) return;
    const rules = [...kernel.tree.objectsOfType(objectType.variable)].flatMap(({ id, data: { logging } }) =>
      (logging?.compaction ?? []).map((rule) => ({
        variableId: id,
        rule,
        counter: logging?.counter ?? false,
      })),
    );
    try {
      for (const one of rules)
        for (let more = true; more && this.#closing === undefined;)
          ({ more } = await this.#port.request('compact', { ...one, nowMs: clock.nowMs() }));
    } catch (thrown) {
      log.error({}, `old records were not thinned: ${messageOf(thrown)}`);
    }
  }

  /** Resolves when all that waits was written, or could not be: then it waits on. */
  flush(): Promise<void> {
    return this.#turn.run(() => this.#write());
  }

  /** Writes what waits, and closes. Calling twice is fine. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #open(): Promise<void> {
    const { clock, checks, kernel, writeEveryMs } = this.#options;
    checks.set('archive', healthy('everything is on the disk'));
    await this.#openFile();
    this.setWriteInterval(writeEveryMs);
    const compact = () => void this.compact();
    this.#uncompact = [clock.after(COMPACT_FIRST_MS, compact), clock.every(COMPACT_EVERY_MS, compact)];
    // What a power cut left in the archive may be older or newer than what the variables hold.
    await this.#turn.run(() => this.#writePresent(kernel.variables.logged()));
  }

  /** Whether it is open. Without that nobody knows which marks are in use. */
  async #openFile(): Promise<boolean> {
    if (this.#isOpen) return true;
    const { clock, directory } = this.#options;
    try {
      const opened = await this.#port.request('open', { directory, nowMs: clock.nowMs() });
      this.#waiting.raise(this.#clocks.begin(opened));
      this.#isOpen = true;
      this.#showFound(opened);
    } catch (thrown) {
      this.#showState(thrown);
    }
    return this.#isOpen;
  }

  #showFound({ text, quarantined: aside }: DamageReport): void {
    const { checks, log } = this.#options;
    if (text !== '') log.error({}, text);
    if (aside.length === 0) return;
    const kept = `a damaged archive is kept: ${aside.join(', ')}`;
    checks.set('archive file', {
      state: 'warning',
      text: text === '' ? kept : text,
      whatToDo:
        'stop the gateway, run "stellwerk archive salvage --data DIR", and start it again; check the disk (dmesg); delete the file when nothing in it is missed',
    });
  }

  #schedule(): void {
    this.#isScheduled = true;
    void this.flush();
  }

  async #write(): Promise<void> {
    this.#isScheduled = false;
    if (!(await this.#openFile())) return;
    // Before records are accepted: all records with an old mark are then written before times are corrected.
    const offsetMs = this.#clocks.correctionMs();
    if (this.#waiting.count > 0) {
      const [records, clocks] = [this.#waiting.take(), this.#clocks.take()];
      try {
        await this.#send(records, clocks, false);
        this.#waiting.written();
        this.#showState(undefined);
      } catch (thrown) {
        this.#waiting.putBack();
        this.#clocks.putBack(clocks);
        this.#showState(thrown);
        return;
      }
      await this.#count();
    }
    if (offsetMs !== undefined) await this.#correctTimes(offsetMs);
  }

  async #send(records: RecordBatch, clocks: readonly UntrustedClock[], isPresent: boolean): Promise<void> {
    const nowMs = this.#options.clock.nowMs();
    const found = await this.#port.request('write', { records, clocks, isPresent, nowMs });
    if (found.text !== '') this.#showFound(found);
  }

  async #writePresent(variables: readonly Variable[]): Promise<void> {
    const { clock } = this.#options;
    const mark = this.#clocks.mark();
    const present = variables
      .filter(({ data }) => data.updated !== 0)
      .map(({ id, data: { value } }) => ({ id, atMs: clock.nowMs(), value, mark }));
    if (present.length === 0) return;
    const later = () => {
      for (const one of present) this.#waiting.add(one);
    };
    if (!this.#isOpen) return later();
    const clocks = this.#clocks.take();
    try {
      await this.#send(toRecordBatch(present), clocks, true);
    } catch (thrown) {
      this.#clocks.putBack(clocks);
      later();
      this.#showState(thrown);
    }
  }

  /** The time has become known. */
  async #correctTimes(offsetMs: number): Promise<void> {
    try {
      const { count } = await this.#port.request('mend', { offsetMs });
      this.#clocks.corrected();
      this.#options.log.info({ records: count }, 'the clock is set: times of records were corrected');
    } catch (thrown) {
      this.#showState(thrown);
    }
  }

  async #count(): Promise<void> {
    const { bytes } = await this.#port.request('status', {});
    if (bytes !== undefined) this.#options.onWritten(bytes);
  }

  #showState(failure: unknown): void {
    const { checks, log } = this.#options;
    const lost = this.#waiting.takeLost();
    if (lost > 0)
      log.error({ records: lost }, `${lost} records of the archive were dropped: the disk takes none`);
    if (failure === undefined) {
      if (this.#isFailing) checks.set('archive', healthy('everything is on the disk'));
      this.#isFailing = false;
      return;
    }
    this.#isFailing = true;
    checks.set('archive', {
      state: 'failed',
      text: `records wait in memory: ${messageOf(failure)}`,
      whatToDo: isDatabaseDamaged(failure)
        ? 'the damaged archive is kept and a new one is begun; then run "stellwerk archive salvage"'
        : diskAdvice(failure),
    });
  }

  async #asked<Q extends keyof ArchiveRequests>(
    ask: Q,
    request: ArchiveRequests[Q]['request'],
  ): Promise<ArchiveRequests[Q]['reply']> {
    try {
      return await this.#port.request(ask, request);
    } catch (thrown) {
      throw faultFrom(thrown, 'ARCHIVE_FAILED', messageOf(thrown));
    }
  }

  #rangeOf(id: number, type: number, { startS, endS, limit }: LoggedRange): RecordRange {
    const { clock } = this.#options;
    const nowMs = clock.nowMs();
    // By an untrusted clock all that was ever recorded may lie ahead.
    const endMs = clock.isTrusted() ? nowMs : END_OF_TIME_MS;
    return {
      id,
      isText: type === variableType.string,
      fromMs: startS * 1000,
      toMs: endS === 0 ? endMs : endS * 1000 + 999,
      limit: limit <= 0 || limit > MAX_ROWS ? MAX_ROWS : limit,
      nowMs,
      waiting: this.#waiting.of(id),
    };
  }

  async #close(): Promise<void> {
    this.#unwrite();
    for (const cancel of this.#uncompact) cancel();
    const deadline = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(CLOSE_DEADLINE_MS, deadline.resolve);
    await Promise.race([this.#finish(), deadline.promise]);
    cancel();
    await this.#port.close();
  }

  async #finish(): Promise<void> {
    await this.flush();
    if (this.#waiting.count > 0)
      this.#options.log.error({ records: this.#waiting.count }, 'the last records could not be written');
    // The thread ends either way; what could not be written is logged already.
    await this.#port.request('close', {}).catch(() => undefined);
  }
}
