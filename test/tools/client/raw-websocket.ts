import { randomBytes } from 'node:crypto';
import { RawConnection, type RawResponse } from './raw-http.js';

export const opcode = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** One WebSocket frame (RFC 6455 §5.2), including those that no correct client sends. */
export interface Frame {
  opcode: number;
  payload: Buffer;
  fin: boolean;
}

/** How a frame to be sent differs from a correct one. */
export interface FrameFaults {
  fin?: boolean;
  /** The three reserved bits, 0–7. */
  reserved?: number;
  masked?: boolean;
  /** The length the header claims, whatever follows. */
  claimedLength?: number;
}

/** The bytes of a frame from a client: masked and final by default; `odd` changes that. */
export function frameBytes(code: number, payload: Buffer | string, odd: FrameFaults = {}): Buffer {
  const data = Buffer.from(payload);
  const length = odd.claimedLength ?? data.length;
  const masked = odd.masked ?? true;
  const first = ((odd.fin ?? true) ? 0x80 : 0) | ((odd.reserved ?? 0) << 4) | code;
  const flag = masked ? 0x80 : 0;
  let head: Buffer;
  if (length < 126) {
    head = Buffer.from([first, flag | length]);
  } else if (length < 65_536) {
    head = Buffer.from([first, flag | 126, length >> 8, length & 255]);
  } else {
    head = Buffer.alloc(10);
    head.set([first, flag | 127]);
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  if (!masked) return Buffer.concat([head, data]);
  const mask = randomBytes(4);
  return Buffer.concat([head, mask, data.map((byte, at) => byte ^ (mask[at % 4] ?? 0))]);
}

/**
 * A WebSocket on a raw connection. It replies to no pings and sends no close frame by itself, so a test can
 * be a dead peer.
 */
export class RawWebSocket implements AsyncDisposable {
  readonly connection: RawConnection;
  /** The response to the upgrade; a socket only if its status is 101. */
  readonly response: RawResponse;

  private constructor(connection: RawConnection, response: RawResponse) {
    this.connection = connection;
    this.response = response;
  }

  /** Requests an upgrade. `protocol` is sent unchanged: any text, including "/" and "=". */
  static async open(options: {
    port: number;
    path?: string;
    protocol?: string;
    headers?: readonly string[];
    from?: string;
  }): Promise<RawWebSocket> {
    const connection = await RawConnection.open(options.port, options.from);
    const lines = [
      `GET ${options.path ?? '/api/'} HTTP/1.1`,
      ...(options.headers?.some((line) => /^host:/i.test(line)) ? [] : [`Host: 127.0.0.1:${options.port}`]),
      'Upgrade: websocket',
      'Connection: Upgrade',
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      'Sec-WebSocket-Version: 13',
      ...(options.protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${options.protocol}`]),
      ...(options.headers ?? []),
    ];
    connection.write(`${lines.join('\r\n')}\r\n\r\n`);
    return new RawWebSocket(connection, await connection.response());
  }

  send(text: string): void {
    this.connection.write(frameBytes(opcode.text, text));
  }

  /** The next frame of any kind; undefined if the peer closed without one. */
  async frame(): Promise<Frame | undefined> {
    const head = await this.connection.bytes(2);
    const [first, second] = [head[0], head[1]];
    if (first === undefined || second === undefined) return undefined;
    let length = second & 127;
    if (length === 126) length = (await this.connection.bytes(2)).readUInt16BE();
    else if (length === 127) length = Number((await this.connection.bytes(8)).readBigUInt64BE());
    return { opcode: first & 15, fin: first >= 128, payload: await this.connection.bytes(length) };
  }

  /** The next text frame as JSON; pings are skipped. Rejects if the socket closes first. */
  async json(): Promise<unknown> {
    for (;;) {
      const frame = await this.frame();
      if (frame === undefined) throw new Error('The socket closed');
      if (frame.opcode === opcode.close) throw new Error(`The socket closed: ${closeOf(frame).code}`);
      if (frame.opcode === opcode.text) return JSON.parse(frame.payload.toString()) as unknown;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.connection[Symbol.asyncDispose]();
  }
}

/** The code and reason of a close frame. */
export function closeOf(frame: Frame): { code: number; reason: string } {
  const { payload } = frame;
  return { code: payload.length < 2 ? 1005 : payload.readUInt16BE(), reason: payload.subarray(2).toString() };
}
