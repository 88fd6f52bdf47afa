import { Duplex } from 'node:stream';
import { nextTurn } from '../../src/base/turn.js';
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

  constructor(inner: Duplex, checker: PacketChecker) {
    super({ emitClose: true });
    this.#inner = inner;
    this.#checker = checker;
    inner.on('data', (chunk: Buffer) => {
      inner.pause();
      this.#hand(chunk).then(
        () => inner.resume(),
        (thrown: Error) => this.destroy(thrown),
      );
    });
    inner.on('end', () => this.push(null));
    inner.on('error', (error: Error) => this.destroy(error));
    inner.on('close', () => this.destroy());
  }

  override _read(): void {
    this.#resume?.();
    this.#resume = undefined;
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#inner.write(chunk, encoding, done);
  }

  override _writev(chunks: readonly { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#inner.write(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#inner.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#resume?.();
    this.#inner.destroy();
    done(error);
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
      await nextTurn();
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
