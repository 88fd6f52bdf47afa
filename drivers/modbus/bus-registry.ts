import { coded } from '../../src/base/codes/coded-text.js';
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

/** The framing of requests on a stream. */
export type FramingMode = 'TCP' | 'RTU' | 'ASCII';

const framings: Readonly<Record<FramingMode, Framing>> = { TCP: tcp, RTU: rtu, ASCII: ascii };

interface SharedBus {
  readonly bus: BusScheduler;
  readonly mode: FramingMode;
  readonly observers: Signal<Parameters<FrameObserver>>;
  users: number;
}

/** The share of a ModBus Gateway in the bus of its stream. */
interface BusHandle {
  readonly bus: BusScheduler;
  /** Leaves the bus; the last one closes it. Pending requests are cancelled by their own signals. */
  leave(): void;
}

/** The buses of one gateway: one per stream, shared by all ModBus Gateways on it. */
export class BusRegistry {
  readonly #open = new Map<ByteStream, SharedBus>();
  /** Streams on which a late reply to a closed bus may still arrive, and until when. */
  readonly #late = new WeakMap<ByteStream, number>();

  /** Throws `DEVICE_CONFIGURATION` if the stream is in use with another mode. */
  join(
    stream: ByteStream,
    mode: FramingMode,
    { clock, observe }: { clock: Clock; observe: FrameObserver },
  ): BusHandle {
    const shared = this.#open.get(stream) ?? this.#make(stream, mode, clock);
    if (shared.mode !== mode)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`ANOTHER_MODBUS_GATEWAY_USES: another ModBus Gateway uses ${shared.mode} on ${stream.name}`,
      );
    shared.users += 1;
    const unsubscribe = shared.observers.on((frame) => observe(...frame));
    return {
      bus: shared.bus,
      leave: () => {
        unsubscribe();
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
    const observers = new Signal<Parameters<FrameObserver>>();
    const transport = new Transport({ stream, framing, clock, observe: (...frame) => observers.emit(frame) });
    const quietUntilMs = this.#late.get(stream) ?? -Infinity;
    const bus = new BusScheduler({
      transport,
      clock,
      hasTransactions: framing.hasTransactions,
      quietUntilMs,
    });
    const shared = { bus, mode, observers, users: 0 };
    this.#open.set(stream, shared);
    return shared;
  }
}
