import { Duplex } from 'node:stream';
import { yieldToEventLoop } from '../../src/base/event-loop.js';
import type { PacketChecker } from './packet-checker.js';
import { PacketReader } from './packet-reader.js';
import type { Transport } from './transport.js';

/**
 * Packets passed to the parser per iteration of the event loop. It answers each of them in that iteration: 64
 * take about a millisecond on a small machine.
 */
export const PACKETS_PER_TURN = 64;

/** Bytes passed per iteration, but always at least one packet. */
const BYTES_PER_TURN = 64 * 1024;

/** First byte of a QoS 2 PUBLISH, without the flags DUP and RETAIN. */
const PUBLISH_QOS2 = 0x34;

/**
 * The connection to a broker as the package `mqtt` sees it: complete, checked packets, a few per iteration of
 * the event loop. Without it, the package parses and acknowledges all received packets in one iteration.
 */
export class PacedStream extends Duplex {
  readonly #inner: Duplex;
  readonly #socket: Transport['socket'];
  readonly #checker: PacketChecker;
  readonly #reader = new PacketReader();
  /** Called when the package reads more. */
  #resume: (() => void) | undefined;
  /** True while packets of the last chunk are being passed on. */
  #isDelivering = false;
  /** Actions to run after that. */
  #deferred: (() => void)[] = [];

  constructor({ stream: inner, socket }: Transport, checker: PacketChecker) {
    super({ emitClose: true });
    this.#inner = inner;
    this.#socket = socket;
    this.#checker = checker;
    inner.on('data', (chunk: Buffer) => {
      inner.pause();
      this.#isDelivering = true;
      this.#deliver(chunk).then(
        () => this.#finishDelivery(),
        (thrown: Error) => this.destroy(thrown),
      );
    });
    // A WebSocket stream stays open after its end until it is destroyed.
    inner.on('end', () => this.#afterDelivery(() => this.destroy()));
    inner.on('error', (error: Error) => this.#afterDelivery(() => this.destroy(error)));
    inner.on('close', () => this.#afterDelivery(() => this.destroy()));
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#send(chunk, done);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#send(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inner.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#resume?.();
    // Otherwise the kernel retransmits what the broker has not acknowledged, for minutes (tcp(7),
    // tcp_orphan_retries): a command would be delivered long after it has failed.
    const { writableEnded, writableFinished, writableLength } = this.#inner;
    const isShuttingDown = writableEnded && !writableFinished && writableLength === 0;
    // libuv does not reset a socket while its shutdown is in progress.
    if (!isShuttingDown) this.#socket.resetAndDestroy();
    this.#inner.destroy();
    done(error);
  }

  /**
   * Discards replies to a broker that has disconnected: they must not block the delivery of its last packets.
   */
  #send(bytes: Buffer, done: (error?: Error | null) => void): void {
    if (!this.#inner.writable) return done();
    this.#inner.write(bytes, (error) => {
      if (error) this.#afterDelivery(() => done(error));
      else done();
    });
  }

  /**
   * Ends the connection after all received packets have been passed on, among them a DISCONNECT with the
   * reason.
   */
  #afterDelivery(act: () => void): void {
    if (this.#isDelivering) this.#deferred.push(act);
    else act();
  }

  #finishDelivery(): void {
    this.#isDelivering = false;
    for (const act of this.#deferred.splice(0)) act();
    this.#inner.resume();
  }

  /**
   * Passes on the packets of a chunk. Rejects with a protocol error, after passing on the valid packets
   * before it.
   */
  async #deliver(chunk: Buffer): Promise<void> {
    this.#reader.feed(chunk);
    let failure: Error | undefined;
    while (failure === undefined && !this.destroyed) {
      const batch: Buffer[] = [];
      try {
        this.#collect(batch);
      } catch (thrown) {
        failure = thrown as Error;
      }
      if (batch.length === 0) break;
      const hasRoom = this.push(batch.length === 1 ? batch[0] : Buffer.concat(batch));
      if (!hasRoom && !this.destroyed) await new Promise<void>((resolve) => (this.#resume = resolve));
      await yieldToEventLoop();
    }
    if (failure !== undefined) throw failure;
  }

  #collect(batch: Buffer[]): void {
    let bytes = 0;
    while (batch.length < PACKETS_PER_TURN && bytes < BYTES_PER_TURN && !this.#checker.isEnded) {
      const packet = this.#reader.next();
      if (packet === undefined) return;
      this.#checker.check(packet);
      // A packet that is kept until its release must not keep its network buffer alive.
      const isKept = ((packet[0] ?? 0) & 0xf6) === PUBLISH_QOS2;
      batch.push(isKept ? Buffer.from(packet) : packet);
      bytes += packet.length;
    }
  }
}
