/**
 * The line protocols of qemu's unix sockets (QMP, the guest agent, qtest): one request at a time, one line
 * per reply, and occasionally an unsolicited line.
 */
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { withinPatience, until } from '../../tools/until.js';

/** qemu opens its sockets within a second of its start; later on a busy machine. */
const CONNECT_LIMIT_MS = 20_000;

/** Connects to a unix socket that qemu has opened or is about to open. */
export function connect(path: string): Promise<Socket> {
  return until(
    `a connection to ${path}`,
    async () => {
      const socket = connectSocket(path);
      try {
        await once(socket, 'connect');
      } catch {
        return undefined;
      }
      socket.on('error', () => undefined); // an error is followed by `close`, which is awaited
      return socket;
    },
    CONNECT_LIMIT_MS,
  );
}

interface Waiting {
  resolve(line: string): void;
  reject(why: Error): void;
}

/**
 * One connection. `request` may be called concurrently: requests are sent one after another. If the peer
 * disconnects (the machine died), all waiting calls are rejected.
 */
export class Wire implements Disposable {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** `unsolicited` is called with every line first; true means that it is not a reply to a request. */
  constructor(socket: Socket, unsolicited: (line: string) => boolean = () => false) {
    this.#socket = socket;
    const lines = createInterface({ input: socket, crlfDelay: Infinity });
    lines.on('line', (raw) => {
      const line = raw.replace(/[\uFFFD\xff]/g, '').trim();
      if (line !== '' && !unsolicited(line)) this.#waiting.shift()?.resolve(line);
    });
    lines.on('error', () => undefined); // the socket's; it closes too
    socket.once('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the machine is gone'));
    });
  }

  /**
   * Sends a line and returns the reply. After a failure requests and replies no longer match: open a new
   * connection.
   */
  request(line: string, limitMs: number): Promise<string> {
    const reply = this.#last.then(() => {
      const answered = this.next(limitMs, line.slice(0, 80));
      this.#socket.write(line + '\n');
      return answered;
    });
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  /** The next line without a request: a greeting, or a late reply. */
  next(limitMs: number, what = 'a line'): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    if (this.#socket.closed) reject(new Error('the machine is gone'));
    else this.#waiting.push({ resolve, reject });
    return withinPatience(what, promise, limitMs);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
