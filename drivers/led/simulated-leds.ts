import type { Clock } from '../../src/base/clock.js';
import { errno } from '../../src/device/toolkit/sysfs-class.js';
import {
  SimulatedSysfs,
  type SimulatedAttribute,
  parseUnsigned,
} from '../../src/device/toolkit/simulated-sysfs.js';
import { LED_CLASS_PATH, NO_TRIGGER, TIMER_TRIGGER } from './kernel-led.js';

/** An LED of a simulated machine. */
export interface SimulatedLed {
  readonly name: string;
  /** 255 by default. */
  readonly maxBrightness?: number;
  /** The trigger after boot; `none` by default. */
  readonly trigger?: string;
}

/**
 * Triggers of the simulated kernel. Except for `timer` and `default-on` they leave the LED dark: the events
 * that they show do not occur.
 */
const TRIGGERS: readonly string[] = [NO_TRIGGER, 'mmc0', TIMER_TRIGGER, 'heartbeat', 'default-on'];

/** The kernel's default for both delays. */
const DEFAULT_DELAY_MS = 500;

interface LedModel {
  readonly name: string;
  readonly max: number;
  brightness: number;
  trigger: string;
  /** Only with the trigger `timer`. */
  blink: { brightness: number; onMs: number; offMs: number };
  /** When blinking was last configured. */
  sinceNs: bigint;
  /** When the files of the trigger were created. */
  createdNs: bigint;
}

/**
 * Simulates the kernel's LED class (Documentation/ABI/testing/sysfs-class-led,
 * sysfs-class-led-trigger-timer). A brightness above the maximum is limited to it, 0 also removes the
 * trigger, and any other one sets the brightness of a blinking LED. Removing a trigger leaves the LED dark;
 * an unknown one fails with `EINVAL`. `delay_on` and `delay_off` exist with the trigger `timer` only, and
 * belong to our group after a delay.
 */
export class SimulatedLeds extends SimulatedSysfs {
  readonly root = LED_CLASS_PATH;
  readonly #clock: Clock;
  readonly #leds = new Map<string, LedModel>();
  readonly #unplugged = new Set<string>();
  /** How long udev takes to assign the files of a trigger to our group, milliseconds. */
  udevMs = 0;
  /** LEDs that a kernel driver uses exclusively, as a camera does with its flash. */
  readonly busy = new Set<string>();
  readonly triggers: Set<string>;

  constructor(clock: Clock, leds: readonly SimulatedLed[]) {
    super();
    this.#clock = clock;
    this.triggers = new Set(TRIGGERS);
    for (const { name, maxBrightness: max = 255, trigger = NO_TRIGGER } of leds) {
      const led: LedModel = {
        name,
        max,
        brightness: 0,
        trigger: NO_TRIGGER,
        blink: { brightness: 0, onMs: 0, offMs: 0 },
        sinceNs: 0n,
        createdNs: 0n,
      };
      this.#leds.set(name, led);
      this.#setTrigger(led, trigger);
    }
  }

  has(name: string): boolean {
    return this.#leds.has(name);
  }

  /** The present brightness. */
  brightnessOf(name: string): number {
    const led = this.#leds.get(name);
    if (led === undefined || this.#unplugged.has(name)) return 0;
    if (led.trigger !== TIMER_TRIGGER) return led.brightness;
    const { brightness, onMs, offMs } = led.blink;
    const sinceMs = Number(this.#clock.monotonicNs() - led.sinceNs) / 1e6;
    return offMs === 0 || (onMs > 0 && sinceMs % (onMs + offMs) < onMs) ? brightness : 0;
  }

  /** Unplugs an LED, as a keyboard's disappears with the keyboard, or plugs it in again. */
  setUnplugged(name: string, isGone: boolean): void {
    if (isGone) this.#unplugged.add(name);
    else this.#unplugged.delete(name);
  }

  deviceOf = async (name: string): Promise<string> => name;

  protected files(): ReadonlyMap<string, SimulatedAttribute> {
    const present = [...this.#leds.values()].filter(({ name }) => !this.#unplugged.has(name));
    return new Map(present.flatMap((led) => this.#filesOf(led)));
  }

  #filesOf(led: LedModel): [string, SimulatedAttribute][] {
    const at = (attribute: string) => `${led.name}/${attribute}`;
    const files: [string, SimulatedAttribute][] = [
      [at('max_brightness'), { read: () => led.max }],
      [
        at('brightness'),
        { read: () => this.brightnessOf(led.name), write: (text) => this.#setBrightness(led, text) },
      ],
      [at('trigger'), { read: () => this.#triggersOf(led), write: (text) => this.#writeTrigger(led, text) }],
    ];
    if (led.trigger !== TIMER_TRIGGER) return files;
    const isOurs = this.#clock.monotonicNs() - led.createdNs >= BigInt(this.udevMs * 1e6);
    const delay = (attribute: string, key: 'onMs' | 'offMs'): [string, SimulatedAttribute] => [
      at(attribute),
      {
        isWritable: isOurs,
        read: () => led.blink[key],
        write: (text) => {
          led.blink[key] = parseUnsigned(text, at(attribute));
          led.sinceNs = this.#clock.monotonicNs();
        },
      },
    ];
    return [...files, delay('delay_on', 'onMs'), delay('delay_off', 'offMs')];
  }

  #triggersOf({ trigger }: LedModel): string {
    return [...this.triggers].map((name) => (name === trigger ? `[${name}]` : name)).join(' ');
  }

  #setBrightness(led: LedModel, text: string): void {
    if (this.busy.has(led.name)) throw errno('EBUSY', led.name);
    const brightness = Math.min(led.max, parseUnsigned(text, led.name));
    if (brightness === 0) this.#setTrigger(led, NO_TRIGGER);
    if (led.trigger === TIMER_TRIGGER) led.blink.brightness = brightness;
    else led.brightness = brightness;
  }

  #writeTrigger(led: LedModel, text: string): void {
    if (this.busy.has(led.name)) throw errno('EBUSY', led.name);
    const trigger = text.replace(/\n$/, '');
    if (!this.triggers.has(trigger)) throw errno('EINVAL', led.name);
    this.#setTrigger(led, trigger);
  }

  #setTrigger(led: LedModel, trigger: string): void {
    // Removing a trigger darkens the LED; an LED without a trigger stays as it is.
    if (led.trigger !== NO_TRIGGER) led.brightness = 0;
    led.trigger = trigger;
    if (trigger === 'default-on') led.brightness = led.max;
    if (trigger !== TIMER_TRIGGER) return;
    const brightness = led.brightness > 0 ? led.brightness : led.blink.brightness || led.max;
    led.blink = { brightness, onMs: DEFAULT_DELAY_MS, offMs: DEFAULT_DELAY_MS };
    led.sinceNs = led.createdNs = this.#clock.monotonicNs();
  }
}
