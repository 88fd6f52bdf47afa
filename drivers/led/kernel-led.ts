import { type SysfsClass, sysfsFault, waitUntilWritable } from '../../src/device/toolkit/sysfs-class.js';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, fault, faultFrom } from '../../src/base/fault.js';
import { kernelSysfs } from '../../src/device/toolkit/kernel-sysfs.js';

/** The kernel's directory of LEDs (Documentation/ABI/testing/sysfs-class-led). */
export const LED_CLASS_PATH = '/sys/class/leds';

/** What lets the kernel blink a LED by itself; a module of its own (`ledtrig-timer`) on Debian. */
export const TIMER_TRIGGER = 'timer';
/** The word for a LED that nothing in the kernel drives. */
export const NO_TRIGGER = 'none';

/** The name in the class of a LED that is at `path`: `ACT` at `/sys/class/leds/ACT`. */
export const ledNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** A LED of the machine. */
export interface LedInfo {
  /** Its name in the class, the same at every boot: `ACT`, `green:status`. */
  readonly name: string;
  /** What `brightness` goes up to; 1: it is only on or off. */
  readonly maxBrightness: number;
  /** What in the kernel drives it (`mmc0`, `heartbeat`, `timer`); `none`: nothing. */
  readonly trigger: string;
}

/** The state of a LED. */
export interface LedState {
  /** 0 to its most, as it is just now: a trigger moves it. */
  readonly brightness: number;
  readonly trigger: string;
}

/** How a LED blinks: its brightness while lit, and the durations of the lit and the dark phase. */
export interface BlinkPattern {
  readonly brightness: number;
  readonly onMs: number;
  readonly offMs: number;
}

/** All LEDs of the machine, by name. Changes none of them. */
export async function listLeds(attributes: SysfsClass = kernelSysfs(LED_CLASS_PATH)): Promise<LedInfo[]> {
  const names = await attributes.list('');
  // A LED may be unplugged during the search; it is then skipped.
  const found = await Promise.all(names.map((name) => readLed(attributes, name).catch(() => undefined)));
  return found.filter((info) => info !== undefined);
}

async function readLed(attributes: SysfsClass, name: string): Promise<LedInfo> {
  const maxBrightness = Number(await attributes.read(`${name}/max_brightness`));
  return { name, maxBrightness, trigger: activeTrigger(await readTriggers(attributes, name)) };
}

/**
 * One LED. What is wrong rejects with a fault: `DEVICE_OFFLINE`, `DEVICE_REFUSED`, `DEVICE_CONFIGURATION`.
 */
export class KernelLed {
  readonly name: string;
  readonly maxBrightness: number;
  readonly #attributes: SysfsClass;
  readonly #clock: Clock;

  /** Opens a LED without changing it. Rejects with `DEVICE_OFFLINE` if we lack the permission to write it. */
  static async open(attributes: SysfsClass, clock: Clock, name: string): Promise<KernelLed> {
    try {
      for (const attribute of ['brightness', 'trigger'])
        await waitUntilWritable(attributes, clock, `${name}/${attribute}`);
      return new KernelLed(attributes, clock, await readLed(attributes, name));
    } catch (thrown) {
      throw sysfsFault(`the LED ${name}`, attributes.root, thrown);
    }
  }

  private constructor(attributes: SysfsClass, clock: Clock, { name, maxBrightness }: LedInfo) {
    this.#attributes = attributes;
    this.#clock = clock;
    this.name = name;
    this.maxBrightness = maxBrightness;
  }

  read(): Promise<LedState> {
    return this.#ask(async () => ({
      brightness: Number(await this.#attributes.read(`${this.name}/brightness`)),
      trigger: activeTrigger(await readTriggers(this.#attributes, this.name)),
    }));
  }

  /** Switches the LED off and removes its trigger: the kernel does the latter for a brightness of 0. */
  off(): Promise<void> {
    return this.#ask(() => this.#write('brightness', 0));
  }

  /** Lit steadily; `brightness` from 1. */
  setBrightness(brightness: number): Promise<void> {
    return this.#ask(async () => {
      await this.#write('trigger', NO_TRIGGER);
      await this.#write('brightness', brightness);
    });
  }

  /** Makes the kernel blink the LED until the next command. */
  blink({ brightness, onMs, offMs }: BlinkPattern): Promise<void> {
    return this.#ask(async () => {
      await this.#write('trigger', NO_TRIGGER);
      // The brightness at the time the trigger is set is the one it blinks with.
      await this.#write('brightness', brightness);
      await this.#give(TIMER_TRIGGER);
      for (const [attribute, ms] of [
        ['delay_on', onMs],
        ['delay_off', offMs],
      ] as const) {
        await waitUntilWritable(this.#attributes, this.#clock, `${this.name}/${attribute}`);
        await this.#write(attribute, ms);
      }
    });
  }

  /**
   * Lets something in the kernel drive it; rejects with `DEVICE_REFUSED` and what there is, where there is no
   * such trigger.
   */
  setTrigger(trigger: string): Promise<void> {
    return this.#ask(() => this.#give(trigger));
  }

  async #give(trigger: string): Promise<void> {
    try {
      await this.#write('trigger', trigger);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EINVAL') throw thrown;
      const there = (await readTriggers(this.#attributes, this.name)).map(stripBrackets).join(', ');
      throw trigger === TIMER_TRIGGER
        ? faultFrom(
            thrown,
            'DEVICE_CONFIGURATION',
            `this kernel can't blink the LED ${this.name}: load its module ledtrig-timer`,
          )
        : fault('DEVICE_REFUSED', `the LED ${this.name} has no trigger ${trigger}; there is ${there}`);
    }
  }

  #write(attribute: string, value: string | number): Promise<void> {
    return this.#attributes.write(`${this.name}/${attribute}`, String(value));
  }

  async #ask<T>(question: () => Promise<T>): Promise<T> {
    try {
      return await question();
    } catch (thrown) {
      throw sysfsFault(`the LED ${this.name}`, this.#attributes.root, thrown);
    }
  }
}

/** All triggers that the kernel has, the one in force in brackets. */
const readTriggers = async (attributes: SysfsClass, name: string): Promise<string[]> =>
  (await attributes.read(`${name}/trigger`)).split(/\s+/);

const activeTrigger = (triggers: readonly string[]): string =>
  stripBrackets(triggers.find((trigger) => trigger.startsWith('[')) ?? NO_TRIGGER);

const stripBrackets = (trigger: string): string => trigger.replace(/^\[|\]$/g, '');
