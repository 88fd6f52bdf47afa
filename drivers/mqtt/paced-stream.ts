import { Duplex } from 'node:stream';
import { yieldToEventLoop } from '../../src/base/serial-queue.js';
import type { PacketChecker } from './packet-checker.js';
import { PacketReader } from './packet-reader.js';

/**
 * Packets that the parser gets in one turn of the event loop. It answers each of them within that turn: 64 take about
 * a millisecond on a small box.
 */
export const PACKETS_PER_TURN = 64;

/** And their bytes, but always one packet. */
const BYTES_PER_TURN = 64 * 1024;

/** The first byte of a message of QoS 2, but for its flags DUP and RETAIN. */
const PUBLISH_QOS2 = 0x34;

/**
 * The connection to a broker as the package `mqtt` sees it: complete packets, each checked, a few in each turn of the
 * event loop. The package itself parses and answers all that arrived in one turn.
 */
export class PacedStream extends Duplex {
  readonly #inner: Duplex;
  readonly #checker: PacketChecker;
  readonly #reader = new PacketReader();
  /** Called when the package takes more. */
  #resume: (() => void) | undefined;
  /** Packets of the last chunk are still to be handed over. */
  #isHanding = false;
  /** What is to be done then. */
  #after: (() => void)[] = [];

  constructor(inner: Duplex, checker: PacketChecker) {
    super({ emitClose: true });
    this.#inner = inner;
    this.#checker = checker;
    inner.on('data', (chunk: Buffer) => {
      inner.pause();
      this.#isHanding = true;
      this.#hand(chunk).then(
        () => this.#handed(),
        (thrown: Error) => this.destroy(thrown),
      );
    });
    // A WebSocket that has ended stays open until it is destroyed.
    inner.on('end', () => this.#inTurn(() => this.destroy()));
    inner.on('error', (error: Error) => this.#inTurn(() => this.destroy(error)));
    inner.on('close', () => this.#inTurn(() => this.destroy()));
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
    this.#inner.destroy();
    done(error);
  }

  /** What answers the last packets of a broker that is gone is dropped: it must not keep them from being handed over. */
  #send(bytes: Buffer, done: (error?: Error | null) => void): void {
    if (!this.#inner.writable) return done();
    this.#inner.write(bytes, (error) => {
      if (error) this.#inTurn(() => done(error));
      else done();
    });
  }

  /** Does what ends the connection; not before what came first is handed over, a DISCONNECT that says why among it. */
  #inTurn(act: () => void): void {
    if (this.#isHanding) this.#after.push(act);
    else act();
  }

  #handed(): void {
    this.#isHanding = false;
    for (const act of this.#after.splice(0)) act();
    this.#inner.resume();
  }

  /** Hands the packets of a chunk over; rejects with a protocol error, after the sound ones before it. */
  async #hand(chunk: Buffer): Promise<void> {
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
      // One that is kept until its release must not keep the chunk that it came in.
      const isKept = ((packet[0] ?? 0) & 0xf6) === PUBLISH_QOS2;
      batch.push(isKept ? Buffer.from(packet) : packet);
      bytes += packet.length;
    }
  }
}
