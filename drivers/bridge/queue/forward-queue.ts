import type { Cancel } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { ClockCorrection } from './clock-correction.js';
import { DiskChains } from './disk-chains.js';
import type { DropReason, Entry, NewEntry, Priority } from './entry.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryValues } from './memory-values.js';
import { QueueCounters } from './queue-counters.js';
import { QueueProblems } from './queue-problems.js';
import type { ForwardQueueOptions, QueueFigures, Receiver } from './receiver.js';
import { readState, STATE_FILES, stateContent, type QueueState } from './queue-state.js';

/** Sequence numbers are reserved on the disk in blocks, so that none is used twice after a power cut. */
const RESERVED_BLOCK = 8192;
/** A longer text would fill the memory of small boxes. */
const TEXT_LIMIT = 65_536;

/**
 * A durable queue of values for one receiver. Live values are sent from memory. Those that are not
 * acknowledged within the write interval go to the disk, and are sent as historical values, at a limited
 * rate, whenever no live value waits. Each value is sent at least once or counted as dropped. The historical
 * values of a variable are sent in their order, and so are its live values.
 */
export class ForwardQueue {
  readonly #options: ForwardQueueOptions;
  readonly #disk = new SerialQueue();
  readonly #chains: DiskChains;
  readonly #journal: MemoryJournal;
  readonly #counters = new QueueCounters();
  readonly #correction: ClockCorrection;
  #nextSeq = 1;
  /** Numbers below are reserved on the disk. */
  #reserved = 0;
  #isReserving = false;
  #reservedFrom = 0;
  #storedDropped = 0;
  readonly #memory = new MemoryValues();
  #isHistoryBusy = false;
  /** The oldest live value at the last interval. */
  #oldestLive: Entry | undefined;
  /** Live values wait too long: none is sent until those in memory are on the disk. */
  #isSpilling = false;
  #receiver: Receiver | undefined;
  /** Increases with each call of `attach`. */
  #attachment = 0;
  #isLoaded = false;
  #isClosed = false;
  readonly #problems = new QueueProblems((first) => this.#options.onDiskProblem(first));
  readonly #timers: Cancel[] = [];
  #wake: Cancel | undefined;
  #pause: Cancel | undefined;

