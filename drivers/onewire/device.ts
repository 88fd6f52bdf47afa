import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { Fault, fault, isAbort, messageOf } from '../../src/base/fault.js';
import { withDebugOutput } from '../../src/device/toolkit/sysfs-class.js';
import { TransientProblems } from '../../src/device/toolkit/transient-problems.js';
import { type Host, quality, type OpenInstance, type Value } from '../../src/device/module.js';
import type { OneWireBus, BusMember } from './bus.js';
import type { Chip } from './chip.js';
import { type Family, familyOf, variablesOf } from './families.js';
import { DeviceFiles } from './w1-files.js';
import type { DeviceProperties, OneWireContext } from './index.js';
import { Ds2423, Ds2438, Ds2890 } from './meters.js';
import { Ds2405, Ds2406, Ds2408, Ds2413, Switch } from './switch.js';
import { Thermometer } from './thermometer.js';

/** Largest number of bytes per call: they occupy the bus for at most 0.1 s. */
const MAX_SEND_BYTES = 128;

/** Opens an instance of **1-Wire Device**. Nothing is written to the device. */
export async function openDevice(
  host: Host<DeviceProperties>,
  context: OneWireContext,
  bus: OneWireBus,
): Promise<OpenInstance> {
  host.signal.throwIfAborted();
  return context.holders.open(
    coded`N1_WIRE_DEVICE: the 1-Wire device ${host.properties.Address}`,
    host,
    async (release) => {
      const device = new OneWireDevice(host, bus, release);
      device.begin();
      return device;
    },
  );
}

/** One device of a bus: polled by the bus, and written by commands. */
export class OneWireDevice implements OpenInstance, BusMember {
  readonly address: string;
  readonly everyMs: number;
  readonly #host: Host<DeviceProperties>;
  readonly #bus: OneWireBus;
  readonly #release: () => void;
  readonly #problems: TransientProblems;
  readonly #files: DeviceFiles;
  readonly #family: Family;
  /** Undefined for a family of which only the presence is reported. */
  readonly #chip: Chip | undefined;
  #leave: () => void = () => undefined;
  #isPresent: boolean | undefined;
  #errors: number;

  constructor(host: Host<DeviceProperties>, bus: OneWireBus, release: () => void) {
    const { Address, EveryS } = host.properties;
    this.#host = host;
    this.#bus = bus;
    this.#release = release;
    this.#problems = new TransientProblems(host);
    this.#files = new DeviceFiles(withDebugOutput(host, bus.attributes), Address, host.signal);
    this.#family = familyOf(Address);
    this.#chip = createChip(this.#family, this.#files);
    this.address = Address;
    this.everyMs = EveryS * 1000;
    const errors = host.lastValue('ERRORS');
    this.#errors = typeof errors === 'number' ? errors : 0;
  }

  get id(): number {
    return this.#host.id;
  }

  get isSlow(): boolean {
    return this.#chip?.isSlow === true;
  }

  begin(): void {
    if (this.#chip !== undefined) this.#host.report('ERRORS', this.#errors);
    this.#leave = this.#bus.join(this);
  }

  setPresent(isPresent: boolean): void {
    const wasPresent = this.#isPresent;
    this.#isPresent = isPresent;
    if (isPresent === wasPresent) return;
    if (this.#chip === undefined) return this.#host.report('PRESENT', isPresent);
    const away = isPresent
      ? undefined
      : coded`ONE_WIRE_DEVICE_ABSENT: the 1-Wire device ${this.address} is not on the bus`;
    this.#host.setProblem('UNAVAILABLE', away);
    this.#host.setUnavailable(away);
    if (isPresent && wasPresent === false) void this.#bus.requestPoll(this).catch(() => undefined); // the poll reports it
  }

  async poll(): Promise<void> {
    if (this.#isPresent !== true) return;
    const fromNs = this.#host.clock.monotonicNs();
    try {
      await this.#readAndReport();
    } finally {
      this.#host.recordPoll(fromNs);
    }
  }

  async write(ident: string, value: Value): Promise<void> {
    const { write } = this.#chip ?? {};
    if (write === undefined) throw fault('READ_ONLY', ident);
    await this.#change((chip) => write.call(chip, ident, value));
  }

  /** Reads all variables of the device. */
  async refresh(): Promise<void> {
    this.#requirePresent();
    await this.#mapAbort(
      this.isSlow ? this.#bus.requestPoll(this) : this.#bus.run(false, () => this.#readAndReport()),
    );
  }

  async setPin(pin: number, isOn: boolean): Promise<void> {
    const chip = this.#switch('OW_SetPin');
    await this.#change(() => chip.setPin(pin, isOn));
  }

  async setPort(value: number): Promise<void> {
    const chip = this.#switch('OW_SetPort');
    await this.#change(() => chip.setPort(value));
  }

  async setMode(isOn: boolean): Promise<void> {
    const chip = this.#requireChip('OW_SwitchMode', Ds2405, 'a DS2405');
    await this.#change(() => chip.setPin(0, isOn));
  }

  async toggleMode(): Promise<void> {
    const chip = this.#requireChip('OW_ToggleMode', Ds2405, 'a DS2405');
    await this.#change(() => chip.toggle());
  }

  async setPosition(value: number): Promise<void> {
    const chip = this.#requireChip('OW_SetPosition', Ds2890, 'a DS2890');
    await this.#change(() => chip.setPosition(value));
  }

  async setStrobe(isStrobe: boolean): Promise<void> {
    const chip = this.#requireChip('OW_SetStrobe', Ds2408, 'a DS2408');
    await this.#change(() => chip.setStrobe(isStrobe));
  }

  /** Writes only the bits of `mask`. */
  async sendBytes(name: string, bytes: Uint8Array, mask: number): Promise<void> {
    const chip = this.#requireChip(name, Ds2408, 'a DS2408');
    if (bytes.length === 0 || bytes.length > MAX_SEND_BYTES)
      throw fault(
        'CANNOT_CONVERT',
        'Data',
        coded`RANGE_CHARACTERS: it must be 1 to ${MAX_SEND_BYTES} characters`,
      );
    if (!(mask >= 0 && mask <= 255))
      throw fault('CANNOT_CONVERT', 'Mask', coded`RANGE_0_255: it must be 0 to 255`);
    await this.#change(() => chip.sendBytes(bytes, mask));
  }

  async close(): Promise<void> {
    this.#leave();
    this.#problems.close();
    this.#release();
  }

  /** Returns the chip if its family has the function; otherwise throws `NOT_SUPPORTED`. */
  #requireChip<C extends Chip>(name: string, kind: abstract new (...args: never[]) => C, of: Text): C {
    if (this.#chip instanceof kind) return this.#chip;
    throw fault(
      'NOT_SUPPORTED',
      coded`NOT_SUPPORTED_BY_DEVICE: ${name} on the ${this.#family.type} ${this.address} (it requires ${of})`,
    );
  }

  #switch(name: string): Switch {
    return this.#requireChip(
      name,
      Switch,
      coded`DS2405_DS2406_DS2408_DS2413: a DS2405, DS2406, DS2408 or DS2413`,
    );
  }

