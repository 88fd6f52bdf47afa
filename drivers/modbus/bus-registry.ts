import type { Clock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { Signal } from '../../src/base/signal.js';
import type { ByteStream } from '../../src/device/byte-stream.js';
import { ascii } from './ascii.js';
import { BusScheduler } from './bus-scheduler.js';
import type { Framing } from './framing.js';
import { Transport, type FrameObserver } from './transport.js';
import { rtu } from './rtu.js';
import { tcp } from './tcp.js';

/** How requests stand on a stream. */
export type FramingMode = 'TCP' | 'RTU' | 'ASCII';

const framings: Readonly<Record<FramingMode, Framing>> = { TCP: tcp, RTU: rtu, ASCII: ascii };

interface SharedBus {
  readonly bus: BusScheduler;
  readonly mode: FramingMode;
  readonly watchers: Signal<Parameters<FrameObserver>>;
  users: number;
}

/** What a ModBus Gateway has of its stream: a bus that it shares with all others there. */
export interface BusHandle {
  readonly bus: BusScheduler;
  /** What it asked for and was not answered is given up by its own signals; the last one closes the bus. */
  leave(): void;
}

/** The buses of one gateway: one for each stream, whoever asks over it. */
export class BusRegistry {
  readonly #open = new Map<ByteStream, SharedBus>();
  /** Streams on which an answer to a bus that was closed may still come, and until when. */
  readonly #late = new WeakMap<ByteStream, number>();

  /** Throws `DEVICE_CONFIGURATION` where the stream is used in another mode. */
  join(
    stream: ByteStream,
    mode: FramingMode,
    { clock, watch }: { clock: Clock; watch: FrameObserver },
  ): BusHandle {
    const shared = this.#open.get(stream) ?? this.#make(stream, mode, clock);
    if (shared.mode !== mode)
      throw fault('DEVICE_CONFIGURATION', `another ModBus Gateway speaks ${shared.mode} on ${stream.name}`);
    shared.users += 1;
    const unwatch = shared.watchers.on((told) => watch(...told));
    return {
      bus: shared.bus,
      leave: () => {
        unwatch();
        shared.users -= 1;
        if (shared.users > 0) return;
        this.#open.delete(stream);
        this.#late.set(stream, shared.bus.lateUntilMs);
        shared.bus[Symbol.dispose]();
      },
    };
  }

  #make(stream: ByteStream, mode: FramingMode, clock: Clock): SharedBus {
    const framing = framings[mode];
    const watchers = new Signal<Parameters<FrameObserver>>();
    const line = new Transport({ stream, framing, clock, observe: (...told) => watchers.emit(told) });
    const quietUntilMs = this.#late.get(stream) ?? -Infinity;
    const bus = new BusScheduler({ line, clock, hasTransactions: framing.hasTransactions, quietUntilMs });
    const shared = { bus, mode, watchers, users: 0 };
    this.#open.set(stream, shared);
    return shared;
  }
}
