import { coded } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import type { SysfsClass } from '../../../src/device/toolkit/sysfs-class.js';
import type { ReaderContext } from '../channel-reader.js';

/** Where the kernel lists triggers, among the devices. */
const DIRECTORY = 'bus/iio/devices';

/** The file with the scans per second, of a trigger or of a device. */
const RATE = 'sampling_frequency';

/** A trigger of the kernel. */
interface Trigger {
  readonly name: string;
  readonly path: string;
}

/** Finds a trigger by its name. Throws `DEVICE_OFFLINE` while there is none. */
export async function findTrigger(attributes: SysfsClass, name: string): Promise<Trigger> {
  const paths = (await attributes.list(DIRECTORY))
    .filter((one) => /^trigger\d+$/.test(one))
    .map((one) => `${DIRECTORY}/${one}`);
  const all = await Promise.all(
    paths.map(async (path) => ({ path, name: await attributes.read(`${path}/name`).catch(() => '') })),
  );
  const found = all.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name).join(', ');
  const available = names === '' ? coded`NONE: it has none` : coded`HAS: it has ${names}`;
  throw fault(
    'DEVICE_OFFLINE',
    coded`SENSOR_NO_TRIGGER: this machine has no trigger ${name} (${available}); create it, or correct Trigger`,
  );
}

/** Sets the scans per second: of the trigger, or of the device if that has a trigger of its own. */
export async function setRate(
  { attributes, lanes, device }: ReaderContext,
  trigger: Trigger,
  hertz: number,
): Promise<void> {
  for (const path of [trigger.path, device.path])
    if ((await attributes.list(path)).includes(RATE))
      return lanes.run(device.bus, () => attributes.write(`${path}/${RATE}`, String(hertz)));
  throw fault(
    'DEVICE_CONFIGURATION',
    coded`SENSOR_NO_RATE: the trigger ${trigger.name} has no adjustable rate; set SampleHz to 0`,
  );
}
