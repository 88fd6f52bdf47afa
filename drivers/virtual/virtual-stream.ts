import { coded } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import { ByteReceiver } from '../../src/device/toolkit/byte-receiver.js';
import type { Host } from '../../src/device/module.js';
import { peerName, type ByteStream, type Peer } from '../../src/device/byte-stream.js';
import { SentLog } from './sent-log.js';
import { HttpReplies, encodeEvent, type ServerSentEvent } from './http-replies.js';

/** As many as a server socket accepts. */
export const CLIENTS_LIMIT = 256;

/** A sent text; times in unix seconds. */
interface SentText {
  readonly TimeStamp: number;
  /** Each character is one byte. */
  readonly Text: string;
}

/** A text that was sent to a single client. */
interface SentPacket extends SentText {
  readonly ClientIP: string;
  readonly ClientPort: number;
}

/** A simulated stream: data that devices send is logged, and functions make them receive data. */
export class VirtualStream implements ByteStream {
  readonly name = 'virtual';
  readonly onData: ByteStream['onData'];
  readonly onLeave: NonNullable<ByteStream['onLeave']>;
  readonly #host: Host;
  readonly #receiver: ByteReceiver;
  readonly #texts = new SentLog<SentText>();
  readonly #packets = new SentLog<SentPacket>();
  readonly #replies = new HttpReplies();
  readonly #clients = new Map<string, { readonly who: Peer; readonly Since: number }>();

  constructor(host: Host) {
    this.#host = host;
    this.#receiver = new ByteReceiver(host.log, this.name);
    this.onData = this.#receiver.onData;
    this.onLeave = this.#receiver.onLeave;
  }

  async send(bytes: Uint8Array): Promise<void> {
    const Text = Buffer.from(bytes).toString('latin1');
    this.#texts.add({ TimeStamp: this.#now(), Text });
    this.#host.debug('sent', bytes);
    const answer = this.#replies.find(Text);
    if (answer === undefined) return;
    // As over a network, the reply arrives after sending has finished.
    void yieldToEventLoop().then(() => {
      if (!this.#host.signal.aborted && this.#receiver.hasListeners) this.#receive(answer);
    });
    await Promise.resolve();
  }

  /** As `send`, to a single client. Throws `PARAMETER_BOUNDS`, `TEXT_TOO_LONG`. */
  sendTo(bytes: Uint8Array, to: Peer): void {
    const { address: ClientIP, port: ClientPort } = requireValidPeer(to);
    const Text = Buffer.from(bytes).toString('latin1');
    this.#packets.add({ TimeStamp: this.#now(), Text, ClientIP, ClientPort });
    this.#host.debug('sent', bytes, peerName(to));
  }

  /** The texts that were not sent to a specific client, oldest first. */
  texts(): readonly SentText[] {
    return this.#texts.list();
  }

  packets(): readonly SentPacket[] {
    return this.#packets.list();
  }

  /**
   * Passes bytes to the devices. Throws `DEVICE_OFFLINE` if there is no device, or `PARAMETER_BOUNDS` for no
   * bytes.
   */
  push(bytes: Uint8Array, from?: Peer): void {
    if (bytes.length === 0) throw fault('PARAMETER_BOUNDS', 'Text');
    const who = from && requireValidPeer(from);
    if (!this.#receiver.hasListeners)
      throw fault(
        'DEVICE_OFFLINE',
        coded`NO_DEVICE_CONNECTED_CONNECT: no device is connected; connect one to this instance (SVC_ConnectInstance)`,
      );
    this.#receive(bytes, who);
  }

  /** Passes a server-sent event to the devices. */
  pushEvent(event: ServerSentEvent): void {
    this.push(encodeEvent(event));
  }

  /** Connects a simulated client. Throws `PARAMETER_BOUNDS` or `DEVICE_REFUSED`. */
  connect(client: Peer): void {
    const who = requireValidPeer(client);
    const name = peerName(who);
    if (this.#clients.has(name))
      throw fault('DEVICE_REFUSED', coded`ALREADY_CONNECTED: ${name} is already connected`);
    if (this.#clients.size >= CLIENTS_LIMIT)
      throw fault(
        'DEVICE_REFUSED',
        coded`CLIENTS_ALREADY_CONNECTED: ${CLIENTS_LIMIT} clients are already connected`,
      );
    this.#clients.set(name, { who, Since: this.#now() });
    this.#host.debug('joined', '', name);
  }

  /**
   * Disconnects a simulated client; its incomplete data is discarded. Throws `DEVICE_OFFLINE` if it is not
   * connected.
   */
  disconnect(client: Peer): void {
    const name = peerName(client);
    if (!this.#clients.delete(name))
      throw fault('DEVICE_OFFLINE', coded`CLIENT_NOT_CONNECTED: no client ${name} is connected`);
    this.#host.debug('left', '', name);
    this.#receiver.reportLeave(client);
  }

  /** The connected clients. */
  clients(): readonly object[] {
    return Array.from(this.#clients.values(), ({ who, Since }) => ({
      ClientIP: who.address,
      ClientPort: who.port,
      Since,
    }));
  }

  /** Sets the reply to an HTTP/1 request of a device; see `HttpReplies.set`. */
  setReply(route: string, method: string, data: string): void {
    this.#replies.set(route, method, data);
  }

  #receive(bytes: Uint8Array, from?: Peer): void {
    this.#host.debug('received', bytes, from && peerName(from));
    this.#receiver.receive(bytes, from);
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
