import { basename } from 'node:path';
import { coded } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import { type DeviceNode, errno } from '../../../src/device/toolkit/sysfs-class.js';
import type { ReaderContext } from '../channel-reader.js';
import {
  layOut,
  parseElementType,
  readElement,
  TIMESTAMP,
  type ScanElement,
  type ScanLayout,
} from './scan-layout.js';
import { findTrigger, setRate } from './triggers.js';

/** Scans that the kernel keeps until they are read, unless the rate needs more. */
const KEPT_SCANS = 1024;
/** The largest number of scans between two polls: some megabytes in the kernel. */
const SCANS_LIMIT = 16_384;
/** Scans that are read with one call and processed without a pause. */
const SCANS_PER_READ = 512;

/** What starts a scan, and how often. */
export interface ScanSettings {
  /** The name of the trigger in the kernel. */
  readonly trigger: string;
  /** 0 leaves the rate as it is. */
  readonly sampleHz: number;
  /** How often the buffer is read. */
  readonly everyS: number;
}

/** One scan: the readings in the order of the channels, and its time if the kernel has stored it. */
type OnScan = (readings: readonly number[], atNs: bigint | undefined) => void;

/**
 * The buffer of an IIO device (Documentation/driver-api/iio/buffers.rst): the kernel measures when the trigger
 * fires, and keeps the scans. Reading never waits for a scan.
 */
export class ScanBuffer {
  readonly #context: ReaderContext;
  readonly #node: DeviceNode;
  #length = KEPT_SCANS;
  #layout: ScanLayout = { bytes: 1, elements: [] };
  #order: readonly number[] = [];
  #isMonotonic = false;
  #isClosed = false;

  /** Starts scans of these channels (`in_voltage0`). Rejects with a fault, or with the errno of the kernel. */
  static async open(
    context: ReaderContext,
    channels: readonly string[],
    settings: ScanSettings,
  ): Promise<ScanBuffer> {
    const { attributes, device } = context;
    if ((await attributes.list(`${device.path}/buffer`)).length === 0)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`SENSOR_NO_BUFFER: ${device.id} has no buffer; clear Trigger, so that it is polled`,
      );
    // The node first: the kernel allows one reader, and the settings below are that one's.
    const buffer = new ScanBuffer(context, await attributes.openNode(basename(device.path)));
    try {
      await buffer.#start(channels, settings);
      return buffer;
    } catch (thrown) {
      await buffer.close();
      throw thrown;
    }
  }

  private constructor(context: ReaderContext, node: DeviceNode) {
    this.#context = context;
    this.#node = node;
  }

  async #start(channels: readonly string[], { trigger, sampleHz, everyS }: ScanSettings): Promise<void> {
    const { attributes, device } = this.#context;
    // A gateway that was killed has left it enabled.
    await this.#write('buffer/enable', '0');
    const found = await findTrigger(attributes, trigger);
    await this.#write('trigger/current_trigger', found.name);
    if (sampleHz > 0) await setRate(this.#context, found, sampleHz);
    const elements = await this.#enable(channels);
    this.#layout = layOut(elements);
    this.#order = channels.map((channel) =>
      this.#layout.elements.findIndex((one) => one.channel === channel),
    );
    const needed = Math.min(SCANS_LIMIT, Math.max(KEPT_SCANS, 2 * sampleHz * everyS));
    // The kernel rounds it up to a power of two (kfifo_buf.c).
    this.#length = 2 ** Math.ceil(Math.log2(needed));
    if (await attributes.isWritable(`${device.path}/buffer/length`))
      await this.#write('buffer/length', String(this.#length));
    else this.#length = Number(await attributes.read(`${device.path}/buffer/length`));
    this.#isMonotonic = await this.#useMonotonicTime();
    await this.#write('buffer/enable', '1');
  }

  /** Enables the elements of these channels and the time, and disables the others. */
  async #enable(channels: readonly string[]): Promise<ScanElement[]> {
    const { attributes, device } = this.#context;
    const directory = `${device.path}/scan_elements`;
    const all = (await attributes.list(directory)).flatMap((file) => /^(.+)_en$/.exec(file)?.[1] ?? []);
    const missing = channels.find((channel) => !all.includes(channel));
    if (missing !== undefined)
      throw fault(
        'DEVICE_CONFIGURATION',
        coded`SENSOR_NOT_IN_BUFFER: the buffer of ${device.id} has no ${missing}; it has ${all.join(', ')}: remove the channel, or clear Trigger`,
      );
    const enabled: ScanElement[] = [];
    for (const channel of all) {
      const isUsed = channel === TIMESTAMP || channels.includes(channel);
      await this.#write(`scan_elements/${channel}_en`, isUsed ? '1' : '0');
      if (!isUsed) continue;
      const text = await attributes.read(`${directory}/${channel}_type`);
      const type = parseElementType(text);
      if (type === undefined) throw errno('EIO', `${directory}/${channel}_type is ${text.slice(0, 40)}`);
      enabled.push({ channel, index: Number(await attributes.read(`${directory}/${channel}_index`)), type });
    }
    return enabled;
  }

  /** The clock of the scans: the gateway's, which does not step. */
  async #useMonotonicTime(): Promise<boolean> {
    const { attributes, device } = this.#context;
    const file = `${device.path}/current_timestamp_clock`;
    const isThere = await attributes.isWritable(file).catch(() => false); // absent: a device without a time
    if (isThere) await this.#write('current_timestamp_clock', 'monotonic');
    return isThere;
  }

  #write(file: string, text: string): Promise<void> {
    const { attributes, lanes, device } = this.#context;
    return lanes.run(device.bus, () => attributes.write(`${device.path}/${file}`, text));
  }

  /**
   * Reads all scans that the kernel has kept. Resolves with false if some were lost because there were more.
   * Rejects with the errno of the kernel: `ENODEV` if the device is gone.
   */
  async drain(onScan: OnScan): Promise<boolean> {
    const { bytes } = this.#layout;
    const into = new Uint8Array(bytes * SCANS_PER_READ);
    const data = new DataView(into.buffer);
    let scans = 0;
    // Ends even if the kernel measures faster than this loop: the rest is for the next time.
    while (scans < this.#length && !this.#isClosed) {
      const read = await this.#node.read(into);
      if (read % bytes !== 0) throw errno('EIO', `${read} bytes are no complete scans of ${bytes} bytes`);
      for (let at = 0; at < read; at += bytes) this.#pass(data, at, onScan);
      scans += read / bytes;
      if (read < into.length) break;
    }
    return scans < this.#length;
  }

  #pass(data: DataView, at: number, onScan: OnScan): void {
    const { elements } = this.#layout;
    const readings = this.#order.map((n) => {
      const element = elements[n];
      return element === undefined ? NaN : readElement(data, at, element);
    });
    const last = elements.at(-1);
    const hasTime = this.#isMonotonic && last?.channel === TIMESTAMP;
    onScan(readings, hasTime ? data.getBigInt64(at + last.offset, last.type.isLittleEndian) : undefined);
  }

  /** Stops the scans. A second close does nothing. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // The node is last: while it is open no other device has the number.
    await this.#write('buffer/enable', '0').catch(() => undefined); // the device is gone
    await this.#node.close().catch(() => undefined); // the kernel closes it in any case
  }
}
