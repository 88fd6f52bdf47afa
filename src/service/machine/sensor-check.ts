import { coded, joined, type CodedText, type Text } from '../../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../../base/health-check.js';
import { manualPage } from '../../base/manual-page.js';
import type { Machine } from './machine-facts.js';
import { HEADER_BUS, I2C_SETTING, overlayOf, wantedChip } from './sensor-chips.js';

/** A sensor that an instance is configured for. */
interface ConfiguredSensor {
  readonly instance: string;
  /** The property Device: `bme280@1-0076`. */
  readonly device: string;
}

/** Configured sensor chips that the kernel does not have, with how to declare them. Probes no address. */
export function sensorsCheck(
  machine: Pick<Machine, 'found' | 'boot' | 'i2c'>,
  required: readonly ConfiguredSensor[],
): HealthFinding | undefined {
  if (required.length === 0) return undefined;
  const present = machine.found.filter(({ kind }) => kind === 'sensor').map(({ name }) => name);
  const missing = required.filter(({ device }) => !present.some((name) => isSame(device, name)));
  if (missing.length === 0)
    return healthy(coded`ALL_SENSORS_PRESENT: all ${required.length} configured sensors are present`);
  const texts = missing.map(
    ({ instance, device }) => coded`SENSOR_MISSING: ${device} of ${instance} is not present`,
  );
  const advice = [...new Map(missing.map(({ device }) => [device, adviceFor(device, machine)])).values()];
  return {
    state: 'warning',
    text: joined(texts),
    whatToDo: joined(advice.map(({ text }) => text)),
    chips: advice.flatMap(({ chips = [] }) => chips),
  };
}

/** Whether a property names a chip of a search; a chip can have more than one place. */
function isSame(device: string, found: string): boolean {
  const [name, place] = device.split('@');
  const [foundName, foundPlace] = found.split('@');
  if (name !== foundName) return false;
  return place === undefined || place === foundPlace || device.includes('/');
}

/** What to do about a missing chip, and under which names it can be enabled. */
interface Advice {
  readonly text: Text;
  readonly chips?: readonly string[];
}

function adviceFor(device: string, { boot, i2c }: Pick<Machine, 'boot' | 'i2c'>): Advice {
  const page = manualPage('hardware/sensors.md');
  const wanted = wantedChip(device);
  const place = device.split('@')[1];
  const declared = i2c.chips.find((chip) => chip.place === place);
  if (declared !== undefined && !declared.hasDriver)
    return {
      ...(declared.name === wanted?.name && { chips: [device] }),
      text:
        wanted === undefined
          ? coded`SENSOR_NO_DRIVER: the kernel knows ${declared.name} at ${declared.place}, but no driver uses it; see its log (sudo dmesg)`
          : coded`SENSOR_LOAD_DRIVER: the kernel knows ${declared.name} at ${declared.place}, but no driver uses it; run sudo modprobe ${wanted.module}; if it helps, sudo stellwerk enable-chip ${device} loads it at every start, otherwise check the wiring`,
    };
  if (wanted === undefined || (boot !== undefined && wanted.bus !== HEADER_BUS))
    return { text: coded`SENSOR_SEE_PAGE: see ${page} for how to enable ${device}` };
  if (wanted.name === 'ads1015') {
    const at = place ?? '1-0048';
    return {
      text: coded`SENSOR_WHICH_CHIP: run sudo stellwerk enable-chip ads1115@${at} for an ADS1115, or ads1015@${at} for an ADS1015; the kernel gives both the same name`,
      chips: [`ads1115@${at}`, `ads1015@${at}`],
    };
  }
  if (boot !== undefined) {
    const overlay = overlayOf(wanted);
    const settings = [I2C_SETTING, overlay].filter((setting) => !boot.settings.includes(setting));
    if (settings.length === 0)
      return { text: coded`SETTING_NOT_ACTIVE: ${overlay} is in ${boot.path}, but not active: reboot` };
    return {
      text: coded`SENSOR_ADD_SETTINGS: add ${settings} to ${boot.path} and reboot (sudo stellwerk enable-chip ${device} does it)`,
      chips: [device],
    };
  }
  return i2c.buses.includes(`i2c-${wanted.bus}`)
    ? { text: withBus(device, wanted.bus), chips: [device] }
    : { text: noSuchBus(wanted.bus, i2c.buses) };
}

/** Says that the machine has no I²C bus of that number, and which it has. */
export const noSuchBus = (bus: string, buses: readonly string[]): CodedText =>
  coded`SENSOR_NO_BUS: this machine has no bus i2c-${bus}${busesOf(buses)}; enable it in the device tree (${manualPage('hardware/sensors.md')})`;

const withBus = (device: string, bus: string): CodedText =>
  coded`SENSOR_DECLARE: if the chip is connected to i2c-${bus}, run sudo stellwerk enable-chip ${device}`;

const busesOf = (buses: readonly string[]): Text =>
  buses.length === 0 ? '' : coded`SENSOR_BUSES: ; it has ${buses.join(', ')}`;
