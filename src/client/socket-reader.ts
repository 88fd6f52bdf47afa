import { ServerError } from './errors.js';
import type { Timing } from './timing.js';

/** Maximum number of frames that are queued for a slow reader: the size of the gateway's change buffer. */
const QUEUE_LIMIT = 65_536;
/**
 * Without a frame for this long, ms, the client probes the gateway, because the WebSocket API does not expose
 * pings.
 */
const SILENCE_MS = 30_000;
/** Time limit for opening the socket, and for a frame after a probe, ms. */
const RESPONSE_MS = 10_000;

interface SocketOptions {
  url: string;
  protocol: string | undefined;
  /** The request to send after silence; any frame is a sufficient response. */
  probe: string;
  timing: Timing;
  /** Ends the connection; `read` then rejects with its reason. */
  signal: AbortSignal | undefined;
}

/**
 * Reads from one WebSocket connection. After it has ended, `read` first returns the remaining frames, then
 * rejects with the reason. Closes the connection if the gateway stops responding or the reader is too slow.
 */
export class SocketReader {
  readonly #socket: WebSocket;
  readonly #options: SocketOptions;
  #queue: string[] = [];
  #ended: Error | undefined;
  #wakeReader: () => void = () => undefined;
  #stopTimer: () => void = () => undefined;

  /**
   * Whether the connection was closed because the reader was too slow; the gateway has no problem then.
   */
  overrun = false;

  private constructor(options: SocketOptions) {
    this.#options = options;
    this.#socket = new WebSocket(options.url, options.protocol ?? []);
    options.signal?.addEventListener('abort', this.#abort);
    this.#socket.addEventListener('message', (event) => this.#onMessage(event.data));
    this.#socket.addEventListener('close', ({ code, reason }) =>
      this.#end(new ServerError(closeText(code, reason))),
    );
    this.#setTimer(RESPONSE_MS, () => this.#end(new ServerError('The WebSocket did not open in time')));
  }

  /**
   * Connects. Rejects with a `ServerError` if that fails (the platform gives no reason), or with the signal's
   * reason.
   */
  static async open(options: SocketOptions): Promise<SocketReader> {
    options.signal?.throwIfAborted();
    const reader = new SocketReader(options);
    await new Promise<void>((resolve, reject) => {
      reader.#wakeReader = () => reject(reader.#ended);
      reader.#socket.addEventListener('open', () => resolve());
    });
    reader.#restartSilenceTimer();
    return reader;
  }

  /** Waits for frames; returns all since the last call. Only one call at a time. */
  async read(): Promise<string[]> {
    while (this.#queue.length === 0) {
      if (this.#ended !== undefined) throw this.#ended;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
    }
    return this.#queue.splice(0);
  }

  send(text: string): void {
    if (this.#ended === undefined) this.#socket.send(text);
  }

  /** Closes the connection. May be called twice. */
  close(): void {
    this.#end(new ServerError('The connection was closed'));
  }

  readonly #abort = () => this.#end(this.#options.signal?.reason as Error);

  #onMessage(data: unknown): void {
    if (this.#ended !== undefined) return;
    this.#restartSilenceTimer();
    if (typeof data === 'string') this.#queue.push(data);
    if (this.#queue.length > QUEUE_LIMIT) {
      this.overrun = true;
      this.#end(new ServerError(`More than ${QUEUE_LIMIT} changes are queued for the reader`));
    }
    this.#wakeReader();
  }

  /**
   * Restarts the silence timer. When it expires, the client probes the gateway; without a frame after that,
   * it closes the connection.
   */
  #restartSilenceTimer(): void {
    this.#setTimer(SILENCE_MS, () => {
      this.send(this.#options.probe);
      this.#setTimer(RESPONSE_MS, () => this.#end(new ServerError('The gateway does not respond')));
    });
  }

  #setTimer(ms: number, callback: () => void): void {
    this.#stopTimer();
    this.#stopTimer = this.#options.timing.after(ms, callback);
  }

  #end(why: Error): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#stopTimer();
    this.#options.signal?.removeEventListener('abort', this.#abort);
    this.#socket.close();
    this.#wakeReader();
  }
}

function closeText(code: number, reason: string): string {
  return `The WebSocket was closed (${code}${reason === '' ? '' : `, ${reason}`})`;
}
