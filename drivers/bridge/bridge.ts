import type { Cancel } from '../../src/base/clock.js';
import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { codedMessageOf } from '../../src/base/fault.js';
import type { Host, OpenInstance } from '../../src/device/module.js';
import { priorities } from './queue/entry.js';
import { ForwardQueue } from './queue/forward-queue.js';
import type { QueueFigures } from './queue/receiver.js';
import type { QueueFiles } from './queue/queue-files.js';
import type { QueueProperties } from './source/queue-properties.js';
import { ValueSource } from './source/value-source.js';

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3600_000;
/** How often the numbers of waiting and dropped values are reported, if they have changed. */
const REPORT_INTERVAL_MS = 10_000;

/** What bridges require of the gateway. */
export interface BridgeEnvironment {
  /** Opens the files of the queue of one instance, and removes those of `kind` that belong to none of `ids`. */
  openFiles(kind: string, id: number, ids: readonly number[]): Promise<QueueFiles>;
  /** Identifies this run of the kernel. */
  readonly boot: string;
}

/** The form in which one bridge sends. */
export interface Sender {
  start(): void;
  /** Variables were added, changed or removed. */
  onStructure(): void;
  /** Called every 10 s while something changes, and when values were dropped. */
  onFigures(figures: QueueFigures): void;
  close(): Promise<void>;
}

/** What a sender works with. */
export interface BridgeParts {
  readonly queue: ForwardQueue;
  readonly source: ValueSource;
  setConnected(isConnected: boolean, why?: Text): void;
}

/** A bridge: the variables that it forwards, its queue, and the form in which it sends. */
export class Bridge implements OpenInstance {
  readonly #host: Host<QueueProperties>;
  readonly #queue: ForwardQueue;
  readonly #source: ValueSource;
  readonly #sender: Sender;
  readonly #reporting: Cancel;
  #reported = '';

  private constructor(
    host: Host<QueueProperties>,
    parts: { queue: ForwardQueue; source: ValueSource },
    makeSender: (parts: BridgeParts) => Sender,
  ) {
    this.#host = host;
    this.#queue = parts.queue;
    this.#source = parts.source;
    this.#sender = makeSender({ ...parts, setConnected: (...state) => this.#setConnected(...state) });
    this.#reporting = host.clock.every(REPORT_INTERVAL_MS, () => this.#report());
  }

  /** Opens the queue, even while there is no receiver. */
  static async open(
    host: Host<QueueProperties>,
    { kind, environment }: { kind: string; environment: BridgeEnvironment },
    makeSender: (parts: BridgeParts) => Sender,
  ): Promise<Bridge> {
    const { properties, clock } = host;
    const { boot } = environment;
    const ids = host.siblings().map(({ id }) => id);
    const files = await environment.openFiles(kind, host.id, ids);
    const opened: { bridge?: Bridge } = {};
    const source = new ValueSource(host, properties.Paths, {
      boot,
      onValue: (entry) => queue.put(entry),
      onStructure: () => opened.bridge?.onStructure(),
    });
    const queue = await ForwardQueue.open({
      files,
      clock,
      boot,
      maxBytes: properties.MaxMiB * MIB,
      maxAgeMs: properties.MaxDays * DAY_MS,
      writeIntervalMs: properties.WriteInterval * 1000,
      resendRate: properties.ResendRate,
      priorityOf: (path) => source.priorityOf(path),
      onDiskProblem: (thrown) =>
        host.setProblem(
          'QUEUE_NOT_WRITTEN',
          thrown === undefined
            ? undefined
            : coded`QUEUE_CANNOT_BE_WRITTEN: the queue cannot be written to the disk: ${codedMessageOf(thrown)}`,
        ),
    });
    const bridge = new Bridge(host, { queue, source }, makeSender);
    opened.bridge = bridge;
    try {
      source.start();
      bridge.#start();
    } catch (thrown) {
      await bridge.close();
      throw thrown;
    }
    return bridge;
  }

  #start(): void {
    this.#setConnected(false);
    this.#checkPaths();
    this.#report();
    this.#sender.start();
  }

  onStructure(): void {
    this.#checkPaths();
    this.#sender.onStructure();
  }

  knownDevices(): readonly object[] {
    const { figures } = this.#queue;
    const nowMs = this.#host.clock.nowMs();
    return priorities.map((priority) => {
      const { count, bytes, oldestMs } = figures.waitingOf(priority);
      const { accepted, attempts, sent, dropped } = figures.counters.of[priority];
      const oldestS = oldestMs === undefined ? 0 : Math.max(0, Math.round((nowMs - oldestMs) / 1000));
      return {
        Priority: priority,
        Waiting: count,
        Bytes: bytes,
        OldestS: oldestS,
        Accepted: accepted,
        Attempts: attempts,
        Sent: sent,
        Dropped: dropped,
      };
    });
  }

  async close(): Promise<void> {
    this.#reporting();
    this.#source.close();
    try {
      await this.#sender.close();
    } finally {
      // Otherwise it could never be opened again.
      await this.#queue.close();
    }
  }

  #setConnected(isConnected: boolean, why?: Text): void {
    this.#host.report('CONNECTED', isConnected);
    this.#host.setProblem(
      'NOT_CONNECTED',
      why === undefined || isConnected
        ? undefined
        : coded`RECEIVER_NOT_CONNECTED: values wait in the queue, because the receiver is not available: ${why}`,
    );
  }

  #checkPaths(): void {
    const [missing] = this.#source.missing();
    this.#host.setProblem(
      'NO_OBJECT',
      missing === undefined ? undefined : coded`NO_OBJECT_AT_PATH: there is no object at ${missing}`,
    );
  }

  #report(): void {
    const { figures } = this.#queue;
    const { dropped } = figures.counters;
    const state = `${figures.waiting} ${dropped}`;
    if (state === this.#reported) return;
    this.#reported = state;
    this.#host.report('WAITING', figures.waiting);
    this.#host.report('DROPPED', dropped);
    this.#sender.onFigures(figures);
  }
}
