import { join } from 'node:path';
import { namesIn, textOf } from './machine-files.js';

/** What the board reports about its temperature and its power supply. */
export interface BoardSensors {
  /** The hottest sensor, °C; undefined if there is none. */
  readonly celsius: number | undefined;
  /** The temperature at which the kernel shuts the machine down, °C; undefined if unknown. */
  readonly criticalCelsius: number | undefined;
  /** Whether the processor runs slower than it could because it is hot or because the voltage is low. */
  readonly isThrottled: boolean;
  /** Whether the supply voltage is below the board's minimum; undefined if the board does not report it. */
  readonly hasUndervoltage: boolean | undefined;
}

const THERMAL = 'sys/class/thermal';
const SENSORS = 'sys/class/hwmon';
const FIRMWARE = 'sys/bus/platform/drivers/raspberrypi-firmware';

/**
 * Bits of the Raspberry Pi firmware's `get_throttled` (Raspberry Pi documentation, vcgencmd): low voltage,
 * then limited frequency, throttled, and the soft temperature limit.
 */
const LOW_VOLTAGE = 1;
const THROTTLED = 2 + 4 + 8;

/**
 * Reads the board's sensors from sysfs: thermal zones and cooling devices (kernel: sysfs-class-thermal), and on
 * a Raspberry Pi the voltage alarm (kernel: raspberrypi-hwmon) and the firmware's flags. `root` is `/`, except
 * in tests.
 */
export async function readBoardSensors(root: string): Promise<BoardSensors> {
  const files = (...path: string[]) => join(root, ...path);
  const [zones, coolers, flags, alarm] = await Promise.all([
    inEach(files(THERMAL), /^thermal_zone/, zoneOf),
    inEach(files(THERMAL), /^cooling_device/, isCpuSlowed),
    inEach(files(FIRMWARE), /firmware/, async (device) => {
      const text = await textOf(join(device, 'get_throttled'));
      return text === '' ? undefined : Number.parseInt(text, 16);
    }),
    inEach(files(SENSORS), /^hwmon/, undervoltageOf),
  ]);
  const [hottest] = zones.toSorted((a, b) => b.celsius - a.celsius);
  const [bits] = flags;
  const voltages = [...alarm, ...(bits === undefined ? [] : [(bits & LOW_VOLTAGE) !== 0])];
  return {
    celsius: hottest?.celsius,
    criticalCelsius: hottest?.criticalCelsius,
    isThrottled: coolers.includes(true) || ((bits ?? 0) & THROTTLED) !== 0,
    hasUndervoltage: voltages.length === 0 ? undefined : voltages.includes(true),
  };
}

async function zoneOf(zone: string) {
  const celsius = celsiusOf(await textOf(join(zone, 'temp')));
  if (celsius === undefined) return undefined;
  const types = await inEach(zone, /^trip_point_\d+_type$/, async (file) =>
    (await textOf(file)) === 'critical' ? file : undefined,
  );
  const [critical] = types;
  return {
    celsius,
    criticalCelsius:
      critical === undefined ? undefined : celsiusOf(await textOf(critical.replace(/type$/, 'temp'))),
  };
}

/** Whether a cooling device that slows the processor is active. Its types are `cpufreq-cpu0`, `Processor` … */
async function isCpuSlowed(device: string): Promise<boolean> {
  return (
    /cpu|processor/i.test(await textOf(join(device, 'type'))) &&
    Number(await textOf(join(device, 'cur_state'))) > 0
  );
}

async function undervoltageOf(sensor: string): Promise<boolean | undefined> {
  if ((await textOf(join(sensor, 'name'))) !== 'rpi_volt') return undefined;
  const text = await textOf(join(sensor, 'in0_lcrit_alarm'));
  return text === '' ? undefined : text === '1';
}

/** Parses milli-degrees. A sensor that is not ready reports an error instead, or an impossible value. */
function celsiusOf(text: string): number | undefined {
  const milli = Number(text);
  return text === '' || !(milli > -50_000 && milli < 250_000) ? undefined : milli / 1000;
}

/** What is known of each entry of a directory with such a name. */
async function inEach<T>(
  directory: string,
  name: RegExp,
  read: (path: string) => Promise<T | undefined>,
): Promise<T[]> {
  const names = (await namesIn(directory)).filter((one) => name.test(one));
  const results = await Promise.all(names.map((one) => read(join(directory, one))));
  return results.filter((one) => one !== undefined);
}
