import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type, type Static } from '@sinclair/typebox';
import { codeOf, fault, faultFrom } from '../../src/base/fault.js';
import {
  type Host,
  type ModuleDefinition,
  moduleKind,
  type OpenInstance,
  type Value,
  variableType,
} from '../../src/device/module.js';
import { DeviceQueue } from '../../src/device/toolkit/device-queue.js';

/** Where the kernel lists backlights (Documentation/ABI/stable/sysfs-class-backlight). */
const CLASS = '/sys/class/backlight';

const properties = Type.Object({
  /** A name below /sys/class/backlight. */
  Device: Type.String({ default: '', maxLength: 64 }),
});
type Properties = Static<typeof properties>;

/** The module **Backlight**: the brightness of a display, in percent. Tests pass another `root`. */
export function backlightModule(root = CLASS): ModuleDefinition<typeof properties> {
  return {
    id: '{0D5C1B6E-6A0B-4C0E-9C58-6D5E0B1B7C21}',
    name: 'Backlight',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      {
        ident: 'BRIGHTNESS',
        name: 'Brightness',
        type: variableType.integer,
        role: 'main',
        profile: '~Intensity.100',
        action: true,
      },
    ],
    check: ({ Device }) =>
      Device === '' ? 'Device is empty: give the name of a backlight (ls /sys/class/backlight)' : undefined,
    open: (host) => Backlight.open(host, root),
  };
}

class Backlight implements OpenInstance {
  readonly #host: Host<Properties>;
  readonly #file: string;
  readonly #maximum: number;
  readonly #queue: DeviceQueue;

  private constructor(host: Host<Properties>, file: string, maximum: number) {
    this.#host = host;
    this.#file = file;
    this.#maximum = maximum;
    this.#queue = new DeviceQueue(host, `the backlight ${host.properties.Device}`);
  }

  /** Opens a backlight without changing it. Throws `DEVICE_OFFLINE` while the kernel has none of this name. */
  static async open(host: Host<Properties>, root: string): Promise<Backlight> {
    const directory = join(root, host.properties.Device);
    const maximum = await numberIn(join(directory, 'max_brightness'));
    const backlight = new Backlight(host, join(directory, 'brightness'), maximum);
    await backlight.refresh();
    return backlight;
  }

  /** Resolves when the kernel has accepted the value; reports the value that it then has. */
  write(ident: string, value: Value): Promise<void> {
    return this.#queue.run(async () => {
      if (ident !== 'BRIGHTNESS' || typeof value !== 'number') throw fault('READ_ONLY', ident);
      const raw = Math.round((value * this.#maximum) / 100);
      try {
        await writeFile(this.#file, String(raw), { flag: 'r+' });
      } catch (thrown) {
        if (isMissing(thrown)) throw faultFrom(thrown, 'DEVICE_OFFLINE', 'the backlight was removed');
        throw faultFrom(thrown, 'DEVICE_REFUSED', 'the kernel rejects this brightness');
      }
      await this.#read();
    });
  }

  refresh(): Promise<void> {
    return this.#queue.run(() => this.#read());
  }

  /** Another program may have changed it, or the display was unplugged. */
  probe(): Promise<void> {
    return this.refresh();
  }

  close(): Promise<void> {
    return this.#queue.close(() => undefined);
  }

  async #read(): Promise<void> {
    const raw = await numberIn(this.#file);
    this.#host.debug('read', String(raw));
    this.#host.report('BRIGHTNESS', Math.round((raw * 100) / this.#maximum));
  }
}

async function numberIn(file: string): Promise<number> {
  try {
    return Number(await readFile(file, 'utf8'));
  } catch (thrown) {
    throw faultFrom(thrown, 'DEVICE_OFFLINE', `${file} cannot be read; ls ${CLASS} lists the backlights`);
  }
}

function isMissing(thrown: unknown): boolean {
  return codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENODEV';
}
