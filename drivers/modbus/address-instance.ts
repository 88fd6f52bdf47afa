import type { Cancel } from '../../src/base/clock.js';
import { codeOf, fault, isAbort, messageOf } from '../../src/base/fault.js';
import { quality, type Host, type OpenInstance, type Value } from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import { decode, encode, type RegisterLayout } from './codec.js';
import type { ModbusUnit } from './modbus-unit.js';
import {
  factorOf,
  registerCountOf,
  dataTypeOf,
  VALUE_IDENT,
  type AddressProperties,
} from './address-properties.js';
import { coilRequest, readRequest, registerRequest, type ReadCode, type PduRequest } from './pdu.js';

/** The first and the longest pause of an address that gets no answer while its unit gives others: it costs all of them. */
const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 300_000;

/** One value in a unit: read now and then, and when somebody asks; written when somebody wishes it. */
export class ModbusAddress implements OpenInstance {
  readonly #host: Host<AddressProperties>;
  readonly #unit: ModbusUnit;
  readonly #layout: RegisterLayout;
  readonly #ends: Cancel[] = [];
  #cancel: Cancel | undefined;
  #isAway = false;
  #isPolling = false;
  #pauses = 0;
  #pausedUntilNs = 0n;
  /** The code of what is wrong with the value. */
  #wrong: string | undefined;

  constructor(host: Host<AddressProperties>, unit: ModbusUnit) {
    const set = host.properties;
    this.#host = host;
    this.#unit = unit;
    this.#layout = {
      type: dataTypeOf(set),
      registers: registerCountOf(set),
      factor: factorOf(set),
      swapBytes: set.ByteOrder === 1,
      swapWords: unit.swapWords,
    };
    this.#ends.push(unit.onOffline((text) => this.#away(text)));
    if (set.ReadFunctionCode === 0) return;
    // Once at the opening, also where nothing is polled: what is shown shall be what is.
    void this.#poll();
    if (set.Poller > 0) this.#await(set.Poller);
  }

  async write(_ident: string, value: Value): Promise<void> {
    const { ReadFunctionCode, EmulateStatus } = this.#host.properties;
    const { request, written } = this.#wish(value);
    try {
      await this.#unit.execute(request, 'wish', this.#host.signal);
    } catch (thrown) {
      this.#notConfirmed(thrown);
      throw thrown;
    }
    if (ReadFunctionCode === 0 || EmulateStatus) this.#tell(written);
    else void this.#read('wish').catch(() => undefined);
  }

  async refresh(ident: string): Promise<void> {
    if (this.#host.properties.ReadFunctionCode === 0) throw fault('READ_ONLY', `The status of ${ident}`);
    await this.#read('wish');
  }

  async close(): Promise<void> {
    this.#cancel?.();
    for (const end of this.#ends) end();
    await Promise.resolve();
  }

  /** The request for a wish, and the value as the unit will hold it. */
  #wish(value: Value): { readonly request: PduRequest; readonly written: ReturnType<typeof decode> } {
    const { WriteFunctionCode: code, WriteAddress: at } = this.#host.properties;
    switch (code) {
      case 5:
      case 15: {
        const isOn = parseBoolean(value);
        return { request: coilRequest(code, at, isOn), written: isOn };
      }
      case 6:
      case 16: {
        const registers = encode(this.#layout, value);
        return { request: registerRequest(code, at, registers), written: decode(this.#layout, registers) };
      }
      default:
        throw fault('READ_ONLY', VALUE_IDENT);
    }
  }

  /** Whether it was done nobody knows: the unit is asked, if that can be. */
  #notConfirmed(thrown: unknown): void {
    if (codeOf(thrown) !== 'DEVICE_OFFLINE') return;
    const text = 'whether the last command was done is not known: no answer came';
    this.#host.markUncertain(VALUE_IDENT, { state: quality.bad, reason: 'NOT_CONFIRMED', text });
    if (this.#host.properties.ReadFunctionCode !== 0) void this.#read('wish').catch(() => undefined);
  }

  /** Whenever the clock comes to a multiple of the interval: all that have the same are due together, and neighbours asked at once. */
  #await(everyMs: number): void {
    const { clock } = this.#host;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    this.#cancel = clock.after(everyMs - (nowMs % everyMs), () => {
      void this.#poll();
      this.#await(everyMs);
    });
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#host.clock.monotonicNs() < this.#pausedUntilNs) return;
    this.#isPolling = true;
    await this.#read('routine').catch(() => undefined);
    this.#isPolling = false;
  }

  /** Reads and tells; rejects with what kept it from that, which is told too. */
  async #read(manner: 'routine' | 'wish'): Promise<void> {
    const { ReadFunctionCode: code, ReadAddress: at } = this.#host.properties;
    const { registers } = this.#layout;
    try {
      const request = readRequest(code as ReadCode, at, Math.max(1, registers));
      const pdu = await this.#unit.execute(request, manner, this.#host.signal);
      this.#pauses = 0;
      this.#tell(registers === 0 ? ((pdu[2] ?? 0) & 1) === 1 : decode(this.#layout, pdu.subarray(2)));
    } catch (thrown) {
      this.#failed(thrown, manner);
      throw thrown;
    }
  }

  #tell(value: ReturnType<typeof decode>): void {
    if (typeof value === 'object') return this.#doubt('UNREADABLE', value.unreadable);
    this.#fine();
    this.#host.report(VALUE_IDENT, value);
  }

  #away(text: string | undefined): void {
    this.#isAway = text !== undefined;
    this.#fine();
    this.#host.setUnavailable(text);
    // What was read last is from before.
    if (text === undefined && this.#host.properties.ReadFunctionCode !== 0) void this.#poll();
  }

  #failed(thrown: unknown, manner: 'routine' | 'wish'): void {
    // That the unit is away is told by itself, and it is left alone by itself.
    if (isAbort(thrown) || this.#isAway) return;
    const code = codeOf(thrown);
    if (code === 'DEVICE_REFUSED') return this.#doubt('REFUSED', messageOf(thrown));
    if (code !== 'DEVICE_OFFLINE' || manner === 'wish') return;
    this.#doubt('NO_ANSWER', messageOf(thrown));
    const pauseMs = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(this.#pauses, 10));
    this.#pauses += 1;
    this.#pausedUntilNs = this.#host.clock.monotonicNs() + BigInt(pauseMs) * 1_000_000n;
  }

  #doubt(reason: string, text: string): void {
    if (this.#wrong !== reason) this.#fine();
    this.#wrong = reason;
    this.#host.markUncertain(VALUE_IDENT, { state: quality.bad, reason, text });
    this.#host.setProblem(reason, text);
  }

  #fine(): void {
    if (this.#wrong !== undefined) this.#host.setProblem(this.#wrong, undefined);
    this.#wrong = undefined;
  }
}
