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

/** Each takes a tenth of the bus's time at most. */
const MAX_SEND_BYTES = 128;

/** Opens an instance of the module. Nothing is written to the device. */
export async function openDevice(
  host: Host<DeviceProperties>,
  around: OneWireContext,
  bus: OneWireBus,
): Promise<OpenInstance> {
  host.signal.throwIfAborted();
  const release = around.holders.claim(`the 1-Wire device ${host.properties.Address}`, host);
  try {
    const device = new OneWireDevice(host, bus, release);
    device.begin();
    return device;
  } catch (thrown) {
    release();
    throw thrown;
  }
}

/** One device of a bus: asked by the bus, told by whoever wishes something. */
export class OneWireDevice implements OpenInstance, BusMember {
  readonly address: string;
  readonly everyMs: number;
  readonly #host: Host<DeviceProperties>;
  readonly #bus: OneWireBus;
  readonly #release: () => void;
  readonly #complaints: TransientProblems;
  readonly #files: DeviceFiles;
  readonly #family: Family;
  /** Undefined for a family of which only the presence is known. */
  readonly #chip: Chip | undefined;
  #leave: () => void = () => undefined;
  #isThere: boolean | undefined;
  #errors: number;

  constructor(host: Host<DeviceProperties>, bus: OneWireBus, release: () => void) {
    const { Address, EveryS } = host.properties;
    this.#host = host;
    this.#bus = bus;
    this.#release = release;
    this.#complaints = new TransientProblems(host);
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

  setPresent(isThere: boolean): void {
    const wasThere = this.#isThere;
    this.#isThere = isThere;
    if (isThere === wasThere) return;
    if (this.#chip === undefined) return this.#host.report('PRESENT', isThere);
    const away = isThere ? undefined : `the 1-Wire device ${this.address} is not on the bus`;
    this.#host.setProblem('UNAVAILABLE', away);
    this.#host.setUnavailable(away);
    if (isThere && wasThere === false) void this.#bus.requestPoll(this).catch(() => undefined);
  }

  async poll(): Promise<void> {
    if (this.#isThere === true) await this.#look();
  }

  async write(ident: string, value: Value): Promise<void> {
    const { write } = this.#chip ?? {};
    if (write === undefined) throw fault('READ_ONLY', ident);
    await this.#change((chip) => write.call(chip, ident, value));
  }

  /** Asks for all of it, whichever variable is meant. */
  async refresh(): Promise<void> {
    this.#there();
    await this.#waited(this.isSlow ? this.#bus.requestPoll(this) : this.#bus.run(false, () => this.#look()));
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
    const chip = this.#able('OW_SwitchMode', Ds2405, 'a DS2405');
    await this.#change(() => chip.setPin(0, isOn));
  }

  async toggleMode(): Promise<void> {
    const chip = this.#able('OW_ToggleMode', Ds2405, 'a DS2405');
    await this.#change(() => chip.toggle());
  }

  async setPosition(value: number): Promise<void> {
    const chip = this.#able('OW_SetPosition', Ds2890, 'a DS2890');
    await this.#change(() => chip.setPosition(value));
  }

  async setStrobe(isStrobe: boolean): Promise<void> {
    const chip = this.#able('OW_SetStrobe', Ds2408, 'a DS2408');
    await this.#change(() => chip.setStrobe(isStrobe));
  }

  /** Only the bits of `mask` are written. */
  async sendBytes(name: string, bytes: Uint8Array, mask: number): Promise<void> {
    const chip = this.#able(name, Ds2408, 'a DS2408');
    if (bytes.length === 0 || bytes.length > MAX_SEND_BYTES)
      throw fault('CANNOT_CONVERT', 'Data', `it must be 1 to ${MAX_SEND_BYTES} characters`);
    if (!(mask >= 0 && mask <= 255)) throw fault('CANNOT_CONVERT', 'Mask', 'it must be 0 to 255');
    await this.#change(() => chip.sendBytes(bytes, mask));
  }

  async close(): Promise<void> {
    this.#leave();
    this.#complaints.close();
    this.#release();
  }

  /** Throws `NOT_SUPPORTED` where its family has no such function. */
  #able<C extends Chip>(name: string, kind: abstract new (...args: never[]) => C, of: string): C {
    if (this.#chip instanceof kind) return this.#chip;
    throw fault(
      'NOT_SUPPORTED',
      `${name} of the ${this.#family.type} ${this.address} (it is a function of ${of})`,
    );
  }

  #switch(name: string): Switch {
    return this.#able(name, Switch, 'a DS2405, DS2406, DS2408 or DS2413');
  }

  /** Throws `DEVICE_OFFLINE` while the kernel doesn't have it on the bus; gives its chip where it has one. */
  #there(): Chip | undefined {
    if (this.#isThere !== true)
      throw fault('DEVICE_OFFLINE', `the 1-Wire device ${this.address} is not on the bus`);
    return this.#chip;
  }

  /**
   * Does something to the device, and reports how it stands then, also when that failed half way. Whoever wished it was answered when
   * this opening ends: from then on nothing is written.
   */
  async #change(job: (chip: Chip) => Promise<void>): Promise<void> {
    const chip = this.#there();
    if (chip === undefined) return;
    const changing = this.#bus.run(false, async () => {
      this.#host.signal.throwIfAborted();
      try {
        await job(chip);
      } catch (thrown) {
        if (isAbort(thrown)) throw thrown;
        await this.#look().catch(() => undefined);
        throw thrown instanceof Fault ? thrown : await this.#files.mapError(thrown);
      }
      await this.#look();
    });
    await this.#waited(changing);
  }

  async #waited(answer: Promise<void>): Promise<void> {
    try {
      await answer;
    } catch (thrown) {
      throw isAbort(thrown) ? fault('DEVICE_OFFLINE', 'it was closed meanwhile') : thrown;
    }
  }

  async #look(): Promise<void> {
    const host = this.#host;
    try {
      for (const { ident, value, doubt } of (await this.#chip?.read()) ?? []) {
        if (doubt === undefined) host.report(ident, value);
        else {
          host.markUncertain(ident, doubt);
          this.#failed(`${ident}: ${doubt.text}`);
        }
      }
    } catch (thrown) {
      if (isAbort(thrown)) throw thrown;
      const failed = thrown instanceof Fault ? thrown : await this.#files.mapError(thrown);
      // Where the kernel has noticed that it went, that is all there is to say.
      if (failed.code === 'DEVICE_OFFLINE')
        await this.#bus.probe().catch((gone: unknown) => host.reportLost(gone));
      if (this.#isThere === true) this.#unknown(messageOf(failed));
      throw failed;
    }
  }

  #unknown(text: string): void {
    const { Address, EveryS } = this.#host.properties;
    const doubt = { state: quality.bad, reason: 'NO_ANSWER', text } as const;
    for (const { ident } of variablesOf(Address, EveryS))
      if (ident !== 'ERRORS') this.#host.markUncertain(ident, doubt);
    this.#failed(text);
  }

  #failed(text: string): void {
    this.#host.report('ERRORS', ++this.#errors);
    this.#complaints.add('READING', () => text);
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
