import type { Flow } from './module.js';

/**
 * An open stream of bytes: a serial port, a socket. Line protocols are written against it, so that they run over either.
 * It lives as long as the opening of the I/O instance that offers it.
 */
export interface ByteStream {
  /** For logs and status texts: `/dev/ttyUSB0 9600 8N1`. */
  readonly name: string;
  /** Adds a listener for received bytes, at least one at a time, in order; the array is the listener's to keep. */
  onData(listener: (bytes: Uint8Array) => void): () => void;
  /** Resolves when the kernel has taken all bytes; sends of several callers never mix. Rejects with `DEVICE_OFFLINE`. */
  send(bytes: Uint8Array): Promise<void>;
}

/** The interface's "simple" data flow (§1, I/O module GUIDs). */
export const byteStream: Flow<ByteStream> = { id: '{79827379-F36E-4ADA-8A95-5F8D1DC92FA9}' };
