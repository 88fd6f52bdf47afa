import { coded } from '../base/codes/coded-text.js';
import { moduleKind, type Flow } from './module.js';

/** One of several peers of an I/O instance: a client of a server socket, the sender of a datagram. */
export interface Peer {
  readonly address: string;
  readonly port: number;
}

/** A peer's address for messages: `192.168.1.5:4001`, `[fe80::1]:4001`. */
export function peerName({ address, port }: Peer): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/**
 * Called for received bytes. `from` is the sender if there are several peers, whose bytes don't belong
 * together.
 */
export type ByteListener = (bytes: Uint8Array, from?: Peer) => void;

/**
 * An open byte stream: a serial port or a socket. Serial protocols are written against this interface, so
 * they run over either. The stream lives as long as the I/O instance that provides it is open.
 */
export interface ByteStream {
  /** For log and status texts: `/dev/ttyUSB0 9600 8N1`. */
  readonly name: string;
  /** The baud rate of a serial port, for protocols with timed gaps. */
  readonly baudRate?: number;
  /**
   * Changes the baud rate until the stream is opened again, for protocols that negotiate it. Absent if there
   * is none. Rejects with `DEVICE_OFFLINE` or `DEVICE_REFUSED`.
   */
  changeBaudRate?(baudRate: number): Promise<void>;
  /** Adds a listener for received bytes: at least one per call, in order. The listener may keep the array. */
  onData(listener: ByteListener): () => void;
  /**
   * Adds a listener for peers that disconnect; absent if there is only one peer, or disconnects can't be
   * detected.
   */
  onLeave?(listener: (who: Peer) => void): () => void;
  /**
   * Adds a listener for reconnects: a partial frame will not be completed, and sent data may be lost. Absent
   * if the stream ends with its connection.
   */
  onBreak?(listener: () => void): () => void;
  /**
   * Sends bytes. Resolves when the kernel has accepted all of them; sends of several callers never
   * interleave. Rejects with `DEVICE_OFFLINE`.
   */
  send(bytes: Uint8Array): Promise<void>;
  /** As `send`, to one of several peers; absent if there is only one. */
  sendTo?(bytes: Uint8Array, to: Peer): Promise<void> | void;
}

/**
 * The interface's "simple" data flow (interface §1, I/O module GUIDs). `from` and `onLeave` carry what the
 * "extended" one adds: no module here requires that alone.
 */
export const byteStream: Flow<ByteStream> = { id: '{79827379-F36E-4ADA-8A95-5F8D1DC92FA9}' };

/** The common part of I/O modules that provide a byte stream and are enabled by their property `Open`. */
export const streamModule = {
  kind: moduleKind.io,
  variables: () => [],
  provides: byteStream,
  disabledReason: ({ Open }: { readonly Open: boolean }) =>
    Open ? undefined : coded`NOT_OPEN: switched off; set Open to true`,
} as const;
