import { moduleKind, type Flow } from './module.js';

/** One of several at the other end of an I/O instance: a client of a server socket, who sent a datagram. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

/** As it stands in texts: `192.168.1.5:4001`, `[fe80::1]:4001`. */
export function peerName({ address, port }: Peer): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Hears what arrives; `from` says who sent it, where there are several, whose bytes don't belong together. */
export type ByteListener = (bytes: Uint8Array, from?: Peer) => void;

/**
 * An open stream of bytes: a serial port, a socket. Line protocols are written against it, so that they run over either.
 * It lives as long as the opening of the I/O instance that offers it.
 */
export interface ByteStream {
  /** For logs and status texts: `/dev/ttyUSB0 9600 8N1`. */
  readonly name: string;
  /** Of a serial line: how fast it is. Who must keep silent for some characters goes by it. */
  readonly baudRate?: number;
  /** Adds a listener for received bytes, at least one at a time, in order; the array is the listener's to keep. */
  onData(listener: ByteListener): () => void;
  /** Adds a listener for those of several who leave; absent where there is one, or nobody can tell. */
  onLeave?(listener: (who: Peer) => void): () => void;
  /**
   * Adds a listener for a connection that ended and is followed by another: half a frame is never completed, and what was
   * sent may not have arrived. Absent where a connection ends with the stream.
   */
  onBreak?(listener: () => void): () => void;
  /** Resolves when the kernel has taken all bytes; sends of several callers never mix. Rejects with `DEVICE_OFFLINE`. */
  send(bytes: Uint8Array): Promise<void>;
}

/**
 * The interface's "simple" data flow (§1, I/O module GUIDs). What the "extended" one has beyond it, `from` and `onLeave`
 * carry: no module here needs that alone.
 */
export const byteStream: Flow<ByteStream> = { id: '{79827379-F36E-4ADA-8A95-5F8D1DC92FA9}' };

/** What the I/O modules have in common that offer a stream of bytes and are switched off by their property `Open`. */
export const streamModule = {
  kind: moduleKind.io,
  variables: () => [],
  provides: byteStream,
  disabledReason: ({ Open }: { readonly Open: boolean }) =>
    Open ? undefined : 'switched off; set Open to true',
} as const;
