import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import type { Cancel } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import {
  quality,
  variableType,
  type Host,
  type OpenInstance,
  type Value,
} from '../../../src/device/module.js';
import { MeterCounts } from '../../../src/device/toolkit/meter-counts.js';
import { isUnconfirmed } from '../bus-scheduler.js';
import type { MapBlock, MapValue, MapWrite, RegisterMap } from '../maps/register-map.js';
import type { ModbusUnit } from '../modbus-unit.js';
import { readRequest } from '../pdu.js';
import { readsOf, type BlockRead } from './block-reads.js';
import type { MappedProperties } from './mapped-device.js';
import { PolledRead, type ReadPriority } from './polled-read.js';
import { findModels, noModels } from './sunspec-models.js';
import { decodeValue, encodeCommand, type Decoded } from './value-codec.js';

/** How long a unit without the models of a block is not searched again: that takes several reads. */
const SEARCH_INTERVAL_NS = 60_000_000_000n;

/** A device whose registers a map describes: its blocks are polled, and commands are written. */
export class MappedInstance implements OpenInstance {
  readonly #host: Host<MappedProperties>;
  readonly #unit: ModbusUnit;
  readonly #counts: MeterCounts;
  readonly #reads: readonly PolledRead[];
  readonly #timers = new Map<number, Cancel>();
  readonly #unsubscribe: Cancel;
  /** The exponents of the scale factors that were read last. */
  readonly #scales = new Map<string, number>();
  /** The SunSpec models of the device; read before the first block that needs them. */
  #models: Promise<ReadonlyMap<number, number> | undefined> | undefined;
  /** When the last search for them began. */
  #searchedNs = 0n;

  constructor(host: Host<MappedProperties>, unit: ModbusUnit, map: RegisterMap) {
    this.#host = host;
    this.#unit = unit;
    const counters = new Set(
      map.blocks.flatMap(({ values }) =>
        values.filter(({ declaration }) => declaration.counter === true).map(({ ident }) => ident),
      ),
    );
    this.#counts = new MeterCounts(host, (ident) => counters.has(ident));
    this.#reads = map.blocks
      .flatMap((block) => readsOf(map, block))
      .map((read) => new PolledRead(host, read, (priority) => this.#read(read, priority)));
    this.#unsubscribe = unit.onOffline((text) => this.#setOffline(text));
    for (const read of this.#reads) void read.poll();
    for (const everyMs of new Set(map.blocks.map((block) => block.everyMs))) this.#schedule(everyMs);
  }

  async write(ident: string, value: Value): Promise<void> {
    const polled = this.#readOf(ident);
    const mapped = polled?.read.values.find((one) => one.ident === ident);
    if (polled === undefined || mapped?.write === undefined) throw fault('READ_ONLY', ident);
    // The scale factor must be known before a number can be written.
    if (mapped.scaleAt !== undefined && !this.#scales.has(ident)) await polled.run('command');
    const request = encodeCommand(mapped as MapValue & { readonly write: MapWrite }, value, {
      base: await this.#baseOf(polled.read.block, 'command'),
      scale: this.#scales.get(ident),
    });
    try {
      await this.#unit.execute(request, 'command', this.#host.signal);
    } catch (thrown) {
      if (isUnconfirmed(thrown)) {
        const text = coded`UNKNOWN_WHETHER_LAST_COMMAND: it is unknown whether the last command was executed: no reply was received`;
        this.#host.markUncertain(ident, { state: quality.bad, reason: 'NOT_CONFIRMED', text: text.text });
        void polled.tryRun('command');
      }
      throw thrown;
    }
    void polled.tryRun('command');
  }

  async refresh(ident: string): Promise<void> {
    await this.#readOf(ident)?.run('command');
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers.values()) cancel();
    this.#unsubscribe();
    this.#counts.close();
    await Promise.resolve();
  }

  #readOf(ident: string): PolledRead | undefined {
    return this.#reads.find(({ read }) => read.values.some((one) => one.ident === ident));
  }

  /** Polls at multiples of the interval, so that requests that are due together can be combined. */
  #schedule(everyMs: number): void {
    const { clock } = this.#host;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    const cancel = clock.after(everyMs - (nowMs % everyMs), () => {
      for (const one of this.#reads) if (one.read.block.everyMs === everyMs) void one.poll();
      this.#schedule(everyMs);
    });
    this.#timers.set(everyMs, cancel);
  }

  #setOffline(text: Text | undefined): void {
    for (const read of this.#reads) read.setOffline(text !== undefined);
    this.#host.setUnavailable(text);
    // The device may have been replaced.
    this.#models = undefined;
    // The last values are from before the outage.
    if (text === undefined) for (const read of this.#reads) void read.poll();
  }

  /** Reads the values of one request and reports them. */
  async #read(read: BlockRead, priority: ReadPriority): Promise<void> {
    const base = await this.#baseOf(read.block, priority);
    const request = readRequest(read.block.code, base + read.at, read.count);
    const pdu = await this.#unit.execute(request, priority, this.#host.signal);
    const data = pdu.subarray(2);
    const decoded = read.values.map(
      (value) => [value, asDeclared(value, this.#decode(read, value, data))] as const,
    );
    this.#counts.report(
      decoded.flatMap(([{ ident }, value]) =>
        typeof value === 'object' ? [] : [{ ident, value, resolution: 0 }],
      ),
    );
    for (const [{ ident }, value] of decoded)
      if (typeof value === 'object')
        this.#host.markUncertain(ident, {
          state: quality.bad,
          reason: 'UNREADABLE',
          text: value.unreadable.toString(),
        });
  }

  #decode(read: BlockRead, value: MapValue, data: Buffer): Decoded {
    if (value.layout === undefined) {
      const index = value.at - read.at;
      const bit = ((data[index >> 3] ?? 0) >> (index & 7)) & 1;
      return decodeValue(value, Buffer.from([bit]), undefined);
    }
    const registers = (at: number, count: number) =>
      data.subarray(2 * (at - read.at), 2 * (at - read.at + count));
    if (value.scaleAt === undefined) return decodeValue(value, registers(value.at, value.length), undefined);
    const scale = registers(value.scaleAt, 1).readInt16BE();
    this.#scales.set(value.ident, scale);
    return decodeValue(value, registers(value.at, value.length), scale);
  }

  /** What is added to the addresses of a block: the start of its SunSpec model, or 0. */
  async #baseOf({ models }: MapBlock, priority: ReadPriority): Promise<number> {
    if (models.length === 0) return 0;
    const nowNs = this.#host.clock.monotonicNs();
    if (this.#models === undefined) this.#searchedNs = nowNs;
    const searching = (this.#models ??= findModels(this.#unit, { priority, signal: this.#host.signal }));
    const forget = () => {
      if (this.#models === searching) this.#models = undefined;
    };
    const found = await searching.catch((thrown: unknown) => {
      forget();
      throw thrown;
    });
    const base = models.map((model) => found?.get(model)).find((at) => at !== undefined);
    if (base !== undefined) return base;
    // SunSpec may be switched on later.
    if (nowNs - this.#searchedNs >= SEARCH_INTERVAL_NS) forget();
    throw noModels(models);
  }
}

/** A serial number may be a number in the registers; its variable is a text. */
function asDeclared({ declaration }: MapValue, decoded: Decoded): Decoded {
  return declaration.type === variableType.string && typeof decoded === 'number' ? String(decoded) : decoded;
}
