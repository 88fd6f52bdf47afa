import { coded } from '../../src/base/codes/coded-text.js';
import { type SysfsClass, sysfsFault, waitUntilWritable } from '../../src/device/toolkit/sysfs-class.js';
import type { Clock } from '../../src/base/clock.js';
import { codeOf, fault, faultFrom } from '../../src/base/fault.js';
import { kernelSysfs } from '../../src/device/toolkit/kernel-sysfs.js';

/** The kernel's directory of LEDs (Documentation/ABI/testing/sysfs-class-led). */
export const LED_CLASS_PATH = '/sys/class/leds';

/** The trigger with which the kernel blinks an LED; on Debian it is the kernel module `ledtrig-timer`. */
export const TIMER_TRIGGER = 'timer';
/** The trigger of an LED that nothing in the kernel drives. */
export const NO_TRIGGER = 'none';

/** The kernel's name of the LED at `path`: `ACT` for `/sys/class/leds/ACT`. */
export const ledNameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** An LED of the machine. */
interface LedInfo {
  /** The kernel's name, the same after every boot: `ACT`, `green:status`. */
  readonly name: string;
  /** Maximum of `brightness`; 1 for an LED that cannot be dimmed. */
  readonly maxBrightness: number;
  /** What drives it in the kernel: `mmc0`, `heartbeat`, `timer`; `none` for nothing. */
  readonly trigger: string;
}

/** The state of an LED. */
interface LedState {
  /** The present brightness, 0 to `maxBrightness`; a trigger changes it at any time. */
  readonly brightness: number;
  readonly trigger: string;
}

/** How an LED blinks: its brightness while lit, and the durations of the lit and the dark phase. */
interface BlinkPattern {
  readonly brightness: number;
  readonly onMs: number;
  readonly offMs: number;
}

/** All LEDs of the machine, by name. Changes none of them. */
export async function listLeds(attributes: SysfsClass = kernelSysfs(LED_CLASS_PATH)): Promise<LedInfo[]> {
  const names = await attributes.list('');
  // An LED may be unplugged during the search; it is then skipped.
  const found = await Promise.all(names.map((name) => readLed(attributes, name).catch(() => undefined)));
  return found.filter((info) => info !== undefined);
}

async function readLed(attributes: SysfsClass, name: string): Promise<LedInfo> {
  const maxBrightness = Number(await attributes.read(`${name}/max_brightness`));
  return { name, maxBrightness, trigger: activeTrigger(await readTriggers(attributes, name)) };
}

/**
 * One LED. Failures reject with `DEVICE_OFFLINE`, `DEVICE_REFUSED` or `DEVICE_CONFIGURATION`.
 */
export class KernelLed {
  readonly name: string;
  readonly maxBrightness: number;
  readonly #attributes: SysfsClass;
  readonly #clock: Clock;

  /**
   * Opens an LED without changing it. Rejects with `DEVICE_OFFLINE` if we lack the permission to write it.
   */
  static async open(attributes: SysfsClass, clock: Clock, name: string): Promise<KernelLed> {
    try {
      for (const attribute of ['brightness', 'trigger'])
        await waitUntilWritable(attributes, clock, `${name}/${attribute}`);
      return new KernelLed(attributes, clock, await readLed(attributes, name));
    } catch (thrown) {
      throw sysfsFault(coded`THE_LED: the LED ${name}`, attributes.root, thrown);
    }
  }

  private constructor(attributes: SysfsClass, clock: Clock, { name, maxBrightness }: LedInfo) {
    this.#attributes = attributes;
    this.#clock = clock;
    this.name = name;
    this.maxBrightness = maxBrightness;
  }

  read(): Promise<LedState> {
    return this.#withFault(async () => ({
      brightness: Number(await this.#attributes.read(`${this.name}/brightness`)),
      trigger: activeTrigger(await readTriggers(this.#attributes, this.name)),
    }));
  }

  /** Switches the LED off and removes its trigger: the kernel does the latter for a brightness of 0. */
  off(): Promise<void> {
    return this.#withFault(() => this.#write('brightness', 0));
  }

  /** Lights the LED without blinking; `brightness` is at least 1. */
  setBrightness(brightness: number): Promise<void> {
    return this.#withFault(async () => {
      await this.#write('trigger', NO_TRIGGER);
      await this.#write('brightness', brightness);
    });
  }

  /** Makes the kernel blink the LED until the next command. */
  blink({ brightness, onMs, offMs }: BlinkPattern): Promise<void> {
    return this.#withFault(async () => {
      await this.#write('trigger', NO_TRIGGER);
      // The brightness at the time the trigger is set is the one it blinks with.
      await this.#write('brightness', brightness);
      await this.#writeTrigger(TIMER_TRIGGER);
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
   * Sets the trigger, which then drives the LED. Rejects with `DEVICE_REFUSED`, and a list of the triggers,
   * if the kernel does not have it.
   */
  setTrigger(trigger: string): Promise<void> {
    return this.#withFault(() => this.#writeTrigger(trigger));
  }

  async #writeTrigger(trigger: string): Promise<void> {
    try {
      await this.#write('trigger', trigger);
    } catch (thrown) {
      if (codeOf(thrown) !== 'EINVAL') throw thrown;
      const available = (await readTriggers(this.#attributes, this.name)).map(stripBrackets).join(', ');
      throw trigger === TIMER_TRIGGER
        ? faultFrom(
            thrown,
            'DEVICE_CONFIGURATION',
            coded`KERNEL_CAN_NOT_BLINK: the kernel cannot blink the LED ${this.name}; run modprobe ledtrig-timer`,
          )
        : fault(
            'DEVICE_REFUSED',
            coded`LED_NO_TRIGGER_AVAILABLE: the LED ${this.name} has no trigger ${trigger}; available are ${available}`,
          );
    }
  }

  #write(attribute: string, value: string | number): Promise<void> {
    return this.#attributes.write(`${this.name}/${attribute}`, String(value));
  }

  async #withFault<T>(operation: () => Promise<T>): Promise<T> {
    try {
      return await operation();
    } catch (thrown) {
      throw sysfsFault(coded`THE_LED: the LED ${this.name}`, this.#attributes.root, thrown);
    }
  }
}

/** All triggers of the kernel; the selected one is in brackets. */
const readTriggers = async (attributes: SysfsClass, name: string): Promise<string[]> =>
  (await attributes.read(`${name}/trigger`)).split(/\s+/);

const activeTrigger = (triggers: readonly string[]): string =>
  stripBrackets(triggers.find((trigger) => trigger.startsWith('[')) ?? NO_TRIGGER);

const stripBrackets = (trigger: string): string => trigger.replace(/^\[|\]$/g, '');
