import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { fault } from '../../src/base/fault.js';
import type { SysfsClass } from '../../src/device/toolkit/sysfs-class.js';
import { parseChannelName } from './channel-names.js';

/** Where the kernel lists sensors, below `/sys`: the devices of a class, and their names. */
const CLASSES = [
  { path: 'bus/iio/devices', device: /^iio:device\d+$/ },
  { path: 'class/hwmon', device: /^hwmon\d+$/ },
] as const;

/** The directory of the kernel's devices. */
export const SYSFS_PATH = '/sys';

/** A sensor chip, as the kernel lists it. */
export interface SensorDevice {
  /** The directory below `/sys`; its number may change. */
  readonly path: string;
  /** The name of its type: `bme280`. */
  readonly name: string;
  /** What distinguishes devices of one type: label, position in the device tree, parent device. */
  readonly places: readonly string[];
  /** What the property Device is set to: `bme280@1-0076`. */
  readonly id: string;
  /** Devices on the same bus are read one after the other: `i2c-1`. */
  readonly bus: string;
}

/** A sensor in messages. */
export const sensorNamed = ({ id }: SensorDevice): Text => coded`SENSOR_NAMED: the sensor ${id}`;

/** A channel of a device. */
export interface DeviceChannel {
  /** The kernel's name without the last part: `in_temp`, `temp1`. */
  readonly channel: string;
  /** The file with the value. */
  readonly file: string;
  /** False if offset and scale have to be applied. */
  readonly isProcessed: boolean;
  readonly label: string;
  /** A file that is 1 while the kernel detects that the sensor is broken. */
  readonly faultFile: string | undefined;
}

/** All sensor chips of the machine that have a channel. Measures nothing. */
export async function listSensorDevices(attributes: SysfsClass): Promise<SensorDevice[]> {
  const paths = await Promise.all(
    CLASSES.map(async ({ path, device }) =>
      (await attributes.list(path)).filter((name) => device.test(name)).map((name) => `${path}/${name}`),
    ),
  );
  const found = await Promise.all(paths.flat().map((path) => readDevice(attributes, path)));
  return found.filter((device) => device !== undefined);
}

async function readDevice(attributes: SysfsClass, path: string): Promise<SensorDevice | undefined> {
  const text = (file: string) => attributes.read(`${path}/${file}`).catch(() => '');
  // A device may disappear during the search; it is then skipped.
  const [name, label, uevent, parent] = await Promise.all([
    text('name'),
    text('label'),
    text('uevent'),
    attributes.deviceOf(path).catch(() => ''),
  ]);
  if (name === '') return undefined;
  // The last two parts: the bus in the device tree, and the device on it.
  const node = /^OF_FULLNAME=.*?([^/]+\/[^/]+)$/m.exec(uevent)?.[1] ?? '';
  const places = [label, isStable(parent) ? parent : '', node].filter((place) => place !== '');
  const [place] = places;
  return {
    path,
    name,
    places,
    id: place === undefined ? name : `${name}@${place}`,
    bus: busOf(parent, path),
  };
}

/** Whether the kernel gives a parent device the same name after every boot; the rest are numbers in order. */
const isStable = (parent: string) => /^(?:\d+-[0-9a-f]{4}|spi\d+\.\d+|.*@.*|.*\..*)$/.test(parent);

/** The bus of a parent device: `1-0076` is on `i2c-1`, `spi0.1` on `spi0`. */
function busOf(parent: string, path: string): string {
  const [, i2c] = /^(\d+)-[0-9a-f]{4}$/.exec(parent) ?? [];
  if (i2c !== undefined) return `i2c-${i2c}`;
  const [, spi] = /^(spi\d+)\.\d+$/.exec(parent) ?? [];
  return spi ?? path;
}

/**
 * Finds the device with a name, or with a name and a place: `bme280`, `bme280@1-0076`. Throws
 * `DEVICE_OFFLINE` while there is none, `DEVICE_CONFIGURATION` if there are several.
 */
export async function findSensorDevice(attributes: SysfsClass, id: string): Promise<SensorDevice> {
  const all = await listSensorDevices(attributes);
  const at = id.indexOf('@');
  const [name, place] = at < 0 ? [id, ''] : [id.slice(0, at), id.slice(at + 1)];
  const found = all.filter((one) => one.name === name && (place === '' || one.places.includes(place)));
  const [device] = found;
  if (device === undefined) {
    const available =
      all.length === 0 ? coded`NONE: it has none` : coded`HAS: it has ${all.map((one) => one.id).join(', ')}`;
    throw fault(
      'DEVICE_OFFLINE',
      coded`NO_SUCH_SENSOR: this machine has no sensor ${id} (${available}); stellwerk doctor says how to enable a chip`,
    );
  }
  if (found.length > 1)
    throw fault(
      'DEVICE_CONFIGURATION',
      coded`SENSORS_MATCH: ${found.length} sensors match; set Device to one of ${found.map((one) => one.id).join(', ')}`,
    );
  return device;
}

/** The channels of a device, in the kernel's order. Measures nothing. */
export async function listChannels(attributes: SysfsClass, path: string): Promise<DeviceChannel[]> {
  const files = await attributes.list(path);
  const present = new Set(files);
  const found = new Map<string, string>();
  for (const file of files) {
    const [, channel = '', kind = ''] = /^(.+)_(input|raw|average)$/.exec(file) ?? [];
    if (parseChannelName(channel) === undefined) continue;
    // A processed value is preferred, and the present power to an average.
    const before = found.get(channel);
    if (before === undefined || kind === 'input') found.set(channel, file);
  }
  return Promise.all(
    [...found].map(async ([channel, file]) => ({
      channel,
      file,
      isProcessed: !file.endsWith('_raw'),
      label: present.has(`${channel}_label`)
        ? await attributes.read(`${path}/${channel}_label`).catch(() => '')
        : '',
      faultFile: present.has(`${channel}_fault`) ? `${channel}_fault` : undefined,
    })),
  );
}
