import type { Cancel, Clock } from '../../base/clock.js';
import type { Signal } from '../../base/signal.js';

/** The device's end of a simulated serial port. */
export interface SerialPeer {
  /** Emits the bytes that the port sends. */
  readonly onReceived: Signal<Buffer>;
  /** Emits true when the port opens, and false when it closes or is unplugged. */
  readonly onOpened: Signal<boolean>;
  /** Sends to the port; discarded if the port is closed. */
  send(bytes: Uint8Array): void;
}

/** Connects a simulated device to a port. It uses the clock only while the port is open. */
export type SimulatedDevice = (peer: SerialPeer, clock: Clock) => void;

/** A value that swings around its mean: the mean, by how much, and within which time. */
type Swing = readonly [mean: number, by: number, withinMs: number];

/** The present value. */
export function swing(nowMs: number, [mean, by, withinMs]: Swing): number {
  return mean + by * Math.sin((2 * Math.PI * (nowMs % withinMs)) / withinMs);
}

/** Simulated counters began at this time. */
const COUNTED_SINCE_MS = Date.UTC(2020, 0, 1);
const HOUR_MS = 3_600_000;

/**
 * What a counter of a swinging value shows, in units of the value times an hour. It never falls if the value
 * is never negative.
 */
export function swingCounter(nowMs: number, [mean, by, withinMs]: Swing): number {
  const ms = Math.max(0, nowMs - COUNTED_SINCE_MS);
  const angle = (2 * Math.PI * (ms % withinMs)) / withinMs;
  return (mean * ms + ((by * withinMs) / (2 * Math.PI)) * (1 - Math.cos(angle))) / HOUR_MS;
}

/** A device that replies this long after a request. */
export function replyLater(
  peer: SerialPeer,
  clock: Clock,
  { delayMs, replyTo }: { readonly delayMs: number; replyTo(request: Buffer): readonly Uint8Array[] },
): void {
  let cancel: Cancel | undefined;
  peer.onReceived.on((bytes) => {
    const replies = replyTo(bytes);
    if (replies.length === 0) return;
    cancel?.();
    cancel = clock.after(delayMs, () => replies.forEach((reply) => peer.send(reply)));
  });
  peer.onOpened.on((isOpen) => {
    if (!isOpen) cancel?.();
  });
}
