import type { Clock } from '../../../src/base/clock.js';
import { type DeviceNode, errno } from '../../../src/device/toolkit/sysfs-class.js';
import type { SimulatedAttribute } from '../../../src/device/toolkit/simulated-sysfs.js';
import {
  layOut,
  parseElementType,
  TIMESTAMP,
  type ElementType,
  type ScanElement,
  type ScanLayout,
} from './scan-layout.js';

/** The trigger of the simulated machine: it fires by the clock. */
export const SIMULATED_TRIGGER = 'simulated-timer';
const DEFAULT_HZ = 10;

/** The elements of a simulated chip: `{ in_voltage0: 'le:s16/16' }`, in the order of their index. */
export type SimulatedElements = Readonly<Record<string, string>>;

/** The trigger of a simulated machine, as the files of its directory. */
export class SimulatedTrigger {
  hertz = DEFAULT_HZ;

  files(): readonly (readonly [string, SimulatedAttribute])[] {
    return [
      ['name', { read: () => SIMULATED_TRIGGER }],
      [
        'sampling_frequency',
        {
          read: () => String(this.hertz),
          write: (text) => {
            this.hertz = Number(text);
          },
        },
      ],
    ];
  }
}

/**
 * Simulates the buffer of a chip. Nothing runs between two reads: a read creates the scans that were due since
 * the last one. As in the kernel, the first scans are kept if there are more than fit.
 */
export class SimulatedBuffer {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #trigger: SimulatedTrigger;
  readonly #elements: readonly (ScanElement & { isEnabled: boolean; readonly text: string })[];
  readonly #raw: (channel: string, agoMs: number) => number;
  #length = 2;
  #currentTrigger = '';
  #isMonotonic = false;
  #isOpen = false;
  /** When the buffer was enabled or read; undefined while it is disabled. */
  #sinceNs: bigint | undefined;

  /** `raw` returns what a channel measured some time ago. */
  constructor(
    elements: SimulatedElements,
    parts: {
      readonly clock: Pick<Clock, 'monotonicNs'>;
      readonly trigger: SimulatedTrigger;
      readonly raw: (channel: string, agoMs: number) => number;
    },
  ) {
    this.#clock = parts.clock;
    this.#trigger = parts.trigger;
    this.#raw = parts.raw;
    this.#elements = Object.entries(elements).map(([channel, text], index) => ({
      channel,
      index,
      type: parseElementType(text) as ElementType,
      text,
      isEnabled: false,
    }));
  }

  /** The chip is gone, with all that was set. */
  reset(): void {
    this.#sinceNs = undefined;
    this.#currentTrigger = '';
    for (const element of this.#elements) element.isEnabled = false;
  }

  files(): readonly (readonly [string, SimulatedAttribute])[] {
    return [
      ...this.#elements.flatMap((element) => this.#elementFiles(element)),
      [
        'buffer/enable',
        { read: () => Number(this.#sinceNs !== undefined), write: (text) => this.#enable(text) },
      ],
      [
        'buffer/length',
        {
          read: () => this.#length,
          write: (text) => {
            this.#whileDisabled();
            this.#length = Number(text);
          },
        },
      ],
      [
        'trigger/current_trigger',
        {
          read: () => this.#currentTrigger,
          write: (text) => {
            this.#whileDisabled();
            this.#currentTrigger = text;
          },
        },
      ],
      [
        'current_timestamp_clock',
        {
          read: () => (this.#isMonotonic ? 'monotonic' : 'realtime'),
          write: (text) => {
            this.#isMonotonic = text === 'monotonic';
          },
        },
      ],
    ];
  }

  #elementFiles(element: {
    readonly channel: string;
    readonly index: number;
    readonly text: string;
    isEnabled: boolean;
  }) {
    const { channel, index, text } = element;
    const enable: SimulatedAttribute = {
      read: () => Number(element.isEnabled),
      write: (wanted) => {
        this.#whileDisabled();
        element.isEnabled = wanted === '1';
      },
    };
    return [
      [`scan_elements/${channel}_en`, enable],
      [`scan_elements/${channel}_index`, { read: () => index }],
      [`scan_elements/${channel}_type`, { read: () => text }],
    ] as const;
  }

  #whileDisabled(): void {
    if (this.#sinceNs !== undefined) throw errno('EBUSY', 'buffer/enable');
  }

  #enable(text: string): void {
    if (text === '0') this.#sinceNs = undefined;
    else if (this.#currentTrigger !== SIMULATED_TRIGGER || !this.#elements.some((one) => one.isEnabled))
      throw errno('EINVAL', 'buffer/enable');
    else this.#sinceNs ??= this.#clock.monotonicNs();
  }

  /** Opens the node, for one reader; `isGone` says whether the chip was removed since. */
  open(isGone: () => boolean): DeviceNode {
    if (this.#isOpen) throw errno('EBUSY', 'the node of the device');
    this.#isOpen = true;
    let kept: Buffer[] = [];
    return {
      read: async (into) => {
        if (isGone()) throw errno('ENODEV', 'the node of the device');
        kept = [...kept, ...this.#due()].slice(0, this.#length);
        let end = 0;
        while (kept[0] !== undefined && end + kept[0].length <= into.length) {
          into.set(kept[0], end);
          end += (kept.shift() as Buffer).length;
        }
        return end;
      },
      close: async () => {
        this.#isOpen = false;
      },
    };
  }

  /** The scans that were due since the last call. */
  #due(): Buffer[] {
    if (this.#sinceNs === undefined) return [];
    const everyNs = BigInt(Math.round(1e9 / this.#trigger.hertz));
    const nowNs = this.#clock.monotonicNs();
    const layout = layOut(this.#elements.filter(({ isEnabled }) => isEnabled));
    const scans: Buffer[] = [];
    let sinceNs = this.#sinceNs;
    for (; sinceNs + everyNs <= nowNs; sinceNs += everyNs)
      if (scans.length < this.#length) scans.push(this.#scan(layout, sinceNs + everyNs, nowNs));
    this.#sinceNs = sinceNs;
    return scans;
  }

  #scan({ bytes, elements }: ScanLayout, atNs: bigint, nowNs: bigint): Buffer {
    const scan = Buffer.alloc(bytes);
    for (const { channel, offset, type } of elements) {
      const value =
        channel === TIMESTAMP
          ? atNs
          : BigInt(this.#raw(channel, Number(nowNs - atNs) / 1e6)) << BigInt(type.shift);
      const bits = BigInt.asUintN(type.bytes * 8, value);
      for (let n = 0; n < type.bytes; n++) {
        const place = type.isLittleEndian ? n : type.bytes - 1 - n;
        scan[offset + place] = Number((bits >> BigInt(8 * n)) & 0xffn);
      }
    }
    return scan;
  }
}
