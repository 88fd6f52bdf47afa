import { coded, type Text } from '../../src/base/codes/coded-text.js';
import type { Cancel, Clock } from '../../src/base/clock.js';
import { fault, Fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
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

/** Limit of queued commands; a script that exceeds it is out of control. */
export const MAX_COMMANDS = 100;
/** After this many commands in a row, one poll is sent, so that values stay current. */
const MAX_COMMANDS_IN_A_ROW = 8;
/** How long a command may wait to be sent: the caller gets a reply within the 10 s limit of a write. */
const COMMAND_WAIT_MS = 4_000;
/**
 * A command to an offline unit is tried if the last request is at least this long ago: the unit may be back.
 */
export const OFFLINE_COMMAND_INTERVAL_MS = 5_000;

/** How requests to a unit are sent. */
interface PollOptions extends Timeouts {
  /** How often a poll without a reply is repeated. */
  readonly retries: number;
}

/** A queued request. */
export interface PendingRequest {
  readonly unit: UnitState;
  readonly request: PduRequest;
  readonly isPoll: boolean;
  /** Whether a missing reply says nothing about the unit. */
  readonly isProbe?: boolean;
  readonly pollOptions: PollOptions;
  /** How often it was sent. */
  sendCount: number;
  /** How often the connection was closed before the reply. */
  disconnectCount: number;
  /** True once its promise is settled. */
  isSettled: boolean;
  readonly resolve: (pdu: Buffer) => void;
  readonly reject: (cause: unknown) => void;
}

/** One request on the wire, and the queued requests that it serves. */
interface RequestBatch {
  readonly unit: UnitState;
  readonly request: PduRequest;
  readonly pollOptions: PollOptions;
  readonly jobs: readonly PendingRequest[];
}

/** The arguments of `execute`. */
interface BusRequest extends Pick<PendingRequest, 'request' | 'isPoll' | 'isProbe' | 'pollOptions'> {
  readonly unit: number;
  readonly signal: AbortSignal;
}

/** The dependencies of a bus. */
interface BusOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly hasTransactions: boolean;
  /** Nothing is sent before this time, monotonic milliseconds: a reply to a previous bus may still arrive. */
  readonly quietUntilMs: number;
}

/**
 * Schedules requests on a bus: one at a time, commands before polls, units in turn. A unit that does not
 * reply is backed off without affecting the others. A cancelled request is never sent later.
 */
export class BusScheduler implements Disposable {
  readonly #transport: Transport;
  readonly #clock: Clock;
  /** True if a late reply cannot be mistaken for the reply to another request. */
  readonly #hasTransactions: boolean;
  readonly #quietUntilMs: number;
  /** Units in the order of their next turn. */
  readonly #units = new Map<number, UnitState>();
  readonly #commands: PendingRequest[] = [];
  #commandsInARow = 0;
  #isWorking = false;
  #isClosed = false;
  #wake: Cancel | undefined;
  #lateUntilMs: number;

  constructor({ transport, clock, hasTransactions, quietUntilMs }: BusOptions) {
    this.#transport = transport;
    this.#clock = clock;
    this.#hasTransactions = hasTransactions;
    this.#quietUntilMs = quietUntilMs;
    this.#lateUntilMs = quietUntilMs;
  }

  /** The state of a unit; created on first use. */
  unit(number: number): UnitState {
    const known = this.#units.get(number);
    if (known !== undefined) return known;
    const unit = new UnitState(number);
    this.#units.set(number, unit);
    return unit;
  }

  /** Until when a reply to a sent request may still arrive, monotonic milliseconds. */
  get lateUntilMs(): number {
    return this.#lateUntilMs;
  }

