import type { Cancel } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import { SerialQueue } from '../../../src/base/serial-queue.js';
import { ClockCorrection } from './clock-correction.js';
import { DiskChains } from './disk-chains.js';
import type { Entry, NewEntry } from './entry.js';
import { MemoryJournal } from './memory-journal.js';
import { MemoryValues } from './memory-values.js';
import { QueueCounters } from './queue-counters.js';
import type { ForwardQueueOptions, QueueFigures, Receiver } from './receiver.js';
import { parseState, STATE_FILES, stateContent, type QueueState } from './queue-state.js';

/** Sequence numbers are reserved on the disk in blocks, so that none is used twice after a power cut. */
const RESERVED_BLOCK = 8192;
/** A longer text would fill the memory of small boxes. */
const TEXT_LIMIT = 65_536;

/**
 * A durable queue of values for one receiver. Values of now are sent from memory. Those that are not
 * acknowledged within the write interval go to the disk, and are sent as values of the past, at a limited rate,
 * whenever none of now waits. Each value is sent at least once or counted as dropped; those of one variable
 * that are of the past are sent in their order, and so are those of now.
 */
export class ForwardQueue {
  readonly #options: ForwardQueueOptions;
  readonly #disk = new SerialQueue();
  readonly #chains: DiskChains;
  readonly #journal: MemoryJournal;
  readonly #counters = new QueueCounters();
  readonly #correction: ClockCorrection;
  #nextSeq = 1;
  #reserved = 0;
  #reservedFrom = 0;
  #storedDropped = 0;
  #storedReserved = 0;
  readonly #memory = new MemoryValues();
  #isHistoryBusy = false;
  /** The oldest value of now at the last interval. */
  #oldestLive: Entry | undefined;
  /** Values of now wait too long: none is sent until those in memory are on the disk. */
  #isSpilling = false;
  #receiver: Receiver | undefined;
  /** Increases with each call of `attach`. */
  #attachment = 0;
  #isLoaded = false;
  #isClosed = false;
  #diskProblem: unknown;
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
        if (this.#isLoaded) await this.#store(false);
      },
    });
    this.#journal = new MemoryJournal(options.files.memory, options.boot, (thrown) =>
      this.#setDiskProblem(thrown),
    );
  }

  /** Continues with what an earlier run left. Rejects if the directory cannot be read or written. */
  static async open(options: ForwardQueueOptions): Promise<ForwardQueue> {
    const queue = new ForwardQueue(options);
    await queue.#load();
    queue.#timers.push(options.clock.every(options.writeIntervalMs, () => void queue.#onInterval()));
    return queue;
  }

  async #load(): Promise<void> {
    const state = await this.#readState();
    this.#restore(state);
    let recent = 0;
    const lastSeqs = await this.#chains.load(state?.positions ?? {}, (seq) => {
      if (seq >= this.#reservedFrom) recent += 1;
    });
    const left = this.#journal.left();
    const known = Math.max(
      ...Object.values(lastSeqs).map((seq) => seq + 1),
      this.#reservedFrom,
      left?.nextSeq ?? 1,
    );
    // Without the file in memory, any reserved number may have been used, and more while a block was reserved.
    const isExact = state === undefined || state.isClosed || left !== undefined;
    this.#nextSeq = isExact ? known : Math.max(known, this.#reserved + RESERVED_BLOCK);
    if (!isExact) this.#counters.drop('normal', 'powerCut', this.#nextSeq - this.#reservedFrom - recent);
    // What is older than the values on the disk was sent, or is one of them.
    const isLeft = ({ path, seq }: Entry) => seq > lastSeqs[this.#options.priorityOf(path)];
    this.#memory.late = (left?.entries ?? []).filter(isLeft);
    this.#isLoaded = true;
    await this.#store(false, true);
    this.#journal.reset(this.#memory.late, this.#nextSeq);
  }

  async #readState(): Promise<QueueState | undefined> {
    const { files } = this.#options;
    const names = (await files.list()).map(({ name }) => name);
    for (const name of STATE_FILES) {
      const state = names.includes(name) ? parseState((await files.read(name)).toString()) : undefined;
      if (state !== undefined) return state;
    }
    return undefined;
  }

  #restore(state: QueueState | undefined): void {
    if (state === undefined) return;
    this.#reserved = state.reserved;
    this.#reservedFrom = state.reservedFrom;
    this.#counters.restore(state.dropped);
    this.#correction.restore(state.clocks);
  }

  get figures(): QueueFigures {
    const { maxBytes } = this.#options;
    const inMemory = [...this.#memory.all()];
    const { waiting, bytes, bytesWritten } = this.#chains;
    return {
      waiting: waiting + inMemory.length,
      bytes,
      maxBytes,
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
    if (typeof entry.value === 'string' && entry.value.length > TEXT_LIMIT)
      this.#counters.drop(priority, 'size', 1);
    else {
      this.#memory.fresh.push(entry);
      this.#wake ??= onNextIteration(() => this.#accept());
    }
    if (this.#nextSeq + RESERVED_BLOCK / 2 > this.#reserved) void this.#reserve();
    return entry.seq;
  }

  /** Starts sending. What has arrived so far is of the past. */
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
    await this.#disk.run(async () => {
      await this.#writeLate();
      await this.#chains.removeFiles().catch((thrown: unknown) => this.#setDiskProblem(thrown));
      await this.#store(this.#memory.late.length === 0, true).catch((thrown: unknown) =>
        this.#setDiskProblem(thrown),
      );
      this.#journal.reset(this.#memory.late, this.#nextSeq);
      await this.#options.files.close();
    });
  }

  /** Moves what has arrived to where it is sent from. */
  #accept(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.#memory.fresh.length === 0 || this.#isClosed) return;
    const fresh = this.#memory.fresh.splice(0);
    this.#journal.append(fresh);
    (this.#receiver === undefined ? this.#memory.late : this.#memory.live).push(...fresh);
    for (const entry of fresh) this.#correction.note(entry);
    this.#pump();
    // While the disk accepts nothing, the next interval tries it again.
    if (this.#memory.isFull(fresh) && this.#diskProblem === undefined) void this.#spill();
    else this.#dropExcess();
  }

  #pump(): void {
    const receiver = this.#receiver;
    if (receiver === undefined || this.#isSpilling) return;
    while (this.#memory.live.length > 0 && this.#memory.liveInFlight.size < receiver.window)
      void this.#sendLive(receiver);
    // What fails of an earlier attachment is older than other values of the past.
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

  /** Returns what must be sent again. */
  async #send(receiver: Receiver, batch: readonly Entry[], isHistorical: boolean): Promise<readonly Entry[]> {
    const corrected = batch.map((entry) => this.#correction.corrected(entry));
    const { failed, rejected } = await receiver.send(corrected, isHistorical);
    if (failed.length > 0 && this.#receiver === receiver) this.detach();
    if (this.#isClosed) return failed;
    const isOther = new Set([...failed, ...rejected].map(({ seq }) => seq));
    for (const { path } of rejected) this.#counters.drop(this.#options.priorityOf(path), 'rejected', 1);
    for (const { path, seq } of batch)
      if (!isOther.has(seq)) this.#counters.of[this.#options.priorityOf(path)].sent += 1;
    return failed;
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
      this.#setDiskProblem(thrown);
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
      if (!this.#isClosed) await chain.finish(entries.length - failed.length);
    });
    return entries.length;
  }

  async #sendLate(receiver: Receiver, limit: number): Promise<number> {
    // What goes to the disk, or has just arrived there, is older.
    if (this.#memory.isWriting || this.#chains.waiting > 0) return 0;
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
    this.#journal.settle(() => [...this.#memory.all()], !this.#memory.hasAny, this.#nextSeq);
  }

  async #onInterval(): Promise<void> {
    const { clock, maxAgeMs } = this.#options;
    const isLate = this.#memory.live[0] !== undefined && this.#memory.live[0] === this.#oldestLive;
    this.#oldestLive = this.#memory.live[0];
    if (this.#memory.late.length > 0 || isLate) await this.#spill();
    await this.#disk
      .run(async () => {
        await this.#chains.removeFiles();
        if (clock.isTrusted()) await this.#chains.dropOlderThan(clock.nowMs() - maxAgeMs);
        if (this.#hasUnstored()) await this.#store(false);
      })
      .catch((thrown: unknown) => this.#setDiskProblem(thrown));
    this.#pump();
  }

  #hasUnstored(): boolean {
    if (this.#correction.hasChanged() || this.#counters.dropped !== this.#storedDropped) return true;
    return this.#reserved !== this.#storedReserved;
  }

  /** Writes the values in memory, as soon as none of now is in flight: they would be older. */
  async #spill(): Promise<void> {
    const { liveInFlight, lateInFlight, live } = this.#memory;
    this.#isSpilling = live.length > 0;
    if (liveInFlight.size > 0 || lateInFlight !== undefined) {
      this.#dropExcess();
      return;
    }
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
        this.#setDiskProblem(undefined);
      } catch (thrown) {
        this.#setDiskProblem(thrown);
        this.#memory.endWriting(entries, false);
      }
    }
    this.#dropExcess();
  }

  #dropExcess(): void {
    this.#memory.dropExcess(this.#options.priorityOf, (priority, count) =>
      this.#counters.drop(priority, 'disk', count),
    );
  }

  async #reserve(): Promise<void> {
    this.#reserved = this.#nextSeq + RESERVED_BLOCK;
    await this.#disk.run(() => this.#store(false)).catch((thrown: unknown) => this.#setDiskProblem(thrown));
  }

  /** Writes the state; with `isNew` it reserves sequence numbers from the next one on. */
  async #store(isClosed: boolean, isNew = false): Promise<void> {
    if (isNew) this.#reserved = this.#nextSeq + RESERVED_BLOCK;
    this.#reservedFrom = this.#memory.firstSeq ?? this.#nextSeq;
    const { dropped } = this.#counters;
    const state: QueueState = {
      reserved: isClosed ? this.#nextSeq : this.#reserved,
      reservedFrom: this.#reservedFrom,
      isClosed,
      positions: this.#chains.positions(),
      dropped: this.#counters.stored(),
      clocks: this.#correction.stored(),
    };
    for (const name of STATE_FILES) await this.#options.files.replace(name, stateContent(state));
    this.#storedDropped = dropped;
    this.#storedReserved = state.reserved;
  }

  #setDiskProblem(thrown: unknown): void {
    if (thrown === undefined && this.#diskProblem === undefined) return;
    this.#diskProblem = thrown;
    this.#options.onDiskProblem(thrown);
  }
}
