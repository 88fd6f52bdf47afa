import type { Cancel, Clock } from '../../src/base/clock.js';
import { fault, type Fault } from '../../src/base/fault.js';
import { nextTurn } from '../../src/base/turn.js';
import type { Line, Patience } from './line.js';
import { merged, partOf } from './merge.js';
import { exceptionIn, exceptionText, isOfTheWay, refusal, type Request } from './pdu.js';
import { Unit } from './unit.js';

/** So many wishes may wait: more are a script that runs wild. */
export const WISHES_MAX = 100;
/** After so many wishes in a row a routine read has its turn, so that values go on. */
export const WISHES_IN_A_ROW = 8;
/** A wish waits for at most so long before it is sent: who made it is told within the ten seconds that a device has. */
export const WISH_WAIT_MS = 4_000;
/** A unit that is away is asked for somebody's wish, if the last time is so long ago: it may be there again. */
export const WISH_EVERY_MS = 5_000;

/** How requests to a unit are made. */
export interface Manners extends Patience {
  /** How often a routine read is repeated at once, where no answer comes. */
  readonly retries: number;
}

/** One request to be made. */
export interface Job {
  readonly unit: Unit;
  readonly request: Request;
  readonly isRoutine: boolean;
  readonly manners: Manners;
  /** So often it was sent. */
  sent: number;
  /** So often the connection was closed before the reply. */
  breaks: number;
  /** It is settled: nobody waits for it any more. */
  isOver: boolean;
  readonly resolve: (pdu: Buffer) => void;
  readonly reject: (cause: unknown) => void;
}

/** One request, and whom it is for. */
interface Turn {
  readonly unit: Unit;
  readonly request: Request;
  readonly manners: Manners;
  readonly jobs: readonly Job[];
}

/** What is asked of a bus. */
export interface Asked extends Pick<Job, 'request' | 'isRoutine' | 'manners'> {
  readonly unit: number;
  readonly signal: AbortSignal;
}

/** What a bus works with. */
export interface BusParts {
  readonly line: Line;
  readonly clock: Clock;
  readonly hasTransactions: boolean;
  /** Nothing is sent before, monotonic milliseconds: an answer to somebody else may still come. */
  readonly quietUntilMs: number;
}

/**
 * Who is asked next: one request at a time, wishes before routine reads, the units in turn. A unit that does not answer
 * is left alone by itself; nothing that was given up is sent later.
 */
export class Bus implements Disposable {
  readonly #line: Line;
  readonly #clock: Clock;
  /** True where a late answer can't be taken for that of another request. */
  readonly #hasTransactions: boolean;
  readonly #quietUntilMs: number;
  /** Those whose turn is next first. */
  readonly #units = new Map<number, Unit>();
  readonly #wishes: Job[] = [];
  #inARow = 0;
  #isWorking = false;
  #isClosed = false;
  #wake: Cancel | undefined;
  #lateUntilMs: number;

  constructor({ line, clock, hasTransactions, quietUntilMs }: BusParts) {
    this.#line = line;
    this.#clock = clock;
    this.#hasTransactions = hasTransactions;
    this.#quietUntilMs = quietUntilMs;
    this.#lateUntilMs = quietUntilMs;
  }

  /** How a unit stands; made when it is first asked for. */
  unit(number: number): Unit {
    const known = this.#units.get(number);
    if (known !== undefined) return known;
    const unit = new Unit(number);
    this.#units.set(number, unit);
    return unit;
  }

  /** Until when an answer to what was sent may still come, monotonic milliseconds. */
  get lateUntilMs(): number {
    return this.#lateUntilMs;
  }

