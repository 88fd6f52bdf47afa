import type { Cancel, Clock } from '../../src/base/clock.js';
import { fault, type Fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/serial-queue.js';
import type { Transport, Timeouts } from './transport.js';
import { coalesceReads, extractPart } from './coalesce-reads.js';
import {
  exceptionCodeOf,
  describeException,
  isGatewayException,
  exceptionFault,
  type PduRequest,
} from './pdu.js';
import { UnitState } from './unit-state.js';

/** So many wishes may wait: more are a script that runs wild. */
export const MAX_COMMANDS = 100;
/** After so many wishes in a row a routine read has its turn, so that values go on. */
export const MAX_COMMANDS_IN_A_ROW = 8;
/** A wish waits for at most so long before it is sent: who made it is told within the ten seconds that a device has. */
export const COMMAND_WAIT_MS = 4_000;
/** A unit that is away is asked for somebody's wish, if the last time is so long ago: it may be there again. */
export const OFFLINE_COMMAND_INTERVAL_MS = 5_000;

/** How requests to a unit are made. */
export interface PollOptions extends Timeouts {
  /** How often a routine read is repeated at once, where no answer comes. */
  readonly retries: number;
}

/** One request to be made. */
export interface PendingRequest {
  readonly unit: UnitState;
  readonly request: PduRequest;
  readonly isRoutine: boolean;
  readonly manners: PollOptions;
  /** So often it was sent. */
  sendCount: number;
  /** So often the connection was closed before the reply. */
  disconnectCount: number;
  /** It is settled: nobody waits for it any more. */
  isSettled: boolean;
  readonly resolve: (pdu: Buffer) => void;
  readonly reject: (cause: unknown) => void;
}

/** One request, and whom it is for. */
interface RequestBatch {
  readonly unit: UnitState;
  readonly request: PduRequest;
  readonly manners: PollOptions;
  readonly jobs: readonly PendingRequest[];
}

/** What is asked of a bus. */
export interface BusRequest extends Pick<PendingRequest, 'request' | 'isRoutine' | 'manners'> {
  readonly unit: number;
  readonly signal: AbortSignal;
}

/** What a bus works with. */
export interface BusOptions {
  readonly line: Transport;
  readonly clock: Clock;
  readonly hasTransactions: boolean;
  /** Nothing is sent before, monotonic milliseconds: an answer to somebody else may still come. */
  readonly quietUntilMs: number;
}

/**
 * Who is asked next: one request at a time, wishes before routine reads, the units in turn. A unit that does not answer
 * is left alone by itself; nothing that was given up is sent later.
 */
export class BusScheduler implements Disposable {
  readonly #line: Transport;
  readonly #clock: Clock;
  /** True where a late answer can't be taken for that of another request. */
  readonly #hasTransactions: boolean;
  readonly #quietUntilMs: number;
  /** Those whose turn is next first. */
  readonly #units = new Map<number, UnitState>();
  readonly #wishes: PendingRequest[] = [];
  #inARow = 0;
  #isWorking = false;
  #isClosed = false;
  #wake: Cancel | undefined;
  #lateUntilMs: number;

  constructor({ line, clock, hasTransactions, quietUntilMs }: BusOptions) {
    this.#line = line;
    this.#clock = clock;
    this.#hasTransactions = hasTransactions;
    this.#quietUntilMs = quietUntilMs;
    this.#lateUntilMs = quietUntilMs;
  }

  /** How a unit stands; made when it is first asked for. */
  unit(number: number): UnitState {
    const known = this.#units.get(number);
    if (known !== undefined) return known;
    const unit = new UnitState(number);
    this.#units.set(number, unit);
    return unit;
  }

  /** Until when an answer to what was sent may still come, monotonic milliseconds. */
  get lateUntilMs(): number {
    return this.#lateUntilMs;
  }

  /** See `ModbusUnit.ask`. */
  execute({ unit: number, request, isRoutine, manners, signal }: BusRequest): Promise<Buffer> {
    const unit = this.unit(number);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw busClosed();
      if (!isRoutine) this.#checkWish(unit);
      const end = () => {
        job.isSettled = true;
        cancel?.();
        signal.removeEventListener('abort', abort);
        this.#forget(job);
      };
      const job: PendingRequest = {
        unit,
        request,
        isRoutine,
        manners,
        sendCount: 0,
        disconnectCount: 0,
        isSettled: false,
        resolve: (pdu) => {
          end();
          resolve(pdu);
        },
        reject: (cause) => {
          end();
          reject(cause);
        },
      };
      const abort = () => job.reject(signal.reason);
      const cancel = isRoutine ? undefined : this.#clock.after(COMMAND_WAIT_MS, () => this.#tooLate(job));
      signal.addEventListener('abort', abort, { once: true });
      (isRoutine ? unit.polls : this.#wishes).push(job);
      void this.#work();
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#wake?.();
    this.#line[Symbol.dispose]();
    rejectAll(
      [...this.#wishes, ...[...this.#units.values()].flatMap(({ polls: routine }) => routine)],
      busClosed(),
    );
  }

  #checkWish(unit: UnitState): void {
    if (this.#wishes.length >= MAX_COMMANDS)
      throw fault('BUSY', `${MAX_COMMANDS} requests wait for this line already`);
    if (unit.offlineReason !== undefined && this.#nowMs() < unit.lastSentMs + OFFLINE_COMMAND_INTERVAL_MS)
      throw fault('DEVICE_OFFLINE', unit.offlineReason);
  }

  /** Asks until nobody can be asked now. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // What falls due together is there together.
    await yieldToEventLoop();
    try {
      for (let turn = this.#next(); turn !== undefined; turn = this.#next()) await this.#do(turn);
    } finally {
      this.#isWorking = false;
    }
    this.#sleep();
  }

  /** Wakes when the first of those that are left alone may be asked again. */
  #sleep(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.#isClosed) return;
    const waiting = new Set(this.#wishes.map(({ unit }) => unit));
    for (const unit of this.#units.values()) if (unit.polls.length > 0) waiting.add(unit);
    if (waiting.size === 0) return;
    const restMs = Math.min(...[...waiting].map(({ backoffUntilMs: restUntilMs }) => restUntilMs));
    const ms = Math.max(1, Math.ceil(Math.max(restMs, this.#quietUntilMs) - this.#nowMs()));
    this.#wake = this.#clock.after(ms, () => void this.#work());
  }

  #next(): RequestBatch | undefined {
    if (this.#isClosed) return undefined;
    const nowMs = this.#nowMs();
    if (nowMs < this.#quietUntilMs) return undefined;
    const isFree = ({ backoffUntilMs: restUntilMs }: UnitState) => restUntilMs <= nowMs;
    const wish = this.#wishes.find(({ unit }) => unit.offlineReason !== undefined || isFree(unit));
    const unit = this.#units.values().find((one) => one.polls.length > 0 && isFree(one));
    if (wish !== undefined && (unit === undefined || this.#inARow < MAX_COMMANDS_IN_A_ROW)) {
      this.#inARow += 1;
      return this.#turn(wish, []);
    }
    this.#inARow = 0;
    const [first] = unit?.polls ?? [];
    if (unit === undefined || first === undefined) return undefined;
    // Behind all others: their turns come first.
    this.#units.delete(unit.number);
    this.#units.set(unit.number, unit);
    // What was sent before without success goes alone: it may be the block that the unit does not take.
    const canJoin = (job: PendingRequest) =>
      job.sendCount === 0 && job.manners === first.manners && job !== first;
    return this.#turn(first, unit.canCoalesce && first.sendCount === 0 ? unit.polls.filter(canJoin) : []);
  }

  /** Takes a job, and of the others those that the same request answers, out of the line. */
  #turn(first: PendingRequest, others: readonly PendingRequest[]): RequestBatch {
    const { request, reads: jobs } = coalesceReads(first, others);
    for (const job of jobs) this.#forget(job);
    return { unit: first.unit, request, manners: first.manners, jobs };
  }

  async #do(turn: RequestBatch): Promise<void> {
    const { unit, request, manners, jobs } = turn;
    for (const job of jobs) job.sendCount += 1;
    unit.lastSentMs = this.#nowMs();
    this.#lateUntilMs = unit.lastSentMs + 2 * manners.timeoutMs;
    const outcome = await this.#line.exchange(unit.number, request, manners);
    if (this.#isClosed) return rejectAll(jobs, busClosed());
    if ('missing' in outcome)
      return outcome.isBroken ? this.#broken(turn, outcome.missing) : this.#missed(turn, outcome.missing);
    const exception = exceptionCodeOf(outcome.pdu);
    if (exception !== undefined && isGatewayException(exception))
      return this.#missed(turn, describeException(exception));
    unit.recordReply();
    if (jobs.length > 1) unit.recordBlockRead(exception === undefined);
    if (exception === undefined)
      for (const job of jobs) job.resolve(extractPart(outcome.pdu, request, job.request));
    else if (jobs.length > 1) unit.polls.push(...jobs.filter(({ isSettled: isOver }) => !isOver));
    else rejectAll(jobs, exceptionFault(unit.number, exception));
  }

  /** Routine reads are sent again over the next connection. Of a command nobody knows whether it arrived. */
  #broken({ unit, manners, jobs }: RequestBatch, why: string): void {
    for (const job of jobs) {
      job.sendCount -= 1;
      job.disconnectCount += 1;
    }
    const isRepeated = (job: PendingRequest) => job.isRoutine && job.disconnectCount <= manners.retries + 1;
    unit.polls.unshift(...jobs.filter((job) => isRepeated(job) && !job.isSettled));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noReply(unit, why),
    );
  }

  #missed({ unit, manners, jobs }: RequestBatch, why: string): void {
    const nowMs = this.#nowMs();
    const lateMs = this.#hasTransactions ? 0 : manners.timeoutMs;
    const { retries } = manners;
    const isThere = unit.recordMissedReply(why, { nowMs, lateMs, retries, random: this.#clock.random() });
    if (jobs.length > 1) unit.recordBlockRead(false);
    const isRepeated = (job: PendingRequest) => isThere && job.isRoutine && job.sendCount <= retries;
    unit.polls.push(...jobs.filter((job) => isRepeated(job) && !job.isSettled));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noReply(unit, why),
    );
    if (isThere) return;
    rejectAll(
      this.#wishes.filter((one) => one.unit === unit),
      noReply(unit, why),
    );
  }

  #tooLate(job: PendingRequest): void {
    if (job.sendCount === 0)
      job.reject(fault('DEVICE_OFFLINE', `the line was busy for ${COMMAND_WAIT_MS} ms`));
  }

  /** It waits no more. */
  #forget(job: PendingRequest): void {
    const waiting = job.isRoutine ? job.unit.polls : this.#wishes;
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}

function rejectAll(jobs: readonly PendingRequest[], cause: Fault): void {
  for (const job of jobs) job.reject(cause);
}

function busClosed(): Fault {
  return fault('DEVICE_OFFLINE', 'the line was closed meanwhile');
}

function noReply({ number }: UnitState, why: string): Fault {
  return fault('DEVICE_OFFLINE', `unit ${number}: ${why}`);
}
