import { coded } from '../../src/base/codes/coded-text.js';
import type { Static } from '@sinclair/typebox';
import { fault } from '../../src/base/fault.js';
import { type SysfsClass, withDebugOutput } from '../../src/device/toolkit/sysfs-class.js';
import { SysfsInstance } from '../../src/device/toolkit/sysfs-instance.js';
import type { Host, OpenInstance, Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import { KernelLed, listLeds, ledNameOf, NO_TRIGGER, TIMER_TRIGGER } from './kernel-led.js';
import type { LedContext, ledProperties } from './index.js';

type LedProperties = Static<typeof ledProperties>;

/** Opens an instance of the module. Only the property Boot changes the LED. */
export async function openLed(host: Host<LedProperties>, context: LedContext): Promise<OpenInstance> {
  const attributes = withDebugOutput(host, await context.attributes());
  const name = await findLed(attributes, context, host.properties.Led);
  return context.holders.open(coded`THE_LED: the LED ${name}`, host, async (release) => {
    const led = new LedInstance(host, await KernelLed.open(attributes, host.clock, name), release);
    host.signal.throwIfAborted();
    await led.boot(`led ${name}`);
    return led;
  });
}

/** Finds an LED by its name on the board, or by the kernel's. Throws `DEVICE_OFFLINE` if there is none. */
async function findLed(attributes: SysfsClass, { board }: LedContext, selector: string): Promise<string> {
  const path = board.leds.find(({ name }) => name === selector)?.path;
  const name = path === undefined ? selector : ledNameOf(path);
  const all = (await listLeds(attributes)).map((led) => led.name);
  if (all.includes(name)) return name;
  const available = all.length === 0 ? coded`NONE: it has none` : coded`HAS: it has ${all.join(', ')}`;
  throw fault('DEVICE_OFFLINE', coded`NO_SUCH_LED: this machine has no LED ${name} (${available})`);
}

class LedInstance extends SysfsInstance<LedProperties> {
  readonly #led: KernelLed;
  /** The last known brightness, percent; 0 if it is dark or not known yet. */
  #brightness = 0;
  #trigger = NO_TRIGGER;

  constructor(host: Host<LedProperties>, led: KernelLed, release: () => void) {
    super(host, coded`THE_LED: the LED ${led.name}`, release);
    this.#led = led;
  }

  protected async execute(ident: string, value: Value): Promise<void> {
    try {
      await this.#write(ident, value);
    } finally {
      // Report the actual state, even if the write failed half way.
      await this.readState();
    }
  }

  protected switchTo(isOn: boolean): Promise<void> {
    return isOn ? this.#light(this.host.properties.OnBrightness) : this.#led.off();
  }

  async #write(ident: string, value: Value): Promise<void> {
    switch (ident) {
      case 'STATE':
        return this.switchTo(parseBoolean(value));
      case 'BRIGHTNESS':
        return this.#dim(requirePercent(value));
      case 'BLINK':
        if (parseBoolean(value)) return this.#blink(this.#litPercent);
        return this.#trigger === TIMER_TRIGGER ? this.#light(this.#litPercent) : undefined;
      case 'TRIGGER':
        if (value === TIMER_TRIGGER) return this.#blink(this.#litPercent);
        return this.#led.setTrigger(requireText(value));
      default:
        throw fault('READ_ONLY', ident);
    }
  }

  /** The brightness to blink with, percent: the present one, or OnBrightness while it is dark. */
  get #litPercent(): number {
    return this.#brightness > 0 ? this.#brightness : this.host.properties.OnBrightness;
  }

  #dim(toPercent: number): Promise<void> {
    if (toPercent === 0) return this.#led.off();
    return this.#trigger === TIMER_TRIGGER ? this.#blink(toPercent) : this.#light(toPercent);
  }

  #light(toPercent: number): Promise<void> {
    return this.#led.setBrightness(this.#rawOf(toPercent));
  }

  #blink(toPercent: number): Promise<void> {
    const { BlinkOnMs: onMs, BlinkOffMs: offMs } = this.host.properties;
    return this.#led.blink({ brightness: this.#rawOf(toPercent), onMs, offMs });
  }

  protected async readState(): Promise<void> {
    const { brightness, trigger } = await this.#led.read();
    const host = this.host;
    const isDriven = trigger !== NO_TRIGGER;
    // An LED that a trigger drives is dark at times; the brightness with which it is lit is then unknown.
    const isKnown = !isDriven || brightness > 0;
    if (isKnown) this.#brightness = this.#percentOf(brightness);
    this.#trigger = trigger;
    host.report('STATE', isDriven || brightness > 0);
    if (isKnown) host.report('BRIGHTNESS', this.#brightness);
    host.report('BLINK', trigger === TIMER_TRIGGER);
    host.report('TRIGGER', trigger);
  }

  /** Above 0 percent it is at least 1, the lowest brightness that is not dark. */
  #rawOf(ofPercent: number): number {
    return Math.max(1, Math.round((ofPercent * this.#led.maxBrightness) / 100));
  }

  #percentOf(brightness: number): number {
    return brightness === 0 ? 0 : Math.max(1, Math.round((brightness * 100) / this.#led.maxBrightness));
  }
}

function requirePercent(value: Value): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= 100))
    throw fault('CANNOT_CONVERT', 'Value', coded`RANGE_0_100: it must be 0 to 100`);
  return value;
}

function requireText(value: Value): string {
  if (typeof value !== 'string') throw fault('CANNOT_CONVERT', 'Value', coded`MUST_BE_TEXT: it must be text`);
  return value;
}
