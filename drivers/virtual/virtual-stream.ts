import { fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/serial-queue.js';
import { ByteReceiver } from '../../src/device/toolkit/byte-receiver.js';
import type { Host } from '../../src/device/module.js';
import { peerName, type ByteStream, type Peer } from '../../src/device/byte-stream.js';
import { SentLog } from './sent-log.js';
import { HttpReplies, encodeEvent, type ServerSentEvent } from './http-replies.js';

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
export class VirtualStream implements ByteStream {
  readonly name = 'virtual';
  readonly onData: ByteStream['onData'];
  readonly onLeave: NonNullable<ByteStream['onLeave']>;
  readonly #host: Host;
  readonly #incoming: ByteReceiver;
  readonly #texts = new SentLog<SentText>();
  readonly #packets = new SentLog<SentPacket>();
  readonly #answers = new HttpReplies();
  readonly #clients = new Map<string, { readonly who: Peer; readonly Since: number }>();

  constructor(host: Host) {
    this.#host = host;
    this.#incoming = new ByteReceiver(host.log, this.name);
    this.onData = this.#incoming.onData;
    this.onLeave = this.#incoming.onLeave;
  }

  async send(bytes: Uint8Array): Promise<void> {
    const Text = Buffer.from(bytes).toString('latin1');
    this.#texts.add({ TimeStamp: this.#now(), Text });
    this.#host.debug('sent', bytes);
    const answer = this.#answers.find(Text);
    if (answer === undefined) return;
    // As over a network: an answer comes when sending is over.
    void yieldToEventLoop().then(() => {
      if (!this.#host.signal.aborted && this.#incoming.hasListeners) this.#receive(answer);
    });
    await Promise.resolve();
  }

  /** As `send`, to one of several. Throws `PARAMETER_BOUNDS`, `TEXT_TOO_LONG`. */
  sendTo(bytes: Uint8Array, to: Peer): void {
    const { address: ClientIP, port: ClientPort } = requireValidPeer(to);
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
    const who = from && requireValidPeer(from);
    if (!this.#incoming.hasListeners)
      throw fault('DEVICE_OFFLINE', 'no device listens; connect one to this instance (SVC_ConnectInstance)');
    this.#receive(bytes, who);
  }

  /** The devices receive an event as it stands in an event stream. */
  pushEvent(event: ServerSentEvent): void {
    this.push(encodeEvent(event));
  }

  /** A client comes. Throws `PARAMETER_BOUNDS`, `DEVICE_REFUSED`. */
  connect(client: Peer): void {
    const who = requireValidPeer(client);
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
    this.#incoming.reportLeave(client);
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
  setReply(route: string, method: string, data: string): void {
    this.#answers.set(route, method, data);
  }

  #receive(bytes: Uint8Array, from?: Peer): void {
    this.#host.debug('received', bytes, from && peerName(from));
    this.#incoming.receive(bytes, from);
  }

  #now(): number {
    return Math.floor(this.#host.clock.nowMs() / 1000);
  }
}

function requireValidPeer(peer: Peer): Peer {
  const { address, port } = peer;
  if (!/^[0-9a-fA-F.:]{2,45}$/.test(address)) throw fault('PARAMETER_BOUNDS', 'ClientIP');
  if (port < 1 || port > 65_535) throw fault('PARAMETER_BOUNDS', 'ClientPort');
  return peer;
}
