import { type Socket, connect } from 'node:net';
import { withinPatience } from '../tools/until.js';

/** MQTT packet types with their flags (MQTT 3.1.1 §2.2). */
const CONNECT = 0x10;
const CONNACK = 0x20;
const PUBLISH_QOS_0 = 0x30;

/** A client that only publishes at QoS 0, from prepared bytes: it must cost less than what it measures. */
export class Publisher implements Disposable {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number): Promise<Publisher> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const taken = new Promise<Buffer>((resolve, reject) =>
      socket.once('data', resolve).once('error', reject),
    );
    // Protocol 4, clean session, no keep-alive.
    const head = Buffer.concat([text('MQTT'), Buffer.from([4, 2, 0, 0])]);
    socket.write(packet(CONNECT, Buffer.concat([head, text('stellwerk-bench')])));
    if ((await withinPatience('the broker', taken))[0] !== CONNACK)
      throw new Error('the broker rejected the connection');
    return new Publisher(socket);
  }

  send(messages: Buffer): void {
    this.#socket.write(messages);
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}

/** The packet of one message; several may be sent together. */
export function message(topic: string, payload: string): Buffer {
  return packet(PUBLISH_QOS_0, Buffer.concat([text(topic), Buffer.from(payload)]));
}

/** A short packet: its length fits into one byte. */
function packet(type: number, body: Buffer): Buffer {
  if (body.length > 127) throw new RangeError('too long for a packet of this kind');
  return Buffer.concat([Buffer.from([type, body.length]), body]);
}

function text(of: string): Buffer {
  const bytes = Buffer.from(of);
  return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes]);
}
