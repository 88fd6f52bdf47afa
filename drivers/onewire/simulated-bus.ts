import { type Clock, delay } from '../../src/base/clock.js';
import { SimulatedSysfs, type SimulatedAttribute } from '../../src/device/toolkit/simulated-sysfs.js';
import {
  type ReplyState,
  simulatedChip,
  type SimulatedChip,
  SimulatedThermometer,
} from './simulated-chips.js';
import { W1_DEVICES_PATH } from './w1-files.js';

/** Duration of a 12-bit measurement of a DS18B20. */
export const MEASURING_MS = 750;

/** The simulated room temperature: its mean, amplitude and period. */
const ROOM_TEMPERATURE = { celsius: 21, by: 2, withinMs: 600_000 };

interface SimulatedSlave {
  readonly bus: string;
  readonly chip: SimulatedChip;
  /** True if the device does not reply. */
  isSilent: boolean;
  /** True if the kernel has removed it. */
  isGone: boolean;
  /** True after a bulk measurement, until it is read. */
  hasMeasured: boolean;
}

/**
 * Simulates the kernel's 1-Wire buses (Documentation/w1). A bus lists what its last search found. A removed
 * device reads as ones, or fails if there is a checksum. Reading a thermometer measures and takes time,
 * except after a bulk measurement (`therm_bulk_read`). A register that cannot be read or written fails with
 * `EIO`. A byte is written as a single byte.
 */
export class SimulatedOneWire extends SimulatedSysfs {
  readonly root = W1_DEVICES_PATH;
  readonly #clock: Clock;
  readonly #buses = new Set<string>();
  readonly #slaves = new Map<string, SimulatedSlave>();
  /** Whether bulk measurements are supported (Linux 5.8 or later). */
  canMeasureAll = true;
  /** Devices without a loaded kernel driver. */
  readonly undriven = new Set<string>();
  /** Buses that are shorted to ground. */
  readonly grounded = new Set<string>();
  /** Called for every write to a switch, with the pins whose transistors then conduct. */
  onSwitchWrite: (address: string, on: number) => void = () => undefined;
  /** Current and maximum number of reads that wait for a measurement. */
  measuring = 0;
  mostMeasuring = 0;

  constructor(clock: Clock, buses: readonly (readonly string[])[]) {
    super();
    this.#clock = clock;
    for (const [index, addresses] of buses.entries()) {
      const bus = `w1_bus_master${index + 1}`;
      this.#buses.add(bus);
      for (const address of addresses) {
        const chip = simulatedChip(
          address,
          () => this.#room(),
          (on) => this.onSwitchWrite(address, on),
        );
        this.#slaves.set(address, { bus, chip, isSilent: false, isGone: false, hasMeasured: false });
      }
    }
  }

  has(address: string): boolean {
    return this.#slaves.has(address);
  }

  /** The simulated device, for manipulation by tests. */
  chip<C extends SimulatedChip>(address: string, kind: abstract new (...args: never[]) => C): C {
    const chip = this.#slaves.get(address)?.chip;
    if (!(chip instanceof kind)) throw new Error(`the simulated machine has no 1-Wire device ${address}`);
    return chip;
  }

  /** Removes a device from its bus, or puts it back; the kernel has not noticed yet. */
  setSilent(address: string, isSilent: boolean): void {
    const slave = this.#slaves.get(address);
    if (slave !== undefined) slave.isSilent = isSilent;
  }

  /** As `setSilent`, but the kernel has noticed. */
  setUnplugged(address: string, isGone: boolean): void {
    this.setSilent(address, isGone);
    const slave = this.#slaves.get(address);
    if (slave !== undefined) slave.isGone = isGone;
  }

  /** Unplugs a bus with all its devices, or plugs it in again. */
  setBusGone(bus: string, isGone: boolean): void {
    if (isGone) this.#buses.delete(bus);
    else this.#buses.add(bus);
  }

  deviceOf = async (name: string): Promise<string> => name;

  override async read(path: string): Promise<string> {
    const [address = '', attribute] = path.split('/');
    const slave = this.#slaves.get(address);
    if (attribute === 'w1_slave' && slave?.chip instanceof SimulatedThermometer && this.#isThere(slave)) {
      if (!slave.hasMeasured) await this.#measure([slave]);
      slave.hasMeasured = false;
    }
    return super.read(path);
  }

  override async write(path: string, data: string | Uint8Array): Promise<void> {
    await super.write(path, data);
    // The kernel accepts any text, but only measures for this one, and only if the bus has no other devices.
    const [bus = '', attribute] = path.split('/');
    if (attribute !== 'therm_bulk_read' || data !== 'trigger\n') return;
    const thermometers = this.#thermometers(bus);
    const others = [...this.#slaves.values()].filter((slave) => slave.bus === bus && !slave.isGone);
    if (others.length === thermometers.length) await this.#measure(thermometers);
  }

  protected files(): ReadonlyMap<string, SimulatedAttribute> {
    const files = new Map<string, SimulatedAttribute>();
    for (const bus of this.#buses) {
      const names = [...this.#slaves]
        .filter(([, slave]) => slave.bus === bus && !slave.isGone)
        .map(([name]) => name);
      const listed = names.length === 0 ? 'not found.' : names.join('\n');
      files.set(`${bus}/w1_master_slaves`, { read: () => listed });
      const thermometers = this.#thermometers(bus);
      if (this.canMeasureAll && thermometers.length > 0)
        files.set(`${bus}/therm_bulk_read`, {
          read: () => Number(thermometers.some(({ hasMeasured }) => hasMeasured)),
          write: () => undefined,
        });
    }
    for (const [address, slave] of this.#slaves) {
      if (!this.#isThere(slave)) continue;
      files.set(`${address}/name`, { read: () => address });
      const chipFiles = this.undriven.has(address) ? {} : slave.chip.files(this.#answers(slave));
      for (const [attribute, file] of Object.entries(chipFiles)) files.set(`${address}/${attribute}`, file);
    }
    return files;
  }

  #isThere({ bus, isGone }: SimulatedSlave): boolean {
    return !isGone && this.#buses.has(bus);
  }

  #thermometers(bus: string): SimulatedSlave[] {
    return [...this.#slaves.values()].filter(
      (slave) => slave.bus === bus && !slave.isGone && slave.chip instanceof SimulatedThermometer,
    );
  }

  #answers({ bus, isSilent }: SimulatedSlave): ReplyState {
    if (this.grounded.has(bus)) return 'zeros';
    if (!isSilent) return 'yes';
    const others = [...this.#slaves.values()].some((slave) => slave.bus === bus && !slave.isSilent);
    return others ? 'no' : 'no device';
  }

  async #measure(slaves: readonly SimulatedSlave[]): Promise<void> {
    this.measuring++;
    this.mostMeasuring = Math.max(this.measuring, this.mostMeasuring);
    await delay(this.#clock, MEASURING_MS);
    this.measuring--;
    for (const slave of slaves) {
      if (slave.chip instanceof SimulatedThermometer) slave.chip.measure();
      slave.hasMeasured = true;
    }
  }

  #room(): number {
    const turn =
      (2 * Math.PI * (this.#clock.nowMs() % ROOM_TEMPERATURE.withinMs)) / ROOM_TEMPERATURE.withinMs;
    return ROOM_TEMPERATURE.celsius + ROOM_TEMPERATURE.by * Math.sin(turn);
  }
}
