import { ServerError } from './errors.js';
import type { Timing } from './timing.js';

/** How many frames may wait for a slow reader: as many as the gateway's own change buffer keeps messages. */
const WAITING_LIMIT = 65_536;
/**
 * After so long without a frame, ms, the gateway is asked whether it is there: programs are not shown
 * WebSocket pings.
 */
const SILENCE_MS = 30_000;
/** How long the socket may take to open, and a gateway that was asked to answer, ms. */
const ANSWER_MS = 10_000;

interface SocketOptions {
  url: string;
  protocol: string | undefined;
  /** Sent when nothing came for a while; any frame at all is answer enough. */
  question: string;
  timing: Timing;
  /** Ends the connection; `read` then rejects with its reason. */
  signal: AbortSignal | undefined;
}

/**
 * One WebSocket connection as something to read from. When it ends, what came before is still given, then
 * `read` rejects with the reason. It ends itself when the gateway falls silent or the reader falls too far
 * behind.
 */
export class SocketReader {
  readonly #socket: WebSocket;
  readonly #options: SocketOptions;
  #waiting: string[] = [];
  #ended: Error | undefined;
  #wake: () => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  /**
   * Set when the reader fell behind and the connection was ended for that: nothing is wrong with the gateway.
   */
  overrun = false;

  private constructor(options: SocketOptions) {
    this.#options = options;
    this.#socket = new WebSocket(options.url, options.protocol ?? []);
    options.signal?.addEventListener('abort', this.#abort);
    this.#socket.addEventListener('message', (event) => this.#took(event.data));
    this.#socket.addEventListener('close', ({ code, reason }) =>
      this.#end(new ServerError(closeText(code, reason))),
    );
    this.#watch(ANSWER_MS, () => this.#end(new ServerError('The WebSocket did not open in time')));
  }

  /**
   * Connects. Rejects with a `ServerError` if that fails (the platform does not say why), or the signal's
   * reason.
   */
  static async open(options: SocketOptions): Promise<SocketReader> {
    options.signal?.throwIfAborted();
    const reader = new SocketReader(options);
    await new Promise<void>((resolve, reject) => {
      reader.#wake = () => reject(reader.#ended);
      reader.#socket.addEventListener('open', () => resolve());
    });
    reader.#heard();
    return reader;
  }

  /** What came since the last call, at least one text; waits for it. One reader at a time. */
  async read(): Promise<string[]> {
    while (this.#waiting.length === 0) {
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return this.#waiting.splice(0);
  }

  send(text: string): void {
    if (this.#ended === undefined) this.#socket.send(text);
  }

  /** Ends the connection; calling it again does nothing. */
  close(): void {
    this.#end(new ServerError('The connection was closed'));
  }

  readonly #abort = () => this.#end(this.#options.signal?.reason as Error);

  #took(data: unknown): void {
    if (this.#ended !== undefined) return;
    this.#heard();
    if (typeof data === 'string') this.#waiting.push(data);
    if (this.#waiting.length > WAITING_LIMIT) {
      this.overrun = true;
      this.#end(new ServerError(`${WAITING_LIMIT} changes wait to be read`));
    }
    this.#wake();
  }

  /**
   * Restarts the silence timer: when it ends, the gateway is asked; if no reply comes, the connection is
   * closed.
   */
  #heard(): void {
    this.#watch(SILENCE_MS, () => {
      this.send(this.#options.question);
      this.#watch(ANSWER_MS, () => this.#end(new ServerError('The gateway fell silent')));
    });
  }

  #watch(ms: number, callback: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#options.timing.after(ms, callback);
  }

  #end(why: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#stopTimer();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#socket.close();
    this.#wake();
  }
}

function closeText(code: number, reason: string): string {
  return `The WebSocket was closed (${code}${reason === '' ? '' : `, ${reason}`})`;
}
