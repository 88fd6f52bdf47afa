import { Worker } from 'node:worker_threads';
import { Fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { StoreRequests as AskedOfStore, WorkerFailure, WorkerReply } from './worker-protocol.js';

/**
 * A worker does nothing but IO and holds little at a time; its heap has no reason to grow, and a leak there must show
 * early. Sizes in MB.
 */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/** Why the store could not do it, when the disk or the database was the reason. */
export class WorkerError extends Error {
  /** SQLite's result code, where it was SQLite. */
  readonly sqlite: number | undefined;

  constructor(message: string, sqlite?: number) {
    super(message);
    this.sqlite = sqlite;
  }
}

/** Questions to a worker, each with what is asked (which has no `id` of its own) and what is answered; `open` is the first. */
type Questions<A> = Record<keyof A, { request: object & { id?: never }; answer: object }> & { open: unknown };

/** What can be asked of a worker; a test may stand in for it. */
export interface Port<A extends Questions<A>> {
  /** Rejects with a `Fault` or a {@link WorkerError}. */
  ask<Q extends keyof A>(ask: Q, request: A[Q]['request']): Promise<A[Q]['answer']>;
  /** Ends it, whatever it is doing; calling it again is fine. */
  close(): Promise<void>;
}

/** What can be asked of the store's worker. */
export type StorePort = Port<AskedOfStore>;

interface Waiting {
  resolve(answer: never): void;
  reject(reason: Error): void;
}

/** Which worker, and where it says that it failed. */
export interface WorkerOptions {
  readonly program: URL;
  /** As error texts have it: `the store`. */
  readonly name: string;
  readonly log: Log;
}

/**
 * A worker thread with a database, seen from the gateway: questions go out in order, and so do the answers. When the
 * thread ends by itself, what waits is rejected, and the next question begins a new one that opens the same database.
 */
export class WorkerPort<A extends Questions<A>> implements Port<A> {
  readonly #options: WorkerOptions;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #opening: A['open']['request'] | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  ask<Q extends keyof A>(ask: Q, request: A[Q]['request']): Promise<A[Q]['answer']> {
    const { name, log } = this.#options;
    if (this.#isClosed) return Promise.reject(new WorkerError(`${name} is closed`));
    if (ask === 'open') this.#opening = request;
    else if (this.#worker === undefined && this.#opening !== undefined)
      this.#post('open', this.#opening).catch((thrown: unknown) =>
        log.error({}, `${name} did not open again: ${messageOf(thrown)}`),
      );
    return this.#post(ask, request);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #post<Q extends keyof A>(ask: Q, request: A[Q]['request']): Promise<A[Q]['answer']> {
    let worker: Worker;
    try {
      worker = this.#worker ??= this.#start();
    } catch (thrown) {
      // No memory, or no thread, for it: the next question tries again.
      return Promise.reject(new WorkerError(`${this.#options.name} cannot be started: ${messageOf(thrown)}`));
    }
    const id = ++this.#count;
    return new Promise<A[Q]['answer']>((resolve, reject) => {
      // Whoever waits for an answer keeps the process; the worker itself does not.
      worker.ref();
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ id, ask, ...request });
    });
  }

  #start(): Worker {
    const { program, name, log } = this.#options;
    const worker = new Worker(program, { resourceLimits: LIMITS });
    worker.on('message', (reply: WorkerReply) => this.#took(worker, reply));
    worker.on('error', (thrown: unknown) => log.error({ err: thrown }, `${name} has failed`));
    worker.on('exit', () => this.#ended(worker));
    return worker;
  }

  #took(worker: Worker, reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('failure' in reply) waiting?.reject(errorOf(reply.failure));
    else waiting?.resolve(reply.answer as never);
  }

  #ended(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#waiting.values())
      reject(new WorkerError(`${this.#options.name} has ended`));
    this.#waiting.clear();
  }
}

function errorOf({ message, sqlite, fault: code }: WorkerFailure): Error {
  return code === undefined ? new WorkerError(message, sqlite) : new Fault(code, message);
}
