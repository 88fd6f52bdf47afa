import { Worker } from 'node:worker_threads';
import { coded, CodedError, type CodedText, parameterOf, type Text } from '../base/codes/coded-text.js';
import { Fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { WorkerFailure, WorkerReply, WorkerRequests } from './worker-protocol.js';

/**
 * Heap limits of a worker, MB. A worker only does IO and keeps little in memory, so a leak must fail early.
 */
const HEAP_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2 };

/** A worker could not serve a request because of the disk or the database, or because it has ended. */
export class WorkerError extends CodedError {
  /** SQLite's primary result code, if SQLite was the reason. */
  readonly sqlite: number | undefined;

  constructor(message: Text, sqlite?: number) {
    super(message);
    this.sqlite = sqlite;
  }
}

/** The client side of a worker; tests replace it. */
export interface WorkerClient<R extends WorkerRequests<R>> {
  /** Rejects with a `Fault` or a {@link WorkerError}. */
  request<Q extends keyof R>(request: Q, fields: R[Q]['request']): Promise<R[Q]['reply']>;
  /** Ends the worker, whatever it is doing. Calling it twice is fine. */
  close(): Promise<void>;
}

interface PendingRequest {
  resolve(reply: never): void;
  reject(reason: Error): void;
}

/** Which program the worker runs, and where its failures are logged. */
interface WorkerOptions {
  readonly program: URL;
  /** The name in error texts: `the store`. */
  readonly name: CodedText;
  readonly log: Log;
}

/**
 * Runs a worker thread that owns a database. Replies arrive in the order of the requests. If the thread exits
 * unexpectedly, pending requests are rejected, and the next request starts a new thread, which reopens the
 * database.
 */
export class WorkerThreadClient<R extends WorkerRequests<R>> implements WorkerClient<R> {
  readonly #options: WorkerOptions;
  readonly #pending = new Map<number, PendingRequest>();
  #worker: Worker | undefined;
  #openFields: R['open']['request'] | undefined;
  #count = 0;
  #isClosed = false;

  constructor(options: WorkerOptions) {
    this.#options = options;
  }

  request<Q extends keyof R>(request: Q, fields: R[Q]['request']): Promise<R[Q]['reply']> {
    const { name, log } = this.#options;
    if (this.#isClosed) return Promise.reject(new WorkerError(coded`WORKER_CLOSED: ${name} is closed`));
    if (request === 'open') this.#openFields = fields;
    else if (this.#worker === undefined && this.#openFields !== undefined)
      this.#send('open', this.#openFields).catch((thrown: unknown) =>
        log.error({}, `${name.text} could not be reopened: ${messageOf(thrown)}`),
      );
    return this.#send(request, fields);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
  }

  #send<Q extends keyof R>(request: Q, fields: R[Q]['request']): Promise<R[Q]['reply']> {
    let worker: Worker;
    try {
      worker = this.#worker ??= this.#start();
    } catch (thrown) {
      // Not enough memory or threads: the next request retries.
      return Promise.reject(
        new WorkerError(
          coded`WORKER_NOT_STARTED: ${this.#options.name} cannot be started: ${messageOf(thrown)}`,
        ),
      );
    }
    const id = ++this.#count;
    return new Promise<R[Q]['reply']>((resolve, reject) => {
      // A pending request keeps the process alive; an idle worker does not.
      worker.ref();
      this.#pending.set(id, { resolve, reject });
      worker.postMessage({ id, request, ...fields });
    });
  }

  #start(): Worker {
    const { program, name, log } = this.#options;
    const worker = new Worker(program, { resourceLimits: HEAP_LIMITS });
    worker.on('message', (reply: WorkerReply) => this.#onReply(worker, reply));
    worker.on('error', (thrown: unknown) => log.error({ err: thrown }, `${name.text} has failed`));
    worker.on('exit', () => this.#onExit(worker));
    return worker;
  }

  #onReply(worker: Worker, reply: WorkerReply): void {
    const pending = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if (this.#pending.size === 0) worker.unref();
    if ('failure' in reply) pending?.reject(errorOf(reply.failure));
    else pending?.resolve(reply.reply as never);
  }

  #onExit(worker: Worker): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { reject } of this.#pending.values())
      reject(new WorkerError(coded`WORKER_ENDED: ${this.#options.name} has ended`));
    this.#pending.clear();
  }
}

function errorOf({ message, sqlite, fault: code, parameters }: WorkerFailure): Error {
  if (code === undefined) return new WorkerError(message, sqlite);
  return new Fault(code, message, parameters && { parameters: parameters.map(parameterOf) });
}
