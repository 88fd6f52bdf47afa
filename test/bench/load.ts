import { type Socket, connect } from 'node:net';
import { withinPatience } from '../tools/until.js';
import { AUTHORIZATION, type Server } from './gateway.js';
import type { Round } from './statistics.js';
import { cpuMs, roundEnd } from './machine.js';

/** One buffer for all connections: each copies what it needs before the next is read. */
const READ_BYTES = 256 * 1024;

/** The result of one run of calls. */
export interface Calls extends Round {
  readonly latenciesMs: readonly number[];
  /** Number of unexpected replies. */
  readonly wrong: number;
}

/** A request that is sent repeatedly, and the end of its reply. */
export interface Shot {
  readonly request: Buffer;
  readonly answer: string;
  /** Number of calls in it. */
  readonly calls: number;
}

/** A POST to the API with credentials, as a client of `node:http` would send it. */
export function shot(message: object, reply: object): Shot {
  const body = JSON.stringify(message);
  const head = [
    'POST /api/ HTTP/1.1',
    'Host: 127.0.0.1',
    `Authorization: ${AUTHORIZATION}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: keep-alive',
  ];
  return {
    request: Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`),
    answer: JSON.stringify(reply),
    calls: Array.isArray(message) ? message.length : 1,
  };
}

/**
 * Connections that each send a request, wait for its reply and send the next: much cheaper than an HTTP
 * client, so that the server is measured. Replies to one request have the same length, because only their
 * values differ.
 */
export class Callers implements Disposable {
  readonly #sockets: Socket[] = [];
  readonly #server: Server;
  #took: (socket: Socket, bytes: Buffer) => void = () => undefined;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(server: Server, count: number): Promise<Callers> {
    const callers = new Callers(server);
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    for (let i = 0; i < count; i++) {
      const socket = connect({
        port: server.port,
        host: '127.0.0.1',
        noDelay: true,
        onread: {
          buffer,
          callback: (length) => {
            callers.#took(socket, buffer.subarray(0, length));
            return true;
          },
        },
      });
      await withinPatience('a connection', new Promise((resolve) => socket.once('connect', resolve)));
      socket.on('error', () => socket.destroy());
      callers.#sockets.push(socket);
    }
    return callers;
  }

  /**
   * Sends the requests alternately on each connection until the time is over, and waits for the last replies;
   * 0: each request once.
   */
  async run(shots: readonly Shot[], seconds: number): Promise<Calls> {
    const latenciesMs: number[] = [];
    const states = new Map<Socket, { at: number; sentMs: number; got: number }>();
    const lengths: (number | undefined)[] = [];
    const over = Promise.withResolvers<void>();
    let [calls, wrong, open] = [0, 0, this.#sockets.length];
    const send = (socket: Socket, at: number): void => {
      states.set(socket, { at, sentMs: performance.now(), got: 0 });
      socket.write(shots[at]?.request as Buffer);
    };
    const cpuBefore = cpuMs(this.#server.pid);
    const startMs = performance.now();
    const isOver = roundEnd(this.#server.pid, seconds);
    let isEnding = seconds === 0;
    this.#took = (socket, bytes) => {
      const state = states.get(socket);
      const shot = shots[state?.at ?? -1];
      if (state === undefined || shot === undefined) return void (wrong += 1);
      state.got += bytes.length;
      const length = (lengths[state.at] ??= lengthOf(bytes));
      if (state.got < length) return;
      const tail = bytes.toString('latin1', Math.max(0, bytes.length - shot.answer.length));
      if (state.got !== length || !shot.answer.endsWith(tail)) wrong += 1;
      calls += shot.calls;
      const nowMs = performance.now();
      latenciesMs.push(nowMs - state.sentMs);
      isEnding ||= isOver();
      if (!isEnding) send(socket, (state.at + 1) % shots.length);
      else if (--open === 0) over.resolve();
    };
    for (const [index, socket] of this.#sockets.entries()) send(socket, index % shots.length);
    await withinPatience('the replies', over.promise, seconds * 6000 + 20_000);
    const tookMs = performance.now() - startMs;
    this.#took = () => undefined;
    return {
      cpuUs: ((cpuMs(this.#server.pid) - cpuBefore) * 1000) / calls,
      perSecond: (calls * 1000) / tookMs,
      latenciesMs,
      wrong,
    };
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

/**
 * Calls that each open a connection, several concurrently: the cost of a client without persistent
 * connections.
 */
export async function callOnNewConnections(
  server: Server,
  shots: readonly Shot[],
  { seconds, concurrent }: { readonly seconds: number; readonly concurrent: number },
): Promise<Calls> {
  const latenciesMs: number[] = [];
  const cpuBefore = cpuMs(server.pid);
  const startMs = performance.now();
  const isOver = roundEnd(server.pid, seconds);
  let [sent, wrong] = [0, 0];
  const caller = async () => {
    while (!isOver()) {
      const shot = shots[sent++ % shots.length] as Shot;
      const sentMs = performance.now();
      const reply = await withinPatience('the reply', replyOf(server.port, shot));
      latenciesMs.push(performance.now() - sentMs);
      if (!reply.endsWith(shot.answer)) wrong += 1;
    }
  };
  await Promise.all(Array.from({ length: concurrent }, caller));
  return {
    cpuUs: ((cpuMs(server.pid) - cpuBefore) * 1000) / sent,
    perSecond: (sent * 1000) / (performance.now() - startMs),
    latenciesMs,
    wrong,
  };
}

/** One call on a new connection, which the client closes after the reply. */
function replyOf(port: number, { request }: Shot): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => socket.write(request));
    let text = '';
    socket.on('error', reject).on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0 || text.length < lengthOf(Buffer.from(text, 'latin1'))) return;
      socket.destroy();
      resolve(text);
    });
  });
}

/** The length of a reply, from its header section. */
function lengthOf(bytes: Buffer): number {
  const text = bytes.toString('latin1');
  const head = text.indexOf('\r\n\r\n');
  const [, length] = /content-length: (\d+)/i.exec(text) ?? [];
  if (!text.startsWith('HTTP/1.1 200') || head < 0 || length === undefined)
    throw new Error(`not a reply: ${text.slice(0, 300)}`);
  return head + 4 + Number(length);
}