  private constructor(options: ForwardQueueOptions) {
    this.#options = options;
    this.#correction = new ClockCorrection(options.clock, options.boot);
    this.#chains = new DiskChains({
      files: options.files,
      maxBytes: options.maxBytes,
      onDrop: async (priority, reason, count) => {
        this.#counters.drop(priority, reason, count);
        if (!this.#isLoaded) return;
        await this.#store(false).catch((thrown: unknown) => {
          this.#counters.undo(priority, reason, count);
          throw thrown;
        });
      },
    });
    this.#journal = new MemoryJournal(options.files.memory, options.boot, {
      state: () => ({ entries: this.#memory.all(), nextSeq: this.#nextSeq, counts: this.#counters.counts() }),
      onState: (thrown) => this.#problems.set('memory', thrown),
    });
  }

  /** Continues with what an earlier run left. If that cannot be read or written, closes the files and rejects. */
  static async open(options: ForwardQueueOptions): Promise<ForwardQueue> {
    const queue = new ForwardQueue(options);
    await queue.#load().catch(async (thrown: unknown) => {
      await options.files.close();
      throw thrown;
    });
    queue.#timers.push(options.clock.every(options.writeIntervalMs, () => void queue.#onInterval()));
    return queue;
  }

  async #load(): Promise<void> {
    const state = await readState(this.#options.files);
    this.#restore(state);
    const [recent, lastSeqs] = [new Set<number>(), new Map<string, number>()];
    const left = this.#journal.left();
    const inMemory = left?.entries ?? [];
    const sinceSeq = inMemory.reduce((least, { seq }) => Math.min(least, seq), this.#reservedFrom);
    await this.#chains.load(state?.positions ?? {}, sinceSeq, ({ path, seq }) => {
      if (seq >= this.#reservedFrom) recent.add(seq);
      lastSeqs.set(path, Math.max(lastSeqs.get(path) ?? 0, seq));
    });
    this.#counters.raise(left?.counts ?? []);
    const lastSeq = Math.max(0, ...lastSeqs.values());
    const known = Math.max(lastSeq + 1, this.#reservedFrom, left?.nextSeq ?? 1);
    // Without the file in memory, any number may have been used that is reserved, or was being reserved.
    const isExact = state === undefined || state.isClosed || left !== undefined;
    this.#nextSeq = isExact ? known : Math.max(known, this.#reserved + RESERVED_BLOCK);
    if (!isExact) this.#counters.drop('normal', 'powerCut', this.#nextSeq - this.#reservedFrom - recent.size);
    // The values of a variable go to the disk in their order: older ones were sent, or are there.
    const isLeft = ({ path, seq }: Entry) => seq > (lastSeqs.get(path) ?? 0);
    this.#memory.addLate(inMemory.filter(isLeft));
    this.#isLoaded = true;
    await this.#store(false);
    this.#journal.reset();
  }

  #restore(state: QueueState | undefined): void {
    if (state === undefined) return;
    this.#reserved = state.reserved;
    this.#reservedFrom = state.reservedFrom;
    this.#counters.restore(state.dropped);
    this.#correction.restore(state.clocks);
  }

  get figures(): QueueFigures {
    const inMemory = [...this.#memory.all()];
    const { waiting, bytes, bytesWritten } = this.#chains;
    return {
      waiting: waiting + inMemory.length,
      bytes,
      maxBytes: this.#options.maxBytes,
      bytesWritten,
      nextSeq: this.#nextSeq,
      counters: this.#counters,
      waitingOf: (priority) => {
        const chain = this.#chains.chain(priority);
        const mine = inMemory.filter(({ path }) => this.#options.priorityOf(path) === priority);
        const oldestMs = chain.oldestMs ?? mine[0]?.atMs;
        return { count: chain.waiting + mine.length, bytes: chain.bytes, oldestMs };
      },
    };
  }

  /** Adds a value. Returns its sequence number. */
  put(value: NewEntry): number {
    const entry: Entry = { ...value, seq: this.#nextSeq++ };
    const priority = this.#options.priorityOf(entry.path);
    this.#counters.of[priority].accepted += 1;
    if (typeof entry.value === 'string' && entry.value.length > TEXT_LIMIT) this.#drop(priority, 'size', 1);
    else {
      this.#memory.fresh.push(entry);
      this.#wake ??= onNextIteration(() => this.#accept());
    }
    // While the disk accepts nothing, the next interval tries it again.
    if (this.#mustReserve() && !this.#isReserving && !this.#problems.has('files')) void this.#reserve();
    return entry.seq;
  }

  /** Starts sending. What has arrived so far is historical. */
  attach(receiver: Receiver): void {
    this.#accept();
    this.#memory.ageLive();
    this.#receiver = receiver;
    this.#attachment += 1;
    this.#pump();
  }

  /** Stops sending. What is in flight may still be acknowledged. */
  detach(): void {
    this.#receiver = undefined;
    this.#memory.ageLive();
  }

  /** Writes what waits to the disk. Values that are in flight are sent again by the next run. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#accept();
    this.detach();
    this.#isClosed = true;
    for (const cancel of this.#timers) cancel();
    this.#pause?.();
    this.#memory.late = this.#memory.takeAll();
    await this.#disk.run(() => this.#writeLate());
    await this.#tryOnDisk(() => this.#removeFiles());
    await this.#tryOnDisk(() => this.#store(this.#memory.late.length === 0));
    await this.#disk.run(async () => {
      this.#journal.reset();
      await this.#options.files.close();
    });
  }

  /** Moves what has arrived to where it is sent from. */
  #accept(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.#memory.fresh.length === 0 || this.#isClosed) return;
    const fresh = this.#memory.fresh.splice(0);
    (this.#receiver === undefined ? this.#memory.late : this.#memory.live).push(...fresh);
    this.#journal.append(fresh);
    for (const entry of fresh) this.#correction.note(entry);
    this.#pump();
    // While the disk accepts nothing, the next interval tries it again.
    if (this.#memory.isFull(fresh) && !this.#problems.has('values')) void this.#spill();
    else this.#dropExcess();
  }

  #pump(): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#isSpilling) return;
    while (this.#memory.live.length > 0 && this.#memory.liveInFlight.size < receiver.window)
      void this.#sendLive(receiver);
    // What fails of an earlier attachment is older than other historical values.
    const isOlder = [...this.#memory.liveInFlight.values()].some((number) => number < this.#attachment);
    if (this.#memory.live.length > 0 || isOlder || this.#isHistoryBusy || this.#pause !== undefined) return;
    void this.#sendHistory(receiver);
  }

  async #sendLive(receiver: Receiver): Promise<void> {
    const batch = this.#memory.live.splice(0, receiver.batch);
    this.#memory.liveInFlight.set(batch, this.#attachment);
    const failed = await this.#send(receiver, batch, false);
    // Otherwise the queue was closed and has stored it.
    if (!this.#memory.liveInFlight.delete(batch)) return;
    this.#memory.addLate(failed);
    if (this.#isSpilling) void this.#spill();
    this.#settle();
    this.#pump();
  }

  /** Returns what must be sent again: what the receiver has not acknowledged, and what follows it. */
  async #send(receiver: Receiver, batch: readonly Entry[], isHistorical: boolean): Promise<readonly Entry[]> {
    const corrected = batch.map((entry) => this.#correction.corrected(entry));
    for (const { path } of batch) this.#counters.of[this.#options.priorityOf(path)].attempts += 1;
    const { failed, rejected } = await receiver.send(corrected, isHistorical);
    if (failed.length > 0 && this.#receiver === receiver) this.detach();
    const hasFailed = new Set(failed.map(({ seq }) => seq));
    const first = batch.findIndex(({ seq }) => hasFailed.has(seq));
    const again = first < 0 ? [] : corrected.slice(first);
    if (this.#isClosed) return again;
    const isRejected = new Set(rejected.map(({ seq }) => seq));
    for (const { path, seq } of batch.slice(0, batch.length - again.length)) {
      if (isRejected.has(seq)) this.#drop(this.#options.priorityOf(path), 'rejected', 1);
      else this.#counters.of[this.#options.priorityOf(path)].sent += 1;
    }
    return again;
  }

  async #sendHistory(receiver: Receiver): Promise<void> {
    if (this.#correction.mustWait()) return;
    this.#isHistoryBusy = true;
    const limit = Math.min(receiver.batch, Math.max(1, Math.ceil(this.#options.resendRate / 10)));
    let count = 0;
    try {
      count = await this.#sendFromDisk(receiver, limit);
      if (count === 0) count = await this.#sendLate(receiver, limit);
    } catch (thrown) {
      this.#problems.set('files', thrown);
    } finally {
      this.#isHistoryBusy = false;
    }
    if (count === 0 || this.#isClosed) return;
    this.#pause = this.#options.clock.after((count * 1000) / this.#options.resendRate, () => {
      this.#pause = undefined;
      this.#pump();
    });
    this.#settle();
    if (this.#isSpilling) void this.#spill();
  }

  async #sendFromDisk(receiver: Receiver, limit: number): Promise<number> {
    if (this.#chains.waiting === 0) return 0;
    const taken = await this.#disk.run(() => this.#chains.take(limit));
    if (taken === undefined) return 0;
    const { chain, entries } = taken;
    const failed = await this.#send(receiver, entries, true);
    await this.#disk.run(async () => {
      chain.putBack(failed);
      // Files are removed only after the acknowledgement, but not by a queue that has stored their state.
      if (this.#isClosed) return;
      chain.finish(entries.length - failed.length);
      await this.#removeFiles();
    });
    return entries.length;
  }

  async #sendLate(receiver: Receiver, limit: number): Promise<number> {
    // What goes to the disk, or has just arrived there, is older. All of it does when the queue is closed.
    if (this.#isClosed || this.#memory.isWriting || this.#chains.waiting > 0) return 0;
    const batch = this.#memory.late.splice(0, limit);
    if (batch.length === 0) return 0;
    this.#memory.lateInFlight = batch;
    const failed = await this.#send(receiver, batch, true);
    if (this.#memory.lateInFlight === undefined) return 0;
    this.#memory.lateInFlight = undefined;
    this.#memory.late.unshift(...failed);
    return batch.length;
  }

  #settle(): void {
    this.#journal.settle(!this.#memory.hasAny);
  }

  async #onInterval(): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    const isLate = this.#memory.live[0] !== undefined && this.#memory.live[0] === this.#oldestLive;
    this.#oldestLive = this.#memory.live[0];
    if (this.#memory.late.length > 0 || isLate) await this.#spill();
    await this.#tryOnDisk(async () => {
      await this.#removeFiles();
      if (clock.isTrusted()) await this.#chains.dropOlderThan(clock.nowMs() - maxAgeMs);
      if (this.#hasUnstored()) await this.#store(false);
      this.#problems.set('files', undefined);
    });
    this.#pump();
  }

  async #tryOnDisk(change: () => Promise<void>): Promise<void> {
    await this.#disk.run(change).catch((thrown: unknown) => this.#problems.set('files', thrown));
  }

  #hasUnstored(): boolean {
    return this.#hasUnstoredDrops() || this.#correction.hasChanged() || this.#mustReserve();
  }

  #hasUnstoredDrops(): boolean {
    return this.#counters.dropped !== this.#storedDropped;
  }

  /** After a power cut, only its file would show that a value was rejected. */
  async #removeFiles(): Promise<void> {
    if (this.#chains.hasFinishedFiles && this.#hasUnstoredDrops()) await this.#store(false);
    await this.#chains.removeFiles();
  }

  /** Writes the values in memory, as soon as no live value is in flight: they would be older. */
  async #spill(): Promise<void> {
    const { liveInFlight, lateInFlight, live } = this.#memory;
    this.#isSpilling = live.length > 0;
    if (liveInFlight.size > 0 || lateInFlight !== undefined) return this.#dropExcess();
    this.#memory.ageLive();
    this.#isSpilling = true;
    await this.#disk.run(() => this.#writeLate());
    this.#isSpilling = false;
    this.#settle();
    this.#pump();
  }

  async #writeLate(): Promise<void> {
    for (const [priority, entries] of this.#memory.startWriting(this.#options.priorityOf)) {
      try {
        await this.#chains.append(priority, entries);
        this.#memory.endWriting(entries, true);
        this.#problems.set('values', undefined);
      } catch (thrown) {
        this.#problems.set('values', thrown);
        this.#memory.endWriting(entries, false);
      }
    }
    this.#dropExcess();
  }

  #dropExcess(): void {
    const onDrop = (priority: Priority, count: number) => this.#drop(priority, 'disk', count);
    this.#memory.dropExcess(this.#options.priorityOf, onDrop);
    this.#settle();
  }

  /** Counts dropped values; the count survives a crash of the process, and is stored at the next interval. */
  #drop(priority: Priority, reason: DropReason, count: number): void {
    this.#counters.drop(priority, reason, count);
    if (count > 0) this.#journal.count();
  }

  #mustReserve(): boolean {
    return this.#nextSeq + RESERVED_BLOCK / 2 > this.#reserved;
  }

  async #reserve(): Promise<void> {
    this.#isReserving = true;
    await this.#tryOnDisk(() => this.#store(false));
    this.#isReserving = false;
  }

  /** Writes the state, and reserves sequence numbers from the next one on. */
  async #store(isClosed: boolean): Promise<void> {
    this.#reservedFrom = this.#memory.firstSeq ?? this.#nextSeq;
    const { dropped } = this.#counters;
    const state: QueueState = {
      reserved: this.#nextSeq + (isClosed ? 0 : RESERVED_BLOCK),
      reservedFrom: this.#reservedFrom,
      isClosed,
      positions: this.#chains.positions(),
      dropped: this.#counters.stored(),
      clocks: this.#correction.stored(),
    };
    for (const name of STATE_FILES) await this.#options.files.replace(name, stateContent(state));
    this.#storedDropped = dropped;
    this.#reserved = state.reserved;
  }
}
