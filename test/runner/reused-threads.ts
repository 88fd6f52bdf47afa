import { EventEmitter } from 'node:events';
import { Worker as Thread, type WorkerOptions } from 'node:worker_threads';

/** Threads whose database is closed, by program and time zone: a thread keeps the one that it began with. */
const idle = new Map<string, Thread[]>();

/**
 * Replaces `Worker` for the databases in a process that runs many tests: the start of a thread takes 50 ms of
 * processor time, and a gateway has two. A thread that has closed its database serves the next one that is
 * opened; one that is terminated otherwise ends.
 */
export class Worker extends EventEmitter {
  readonly #kind: string;
  readonly #thread: Thread;
  #lastRequest = '';
  #pending = 0;
  #isDatabaseClosed = false;

  constructor(program: URL, options: WorkerOptions) {
    super();
    this.#kind = `${program.href} ${process.env['TZ']}`;
    this.#thread = idle.get(this.#kind)?.pop() ?? new Thread(program, options);
    this.#thread.on('message', this.#onMessage);
    this.#thread.on('error', this.#onError);
    this.#thread.on('exit', this.#onExit);
  }

  postMessage(message: { readonly request: string }): void {
    this.#pending += 1;
    this.#lastRequest = message.request;
    this.#isDatabaseClosed = false;
    this.#thread.postMessage(message);
  }

  ref(): void {
    this.#thread.ref();
  }

  unref(): void {
    this.#thread.unref();
  }

  async terminate(): Promise<void> {
    if (!this.#isDatabaseClosed) return void (await this.#thread.terminate());
    this.#isDatabaseClosed = false;
    this.#thread.off('message', this.#onMessage);
    this.#thread.off('error', this.#onError);
    this.#thread.off('exit', this.#onExit);
    this.#thread.unref();
    idle.set(this.#kind, [...(idle.get(this.#kind) ?? []), this.#thread]);
    this.emit('exit', 0);
  }

  readonly #onMessage = (reply: object): void => {
    this.#pending -= 1;
    this.#isDatabaseClosed = this.#pending === 0 && this.#lastRequest === 'close' && !('failure' in reply);
    this.emit('message', reply);
  };
  readonly #onError = (thrown: unknown): void => void this.emit('error', thrown);
  readonly #onExit = (code: number): void => {
    this.#isDatabaseClosed = false;
    this.emit('exit', code);
  };
}
