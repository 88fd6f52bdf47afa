import { Worker } from 'node:worker_threads';
import { Fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { Asked, Failure, Message, Question, Reply } from './messages.js';

/**
 * The worker does nothing but IO and holds a thousand rows at most; its heap has no reason to grow, and a leak there
 * must show early. Sizes in MB.
 */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/** Why the store could not do it, when the disk or the database was the reason. */
export class StoreError extends Error {
  /** SQLite's result code, where it was SQLite. */
  readonly sqlite: number | undefined;

  constructor(message: string, sqlite?: number) {
    super(message);
    this.sqlite = sqlite;
  }
}

/** What can be asked of the worker; a test may stand in for it. */
export interface StorePort {
  /** Rejects with a `Fault` or a {@link StoreError}. */
  ask<Q extends Question>(ask: Q, request: Asked[Q]['request']): Promise<Asked[Q]['answer']>;
  /** Ends it, whatever it is doing; calling it again is fine. */
  close(): Promise<void>;
}

interface Waiting {
  resolve(answer: never): void;
  reject(reason: Error): void;
}

/**
 * The store's worker thread, seen from the gateway: questions go out in order, and so do the answers. When the thread
 * ends by itself, what waits is rejected, and the next question begins a new one that opens the same database.
 */
export class WorkerPort implements StorePort {
  readonly #log: Log;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #opening: Asked['open']['request'] | undefined;
  #count = 0;
  #isClosed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  ask<Q extends Question>(ask: Q, request: Asked[Q]['request']): Promise<Asked[Q]['answer']> {
    if (this.#isClosed) return Promise.reject(new StoreError('the store is closed'));
    if (ask === 'open') this.#opening = request as Asked['open']['request'];
    else if (this.#worker === undefined && this.#opening !== undefined)
      this.#post('open', this.#opening).catch((thrown: unknown) =>
        this.#log.error({}, `the store did not open again: ${messageOf(thrown)}`),
      );
    return this.#post(ask, request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #post<Q extends Question>(ask: Q, request: Asked[Q]['request']): Promise<Asked[Q]['answer']> {
    const worker = (this.#worker ??= this.#start());
    const id = ++this.#count;
    return new Promise<Asked[Q]['answer']>((resolve, reject) => {
      // Whoever waits for an answer keeps the process; the worker itself does not.
      worker.ref();
      this.#waiting.set(id, { resolve, reject });
      const message: Omit<Message, 'ask'> & { ask: Question } = { id, ask, ...request };
      worker.postMessage(message);
    });
  }

  #start(): Worker {
    const worker = new Worker(new URL('worker.js', import.meta.url), { resourceLimits: LIMITS });
    worker.on('message', (reply: Reply) => this.#took(worker, reply));
    worker.on('error', (thrown: unknown) => this.#log.error({ err: thrown }, 'the store has failed'));
    worker.on('exit', () => this.#ended(worker));
    return worker;
  }

  #took(worker: Worker, reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('failure' in reply) waiting?.reject(errorOf(reply.failure));
    else waiting?.resolve(reply.answer as never);
  }

  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#waiting.values()) reject(new StoreError('the store has ended'));
    this.#waiting.clear();
  }
}

function errorOf({ message, sqlite, fault: code }: Failure): Error {
  return code === undefined ? new StoreError(message, sqlite) : new Fault(code, message);
}