  /** See `ModbusUnit.ask`. */
  ask({ unit: number, request, isRoutine, manners, signal }: Asked): Promise<Buffer> {
    const unit = this.unit(number);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw closed();
      if (!isRoutine) this.#checkWish(unit);
      const end = () => {
        job.isOver = true;
        cancel?.();
        signal.removeEventListener('abort', abort);
        this.#forget(job);
      };
      const job: Job = {
        unit,
        request,
        isRoutine,
        manners,
        sent: 0,
        breaks: 0,
        isOver: false,
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
      const cancel = isRoutine ? undefined : this.#clock.after(WISH_WAIT_MS, () => this.#tooLate(job));
      signal.addEventListener('abort', abort, { once: true });
      (isRoutine ? unit.routine : this.#wishes).push(job);
      void this.#work();
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#wake?.();
    this.#line[Symbol.dispose]();
    rejectAll([...this.#wishes, ...[...this.#units.values()].flatMap(({ routine }) => routine)], closed());
  }

  #checkWish(unit: Unit): void {
    if (this.#wishes.length >= WISHES_MAX)
      throw fault('BUSY', `${WISHES_MAX} requests wait for this line already`);
    if (unit.away !== undefined && this.#nowMs() < unit.askedMs + WISH_EVERY_MS)
      throw fault('DEVICE_OFFLINE', unit.away);
  }

  /** Asks until nobody can be asked now. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // What falls due together is there together.
    await nextTurn();
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
    for (const unit of this.#units.values()) if (unit.routine.length > 0) waiting.add(unit);
    if (waiting.size === 0) return;
    const restMs = Math.min(...[...waiting].map(({ restUntilMs }) => restUntilMs));
    const ms = Math.max(1, Math.ceil(Math.max(restMs, this.#quietUntilMs) - this.#nowMs()));
    this.#wake = this.#clock.after(ms, () => void this.#work());
  }

  #next(): Turn | undefined {
    if (this.#isClosed) return undefined;
    const nowMs = this.#nowMs();
    if (nowMs < this.#quietUntilMs) return undefined;
    const isFree = ({ restUntilMs }: Unit) => restUntilMs <= nowMs;
    const wish = this.#wishes.find(({ unit }) => unit.away !== undefined || isFree(unit));
    const unit = this.#units.values().find((one) => one.routine.length > 0 && isFree(one));
    if (wish !== undefined && (unit === undefined || this.#inARow < WISHES_IN_A_ROW)) {
      this.#inARow += 1;
      return this.#turn(wish, []);
    }
    this.#inARow = 0;
    const [first] = unit?.routine ?? [];
    if (unit === undefined || first === undefined) return undefined;
    // Behind all others: their turns come first.
    this.#units.delete(unit.number);
    this.#units.set(unit.number, unit);
    // What was sent before without success goes alone: it may be the block that the unit does not take.
    const canJoin = (job: Job) => job.sent === 0 && job.manners === first.manners && job !== first;
    return this.#turn(first, unit.takesBlocks && first.sent === 0 ? unit.routine.filter(canJoin) : []);
  }

  /** Takes a job, and of the others those that the same request answers, out of the line. */
  #turn(first: Job, others: readonly Job[]): Turn {
    const { request, reads: jobs } = merged(first, others);
    for (const job of jobs) this.#forget(job);
    return { unit: first.unit, request, manners: first.manners, jobs };
  }

  async #do(turn: Turn): Promise<void> {
    const { unit, request, manners, jobs } = turn;
    for (const job of jobs) job.sent += 1;
    unit.askedMs = this.#nowMs();
    this.#lateUntilMs = unit.askedMs + 2 * manners.timeoutMs;
    const outcome = await this.#line.exchange(unit.number, request, manners);
    if (this.#isClosed) return rejectAll(jobs, closed());
    if ('missing' in outcome)
      return outcome.isBroken ? this.#broken(turn, outcome.missing) : this.#missed(turn, outcome.missing);
    const exception = exceptionIn(outcome.pdu);
    if (exception !== undefined && isOfTheWay(exception)) return this.#missed(turn, exceptionText(exception));
    unit.answered();
    if (jobs.length > 1) unit.block(exception === undefined);
    if (exception === undefined)
      for (const job of jobs) job.resolve(partOf(outcome.pdu, request, job.request));
    else if (jobs.length > 1) unit.routine.push(...jobs.filter(({ isOver }) => !isOver));
    else rejectAll(jobs, refusal(unit.number, exception));
  }

  /** Routine reads are sent again over the next connection. Of a command nobody knows whether it arrived. */
  #broken({ unit, manners, jobs }: Turn, why: string): void {
    for (const job of jobs) {
      job.sent -= 1;
      job.breaks += 1;
    }
    const isRepeated = (job: Job) => job.isRoutine && job.breaks <= manners.retries + 1;
    unit.routine.unshift(...jobs.filter((job) => isRepeated(job) && !job.isOver));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noAnswer(unit, why),
    );
  }

  #missed({ unit, manners, jobs }: Turn, why: string): void {
    const nowMs = this.#nowMs();
    const lateMs = this.#hasTransactions ? 0 : manners.timeoutMs;
    const { retries } = manners;
    const isThere = unit.missed(why, { nowMs, lateMs, retries, random: this.#clock.random() });
    if (jobs.length > 1) unit.block(false);
    const isRepeated = (job: Job) => isThere && job.isRoutine && job.sent <= retries;
    unit.routine.push(...jobs.filter((job) => isRepeated(job) && !job.isOver));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noAnswer(unit, why),
    );
    if (isThere) return;
    rejectAll(
      this.#wishes.filter((one) => one.unit === unit),
      noAnswer(unit, why),
    );
  }

  #tooLate(job: Job): void {
    if (job.sent === 0) job.reject(fault('DEVICE_OFFLINE', `the line was busy for ${WISH_WAIT_MS} ms`));
  }

  /** It waits no more. */
  #forget(job: Job): void {
    const waiting = job.isRoutine ? job.unit.routine : this.#wishes;
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}

function rejectAll(jobs: readonly Job[], cause: Fault): void {
  for (const job of jobs) job.reject(cause);
}

function closed(): Fault {
  return fault('DEVICE_OFFLINE', 'the line was closed meanwhile');
}

function noAnswer({ number }: Unit, why: string): Fault {
  return fault('DEVICE_OFFLINE', `unit ${number}: ${why}`);
}
