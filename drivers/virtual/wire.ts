import { fault } from '../../src/base/fault.js';
import { nextTurn } from '../../src/base/turn.js';
import { Incoming } from '../../src/device/incoming.js';
import type { Host } from '../../src/device/module.js';
import { peerName, type ByteStream, type Peer } from '../../src/device/stream.js';
import { Kept } from './kept.js';
import { Answers, eventBytes, type StreamEvent } from './web.js';

/** As many as a server socket takes. */
export const CLIENTS_LIMIT = 256;

/** A text that was sent; times in unix seconds. */
export interface SentText {
  readonly TimeStamp: number;
  /** One character a byte. */
  readonly Text: string;
}

/** A text that was sent to one of several. */
export interface SentPacket extends SentText {
  readonly ClientIP: string;
  readonly ClientPort: number;
}

/** A wire that leads nowhere: what devices send is kept, and they receive what functions are given. */
export class Wire implements ByteStream {
  readonly name = 'virtual';
  readonly onData: ByteStream['onData'];
  readonly onLeave: NonNullable<ByteStream['onLeave']>;
  readonly #host: Host;
  readonly #incoming: Incoming;
  readonly #texts = new Kept<SentText>();
  readonly #packets = new Kept<SentPacket>();
  readonly #answers = new Answers();
  readonly #clients = new Map<string, { readonly who: Peer; readonly Since: number }>();

  constructor(host: Host) {
    this.#host = host;
    this.#incoming = new Incoming(host.log, this.name);
    this.onData = this.#incoming.onData;
    this.onLeave = this.#incoming.onLeave;
  }

  async send(bytes: Uint8Array): Promise<void> {
    const Text = Buffer.from(bytes).toString('latin1');
    this.#texts.add({ TimeStamp: this.#now(), Text });
    this.#host.debug('sent', bytes);
    const answer = this.#answers.to(Text);
    if (answer === undefined) return;
    // As over a network: an answer comes when sending is over.
    void nextTurn().then(() => {
      if (!this.#host.signal.aborted && this.#incoming.isHeard) this.#receive(answer);
    });
    await Promise.resolve();
  }

  /** As `send`, to one of several. Throws `PARAMETER_BOUNDS`, `TEXT_TOO_LONG`. */
  sendTo(bytes: Uint8Array, to: Peer): void {
    const { address: ClientIP, port: ClientPort } = checked(to);
    const Text = Buffer.from(bytes).toString('latin1');
    this.#packets.add({ TimeStamp: this.#now(), Text, ClientIP, ClientPort });
    this.#host.debug('sent', bytes, peerName(to));
  }

  /** What was sent to nobody in particular, the oldest first. */
  texts(): readonly SentText[] {
    return this.#texts.list();
  }

  packets(): readonly SentPacket[] {
    return this.#packets.list();
  }

  /** The devices receive this. Throws `DEVICE_OFFLINE` when there is none, `PARAMETER_BOUNDS` for nothing at all. */
  push(bytes: Uint8Array, from?: Peer): void {
    if (bytes.length === 0) throw fault('PARAMETER_BOUNDS', 'Text');
    const who = from && checked(from);
    if (!this.#incoming.isHeard)
      throw fault('DEVICE_OFFLINE', 'no device listens; connect one to this instance (SVC_ConnectInstance)');
    this.#receive(bytes, who);
  }

  /** The devices receive an event as it stands in an event stream. */
  pushEvent(event: StreamEvent): void {
    this.push(eventBytes(event));
  }

  /** A client comes. Throws `PARAMETER_BOUNDS`, `DEVICE_REFUSED`. */
  connect(client: Peer): void {
    const who = checked(client);
    const name = peerName(who);
    if (this.#clients.has(name)) throw fault('DEVICE_REFUSED', `${name} is connected already`);
    if (this.#clients.size >= CLIENTS_LIMIT)
      throw fault('DEVICE_REFUSED', `${CLIENTS_LIMIT} clients are connected already`);
    this.#clients.set(name, { who, Since: this.#now() });
    this.#host.debug('joined', '', name);
  }

  /** A client that has come leaves: what it had begun to say is forgotten. Throws `DEVICE_OFFLINE` for any other. */
  disconnect(client: Peer): void {
    const name = peerName(client);
    if (!this.#clients.delete(name)) throw fault('DEVICE_OFFLINE', `no client ${name} is connected`);
    this.#host.debug('left', '', name);
    this.#incoming.left(client);
  }

  /** Those who have come and not left. */
  clients(): readonly object[] {
    return Array.from(this.#clients.values(), ({ who, Since }) => ({
      ClientIP: who.address,
      ClientPort: who.port,
      Since,
    }));
  }

  /** What a device is answered that sends such a request of HTTP/1; see `Answers.set`. */
  answer(route: string, method: string, data: string): void {
    this.#answers.set(route, method, data);
  }

  #receive(bytes: Uint8Array, from?: Peer): void {
    this.#host.debug('received', bytes, from && peerName(from));
    this.#incoming.received(bytes, from);
  }

  #now(): number {
    return Math.floor(this.#host.clock.nowMs() / 1000);
  }
}

function checked(peer: Peer): Peer {
  const { address, port } = peer;
  if (!/^[0-9a-fA-F.:]{2,45}$/.test(address)) throw fault('PARAMETER_BOUNDS', 'ClientIP');
  if (port < 1 || port > 65_535) throw fault('PARAMETER_BOUNDS', 'ClientPort');
  return peer;
}