  /**
   * Returns the chip, if the family has one. Throws `DEVICE_OFFLINE` while the kernel does not list the
   * device on the bus.
   */
  #requirePresent(): Chip | undefined {
    if (this.#isPresent !== true)
      throw fault(
        'DEVICE_OFFLINE',
        coded`ONE_WIRE_DEVICE_ABSENT: the 1-Wire device ${this.address} is not on the bus`,
      );
    return this.#chip;
  }

  /**
   * Changes the device and reports the resulting state, even after a partial failure. Nothing is written
   * after the instance closes: the caller has received an error by then.
   */
  async #change(job: (chip: Chip) => Promise<void>): Promise<void> {
    const chip = this.#requirePresent();
    if (chip === undefined) return;
    const changing = this.#bus.run(false, async () => {
      this.#host.signal.throwIfAborted();
      try {
        await job(chip);
      } catch (thrown) {
        if (isAbort(thrown)) throw thrown;
        await this.#readAndReport().catch(() => undefined); // reported; the caller gets the first failure
        throw thrown instanceof Fault ? thrown : await this.#files.mapError(thrown);
      }
      await this.#readAndReport();
    });
    await this.#mapAbort(changing);
  }

  async #mapAbort(answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (thrown) {
      throw isAbort(thrown) ? fault('DEVICE_OFFLINE', coded`DEVICE_CLOSED: the device was closed`) : thrown;
    }
  }

  async #readAndReport(): Promise<void> {
    const host = this.#host;
    try {
      for (const { ident, value, problem } of (await this.#chip?.read()) ?? []) {
        if (problem === undefined) host.report(ident, value);
        else {
          host.markUncertain(ident, problem);
          this.#countError(`${ident}: ${problem.text}`);
        }
      }
    } catch (thrown) {
      if (isAbort(thrown)) throw thrown;
      const failed = thrown instanceof Fault ? thrown : await this.#files.mapError(thrown);
      // If the kernel has noticed that the device is gone, the offline state says it all.
      if (failed.code === 'DEVICE_OFFLINE')
        await this.#bus.probe().catch((gone: unknown) => host.reportLost(gone));
      if (this.#isPresent === true) this.#markAllBad(messageOf(failed));
      throw failed;
    }
  }

  #markAllBad(text: string): void {
    const { Address, EveryS } = this.#host.properties;
    const problem = { state: quality.bad, reason: 'NO_ANSWER', text } as const;
    for (const { ident } of variablesOf(Address, EveryS))
      if (ident !== 'ERRORS') this.#host.markUncertain(ident, problem);
    this.#countError(text);
  }

  #countError(text: string): void {
    this.#host.report('ERRORS', ++this.#errors);
    this.#problems.add('READING', () => text);
  }
}

function createChip(family: Family, files: DeviceFiles): Chip | undefined {
  switch (family.kind) {
    case 'thermometer':
      return new Thermometer(files);
    case 'switch':
      return createSwitch(family, files);
    case 'counter':
      return new Ds2423(files);
    case 'monitor':
      return new Ds2438(files);
    case 'potentiometer':
      return new Ds2890(files);
    case 'other':
      return undefined;
  }
}

function createSwitch({ type }: Family, files: DeviceFiles): Switch {
  switch (type) {
    case 'DS2405':
      return new Ds2405(files);
    case 'DS2406':
      return new Ds2406(files);
    case 'DS2408':
      return new Ds2408(files);
    default:
      return new Ds2413(files);
  }
}
