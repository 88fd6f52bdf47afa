import { join } from 'node:path';
import { namesIn, textOf } from './machine-files.js';

/** The time of one processor since the boot, in the kernel's ticks (proc(5), /proc/stat). */
interface Ticks {
  readonly busy: number;
  readonly all: number;
}

/** Least ticks between two readings, a tenth of a second; with fewer, the result is not meaningful. */
const TICKS_APART = 10;

/**
 * Reads the kernel's metrics of processors, memory, batteries and this process. Values that the kernel does
 * not report are 0.
 */
export class SystemMetrics {
  readonly #root: string;
  #before: ReadonlyMap<string, Ticks> = new Map();

  /** `root` is `/`, except in tests. */
  constructor(root = '/') {
    this.#root = root;
  }

  /**
   * The load of each processor and of all together since the previous call, in percent; at the first call,
   * since the boot.
   */
  async processors(): Promise<Readonly<Record<string, number>>> {
    const now = ticksOf(await this.#text('proc/stat'));
    const before = this.#before;
    const isApart = (now.get('cpu')?.all ?? 0) - (before.get('cpu')?.all ?? 0) >= TICKS_APART;
    if (isApart) this.#before = now;
    const named = [...now].map(([name, ticks]) => [
      name === 'cpu' ? 'CPU_AVG' : `CPU_${name.slice(3)}`,
      percentOf(ticks, before.get(name)),
    ]);
    return Object.fromEntries(named) as Record<string, number>;
  }

  /** The memory in bytes. `PAGEFILE` is the swap space, `VIRTUAL` the sum of both. */
  async memory() {
    const kilobytes = numbersOf(await this.#text('proc/meminfo'));
    const bytes = (name: string) => (kilobytes.get(name) ?? 0) * 1024;
    return {
      TOTALPHYSICAL: bytes('MemTotal'),
      AVAILPHYSICAL: bytes('MemAvailable'),
      TOTALPAGEFILE: bytes('SwapTotal'),
      AVAILPAGEFILE: bytes('SwapFree'),
      TOTALVIRTUAL: bytes('MemTotal') + bytes('SwapTotal'),
      AVAILVIRTUAL: bytes('MemAvailable') + bytes('SwapFree'),
    };
  }

  /**
   * The metrics of this process, sizes in bytes. PROCESSCOUNT counts the processes that are visible to it.
   */
  async process() {
    const [status, handles, processes] = await Promise.all([
      this.#text('proc/self/status').then(numbersOf),
      this.#names('proc/self/fd'),
      this.#names('proc'),
    ]);
    const bytes = (name: string) => (status.get(name) ?? 0) * 1024;
    return {
      SVC_HANDLECOUNT: handles.length,
      SVC_NUMTHREADS: status.get('Threads') ?? 0,
      SVC_VIRTUALSIZE: bytes('VmSize'),
      SVC_WORKINGSETSIZE: bytes('VmRSS'),
      SVC_PAGEFILE: bytes('VmSwap'),
      PROCESSCOUNT: processes.filter((name) => /^\d+$/.test(name)).length,
    };
  }

  /**
   * The machine's battery, times in seconds; -1 means unknown, as are all values without a battery.
   */
  async battery() {
    const supplies = await this.#supplies();
    const battery = supplies.find(({ type, scope }) => type === 'Battery' && scope !== 'Device');
    const isOnMains = supplies.some(({ type, online }) => type !== 'Battery' && Number(online) > 0);
    const { status, capacity = '-1' } = battery ?? {};
    const rate = Number(battery?.['power_now'] ?? battery?.['current_now'] ?? 0);
    const seconds = (amount: string | undefined) =>
      amount === undefined || rate <= 0 || status !== 'Discharging'
        ? -1
        : Math.round((Number(amount) / rate) * 3600);
    return {
      OnBattery: battery !== undefined && !isOnMains,
      IsCharging: status === 'Charging',
      BatteryLevel: Number(capacity),
      BatteryRemainingTime: seconds(battery?.['energy_now'] ?? battery?.['charge_now']),
      BatteryMaxTime: seconds(battery?.['energy_full'] ?? battery?.['charge_full']),
    };
  }

  /** The power supplies with the properties from their `uevent`, names in lower case. */
  async #supplies(): Promise<Readonly<Record<string, string>>[]> {
    const folder = 'sys/class/power_supply';
    const texts = (await this.#names(folder)).map((name) => this.#text(join(folder, name, 'uevent')));
    return (await Promise.all(texts)).map((text) =>
      Object.fromEntries(
        text.split('\n').flatMap((line) => {
          const [, name, value] = /^POWER_SUPPLY_(\w+)=(.*)$/.exec(line) ?? [];
          return name === undefined ? [] : [[name.toLowerCase(), value ?? '']];
        }),
      ),
    );
  }

  #text(path: string): Promise<string> {
    return textOf(join(this.#root, path));
  }

  #names(path: string): Promise<string[]> {
    return namesIn(join(this.#root, path));
  }
}

/** Ticks by name: `cpu` is the sum, then `cpu0` and so on. Waiting for IO counts as idle. */
function ticksOf(stat: string): Map<string, Ticks> {
  const found = new Map<string, Ticks>();
  for (const line of stat.split('\n')) {
    const [name = '', ...counts] = line.split(/\s+/);
    if (!/^cpu\d*$/.test(name)) continue;
    // The time of guests is included in the first two.
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, ...rest] = counts.slice(0, 8).map(Number);
    const busy = user + nice + system + rest.reduce((sum, count) => sum + count, 0);
    found.set(name, { busy, all: busy + idle + wait });
  }
  return found;
}

function percentOf(now: Ticks, before: Ticks = { busy: 0, all: 0 }): number {
  const all = now.all - before.all;
  return all <= 0 ? 0 : Math.min(100, Math.max(0, Math.round(((now.busy - before.busy) / all) * 100)));
}

/** Parses lines of `Name: number`, with or without a unit. */
function numbersOf(text: string): Map<string, number> {
  const found = new Map<string, number>();
  for (const [, name = '', number] of text.matchAll(/^(\w+):\s+(\d+)/gm)) found.set(name, Number(number));
  return found;
}