  /** See `ModbusUnit.execute`. */
  execute({
    unit: number,
    request,
    isPoll,
    isProbe = false,
    pollOptions,
    signal,
  }: BusRequest): Promise<Buffer> {
    const unit = this.unit(number);
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#isClosed) throw unsent(busClosed());
      if (!isPoll) this.#checkCommand(unit);
      const end = () => {
        job.isSettled = true;
        cancel?.();
        signal.removeEventListener('abort', abort);
        this.#dequeue(job);
      };
      const job: PendingRequest = {
        unit,
        request,
        isPoll,
        isProbe,
        pollOptions,
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
      const cancel = isPoll ? undefined : this.#clock.after(COMMAND_WAIT_MS, () => this.#rejectLate(job));
      signal.addEventListener('abort', abort, { once: true });
      (isPoll ? unit.polls : this.#commands).push(job);
      void this.#work();
    });
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#wake?.();
    this.#transport[Symbol.dispose]();
    const polls = [...this.#units.values()].flatMap((unit) => unit.polls);
    rejectAll([...this.#commands, ...polls], unsent(busClosed()));
  }

  #checkCommand(unit: UnitState): void {
    if (this.#commands.length >= MAX_COMMANDS)
      throw fault(
        'BUSY',
        coded`REQUESTS_ALREADY_QUEUED_BUS: ${MAX_COMMANDS} requests are already queued on this bus`,
      );
    if (unit.offlineReason !== undefined && this.#nowMs() < unit.lastSentMs + OFFLINE_COMMAND_INTERVAL_MS)
      throw unsent(fault('DEVICE_OFFLINE', unit.offlineReason));
  }

  /** Sends requests until none can be sent now. */
  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    // Requests that are due at the same time are queued by then, and can be coalesced.
    await yieldToEventLoop();
    try {
      for (let batch = this.#next(); batch !== undefined; batch = this.#next()) await this.#execute(batch);
    } finally {
      this.#isWorking = false;
    }
    this.#sleep();
  }

  /** Wakes when the first backoff ends. */
  #sleep(): void {
    this.#wake?.();
    this.#wake = undefined;
    if (this.#isClosed) return;
    const waiting = new Set(this.#commands.map(({ unit }) => unit));
    for (const unit of this.#units.values()) if (unit.polls.length > 0) waiting.add(unit);
    if (waiting.size === 0) return;
    const firstMs = Math.min(...[...waiting].map(({ backoffUntilMs }) => backoffUntilMs));
    const ms = Math.max(1, Math.ceil(Math.max(firstMs, this.#quietUntilMs) - this.#nowMs()));
    this.#wake = this.#clock.after(ms, () => void this.#work());
  }

  #next(): RequestBatch | undefined {
    if (this.#isClosed) return undefined;
    const nowMs = this.#nowMs();
    if (nowMs < this.#quietUntilMs) return undefined;
    const isFree = ({ backoffUntilMs }: UnitState) => backoffUntilMs <= nowMs;
    const command = this.#commands.find(({ unit }) => unit.offlineReason !== undefined || isFree(unit));
    const unit = this.#units.values().find((one) => one.polls.length > 0 && isFree(one));
    if (command !== undefined && (unit === undefined || this.#commandsInARow < MAX_COMMANDS_IN_A_ROW)) {
      this.#commandsInARow += 1;
      return this.#takeBatch(command, []);
    }
    this.#commandsInARow = 0;
    const [first] = unit?.polls ?? [];
    if (unit === undefined || first === undefined) return undefined;
    // Move the unit to the end: the others come first.
    this.#units.delete(unit.number);
    this.#units.set(unit.number, unit);
    // A request that failed before is sent alone: the unit may reject coalesced reads.
    const canJoin = (job: PendingRequest) =>
      job.sendCount === 0 && job.pollOptions === first.pollOptions && job !== first;
    return this.#takeBatch(
      first,
      unit.canCoalesce && first.sendCount === 0 ? unit.polls.filter(canJoin) : [],
    );
  }

  /** Dequeues a request, with the others that the same coalesced request serves. */
  #takeBatch(first: PendingRequest, others: readonly PendingRequest[]): RequestBatch {
    const { request, reads: jobs } = coalesceReads(first, others);
    for (const job of jobs) this.#dequeue(job);
    return { unit: first.unit, request, pollOptions: first.pollOptions, jobs };
  }

  async #execute(batch: RequestBatch): Promise<void> {
    const { unit, request, pollOptions, jobs } = batch;
    for (const job of jobs) job.sendCount += 1;
    unit.lastSentMs = this.#nowMs();
    this.#lateUntilMs = unit.lastSentMs + 2 * pollOptions.timeoutMs;
    const isCancelled = () => jobs.every(({ isSettled }) => isSettled);
    const outcome = await this.#transport.exchange(unit.number, request, { ...pollOptions, isCancelled });
    if (this.#isClosed) return rejectAll(jobs, busClosed());
    if ('isCancelled' in outcome) {
      // A late reply to the probe of its echo may still arrive.
      const lateMs = this.#hasTransactions ? 0 : pollOptions.timeoutMs;
      unit.backoffUntilMs = Math.max(unit.backoffUntilMs, this.#nowMs() + lateMs);
      return;
    }
    if ('missing' in outcome)
      return outcome.isBroken
        ? this.#handleDisconnect(batch, outcome.missing)
        : this.#handleMissed(batch, outcome.missing);
    const exception = exceptionCodeOf(outcome.pdu);
    if (exception !== undefined && isGatewayException(exception))
      return this.#handleMissed(batch, describeException(exception));
    unit.recordReply();
    if (jobs.length > 1) unit.recordBlockRead(exception === undefined);
    if (exception === undefined)
      for (const job of jobs) job.resolve(extractPart(outcome.pdu, request, job.request));
    else if (jobs.length > 1) unit.polls.push(...jobs.filter(({ isSettled }) => !isSettled));
    else rejectAll(jobs, exceptionFault(unit.number, exception));
  }

  /** Polls are repeated on the next connection. Commands are not: they may have arrived. */
  #handleDisconnect({ unit, pollOptions, jobs }: RequestBatch, why: Text): void {
    for (const job of jobs) {
      job.sendCount -= 1;
      job.disconnectCount += 1;
    }
    const isRepeated = (job: PendingRequest) => job.isPoll && job.disconnectCount <= pollOptions.retries + 1;
    unit.polls.unshift(...jobs.filter((job) => isRepeated(job) && !job.isSettled));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noReply(unit, why),
    );
  }

  #handleMissed({ unit, pollOptions, jobs }: RequestBatch, why: Text): void {
    const nowMs = this.#nowMs();
    const lateMs = this.#hasTransactions ? 0 : pollOptions.timeoutMs;
    if (jobs.some(({ isProbe }) => isProbe)) {
      unit.backoffUntilMs = nowMs + lateMs;
      return rejectAll(jobs, noReply(unit, why));
    }
    const { retries } = pollOptions;
    const isOnline = unit.recordMissedReply(why, { nowMs, lateMs, retries, random: this.#clock.random() });
    if (jobs.length > 1) unit.recordBlockRead(false);
    const isRepeated = (job: PendingRequest) => isOnline && job.isPoll && job.sendCount <= retries;
    unit.polls.push(...jobs.filter((job) => isRepeated(job) && !job.isSettled));
    rejectAll(
      jobs.filter((job) => !isRepeated(job)),
      noReply(unit, why),
    );
    if (isOnline) return;
    rejectAll(
      this.#commands.filter((one) => one.unit === unit),
      unsent(noReply(unit, why)),
    );
  }

  #rejectLate(job: PendingRequest): void {
    if (job.sendCount === 0)
      job.reject(
        unsent(fault('DEVICE_OFFLINE', coded`BUS_BUSY_MS: the bus was busy for ${COMMAND_WAIT_MS} ms`)),
      );
  }

  /** Removes a request from its queue. */
  #dequeue(job: PendingRequest): void {
    const waiting = job.isPoll ? job.unit.polls : this.#commands;
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs()) / 1e6;
  }
}

/** Marks the failure of a request that was not sent: its unit cannot have executed it. */
const unsent = (cause: Fault): Fault => Object.assign(cause, { isUnsent: true });

/** Whether a command has failed without a reply, so that it is unknown whether the unit has executed it. */
export function isUnconfirmed(thrown: unknown): boolean {
  return thrown instanceof Fault && thrown.code === 'DEVICE_OFFLINE' && !('isUnsent' in thrown);
}

function rejectAll(jobs: readonly PendingRequest[], cause: Fault): void {
  for (const job of jobs) job.reject(cause);
}

function busClosed(): Fault {
  return fault('DEVICE_OFFLINE', coded`BUS_CLOSED: the bus was closed`);
}

function noReply({ number }: UnitState, why: Text): Fault {
  return fault('DEVICE_OFFLINE', coded`UNIT_FAILED: unit ${number}: ${why}`);
}
