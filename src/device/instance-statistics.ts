import type { Clock } from '../base/clock.js';
import { codeOf, type FaultCode } from '../base/fault.js';
import { Histogram } from '../base/metrics/histogram.js';

/** The kinds of errors that are counted separately; more than any driver has. */
const REASONS_LIMIT = 32;
/** Codes of errors of the system and of protocols, which are names; everything else is `OTHER`. */
const CODE = /^[A-Z][A-Z0-9_]{1,39}$/;

/** Codes of commands that are rejected for what they are: neither the driver nor the device has failed. */
const REJECTIONS: ReadonlySet<string> = new Set<FaultCode>([
  'RULE_FORBIDS',
  'CANNOT_CONVERT',
  'PARAMETER_BOUNDS',
  'PARAMETER_TYPE',
  'READ_ONLY',
  'TEXT_TOO_LONG',
]);

type Direction = 'received' | 'sent';

/** A recurring operation: how often it ended and failed, and its latency in milliseconds. */
export class LatencyStatistics {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #durations: Histogram | undefined;
  lastMs = 0;
  maxMs = 0;
  count = 0;
  failures = 0;

  /** `durations` also gets each operation. */
  constructor(clock: Pick<Clock, 'monotonicNs'>, durations?: Histogram) {
    this.#clock = clock;
    this.#durations = durations;
  }

  /** Records an operation that started at `fromNs` and has just ended, perhaps with a failure. */
  recordSince(fromNs: bigint, hasFailed = false): void {
    this.count += 1;
    if (hasFailed) this.failures += 1;
    this.lastMs = Number(this.#clock.monotonicNs() - fromNs) / 1e6;
    if (this.lastMs > this.maxMs) this.maxMs = this.lastMs;
    this.#durations?.add(this.lastMs / 1000);
  }
}

/** What one instance has done since the gateway started, for monitoring. It survives reopening. */
export class InstanceStatistics {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  /** How often the instance went online. */
  openings = 0;
  readonly command: LatencyStatistics;
  /** Failed attempts to open it, lost connections, failed commands and problems of its driver, by code. */
  readonly errors = new Map<string, number>();
  /** The durations of its polls; undefined before the first one. */
  polls: Histogram | undefined;
  /** MQTT messages by quality of service; undefined if its driver counts none. */
  messages: Readonly<Record<Direction, number[]>> | undefined;

  /** `commands` gets the durations of commands. */
  constructor(clock: Pick<Clock, 'monotonicNs'>, commands?: Histogram) {
    this.#clock = clock;
    this.command = new LatencyStatistics(clock, commands);
  }

  /** Counts an error by its code. */
  countError(thrown: unknown): void {
    this.countReason(codeOf(thrown) ?? '');
  }

  /** Counts the failure of a command, unless the command itself was wrong or a rule forbids it. */
  countFailedCommand(thrown: unknown): void {
    if (!REJECTIONS.has(codeOf(thrown) ?? '')) this.countError(thrown);
  }

  /** Counts an error with this code. */
  countReason(code: string): void {
    const isKnown = this.errors.has(code);
    const reason = isKnown || (CODE.test(code) && this.errors.size < REASONS_LIMIT) ? code : 'OTHER';
    this.errors.set(reason, (this.errors.get(reason) ?? 0) + 1);
  }

  /** Counts a poll that has just ended. */
  recordPoll(fromNs: bigint): void {
    this.polls ??= new Histogram();
    this.polls.add(Number(this.#clock.monotonicNs() - fromNs) / 1e9);
  }

  /** Counts an MQTT message. */
  countMessage(direction: Direction, qos: number): void {
    this.messages ??= { received: [0, 0, 0], sent: [0, 0, 0] };
    const counts = this.messages[direction];
    counts[qos] = (counts[qos] ?? 0) + 1;
  }
}
