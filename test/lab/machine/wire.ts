/**
 * The line protocols that qemu speaks on unix sockets (QMP, the guest agent, qtest): one request at a time,
 * one line of answer each, and now and then a line that nobody asked for.
 */
import { once } from 'node:events';
import { connect as connectSocket, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { withinPatience, until } from '../../tools/until.js';

/** qemu opens its sockets within a second of its start; on a busy machine within some. */
const CONNECT_LIMIT_MS = 20_000;

/** A unix socket that qemu has opened or is about to open. */
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
      socket.on('error', () => undefined); // a socket that breaks also closes; that is what is waited on
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
 * One connection. `ask` may be called from many places at once: the requests go one after another. When the
 * other end goes away (the machine died), all that wait are rejected.
 */
export class Wire implements Disposable {
  readonly #socket: Socket;
  readonly #waiting: Waiting[] = [];
  #last: Promise<unknown> = Promise.resolve();

  /** `unasked` looks at every line first; true means that it was no answer to a request. */
  constructor(socket: Socket, unasked: (line: string) => boolean = () => false) {
    this.#socket = socket;
    const lines = createInterface({ input: socket, crlfDelay: Infinity });
    lines.on('line', (raw) => {
      const line = raw.replace(/[\uFFFD\xff]/g, '').trim();
      if (line !== '' && !unasked(line)) this.#waiting.shift()?.resolve(line);
    });
    lines.on('error', () => undefined); // the socket's: it closes too
    socket.once('close', () => {
      for (const { reject } of this.#waiting.splice(0)) reject(new Error('the machine is gone'));
    });
  }

  /**
   * Sends a line and gives the next line of answer. After it failed the wire is out of step: open a new one.
   */
  ask(line: string, limitMs: number): Promise<string> {
    const reply = this.#last.then(() => {
      const answered = this.next(limitMs, line.slice(0, 80));
      this.#socket.write(line + '\n');
      return answered;
    });
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  /** The next line without asking: a greeting, or an answer that is still to come. */
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
