import { coded, type Text } from '../../src/base/codes/coded-text.js';
import type { Cancel } from '../../src/base/clock.js';
import { codeOf, fault, isAbort, messageOf } from '../../src/base/fault.js';
import {
  quality,
  type Host,
  type OpenInstance,
  type QualityProblem,
  type Value,
} from '../../src/device/module.js';
import { parseBoolean } from '../../src/device/toolkit/parse-boolean.js';
import { isUnconfirmed } from './bus-scheduler.js';
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
import { ReplyBackoff } from './reply-backoff.js';

/** One value of a unit: polled, read on request, and written by commands. */
export class ModbusAddress implements OpenInstance {
  readonly #host: Host<AddressProperties>;
  readonly #unit: ModbusUnit;
  readonly #layout: RegisterLayout;
  readonly #unsubscribe: Cancel[] = [];
  readonly #backoff: ReplyBackoff;
  #cancel: Cancel | undefined;
  #isOffline = false;
  #isPolling = false;
  /** The code of the current problem of the value. */
  #problem: string | undefined;

  constructor(host: Host<AddressProperties>, unit: ModbusUnit) {
    const properties = host.properties;
    this.#host = host;
    this.#unit = unit;
    this.#backoff = new ReplyBackoff(host.clock);
    this.#layout = {
      type: dataTypeOf(properties),
      registers: registerCountOf(properties),
      factor: factorOf(properties),
      swapBytes: properties.ByteOrder === 1,
      swapWords: unit.swapWords,
    };
    this.#unsubscribe.push(unit.onOffline((text) => this.#setOffline(text)));
    if (properties.ReadFunctionCode === 0) return;
    // Read once when opening, even without polling, so that the value is current.
    void this.#poll();
    if (properties.Poller > 0) this.#schedulePoll(properties.Poller);
  }

  async write(_ident: string, value: Value): Promise<void> {
    const { ReadFunctionCode, EmulateStatus } = this.#host.properties;
    const { request, written } = this.#encodeCommand(value);
    try {
      await this.#unit.execute(request, 'command', this.#host.signal);
    } catch (thrown) {
      this.#handleUnconfirmed(thrown);
      throw thrown;
    }
    if (ReadFunctionCode === 0 || EmulateStatus) this.#reportValue(written);
    else void this.#tryRead('command');
  }

  async refresh(ident: string): Promise<void> {
    if (this.#host.properties.ReadFunctionCode === 0)
      throw fault('NOT_SUPPORTED', coded`WHAT_STATUS: Polling ${ident}`);
    await this.#read('command');
  }

  async close(): Promise<void> {
    this.#cancel?.();
    for (const end of this.#unsubscribe) end();
    await Promise.resolve();
  }

  /** The request for a command, and the value as the unit will store it. */
  #encodeCommand(value: Value): {
    readonly request: PduRequest;
    readonly written: ReturnType<typeof decode>;
  } {
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

  /**
   * Handles a command without a reply, which may or may not have been executed: reads the value, if it can be
   * read.
   */
  #handleUnconfirmed(thrown: unknown): void {
    if (!isUnconfirmed(thrown)) return;
    const text = coded`UNKNOWN_WHETHER_LAST_COMMAND: it is unknown whether the last command was executed: no reply was received`;
    this.#host.markUncertain(VALUE_IDENT, { state: quality.bad, reason: 'NOT_CONFIRMED', text: text.text });
    if (this.#host.properties.ReadFunctionCode !== 0) void this.#tryRead('command');
  }

  /**
   * Polls at multiples of the interval, so that addresses with the same interval are due together and can be
   * coalesced.
   */
  #schedulePoll(everyMs: number): void {
    const { clock } = this.#host;
    const nowMs = Number(clock.monotonicNs() / 1_000_000n);
    this.#cancel = clock.after(everyMs - (nowMs % everyMs), () => {
      void this.#poll();
      this.#schedulePoll(everyMs);
    });
  }

  async #poll(): Promise<void> {
    if (this.#isPolling || this.#backoff.isActive) return;
    this.#isPolling = true;
    const fromNs = this.#host.clock.monotonicNs();
    await this.#tryRead('poll');
    this.#host.recordPoll(fromNs);
    this.#isPolling = false;
  }

  async #tryRead(priority: 'poll' | 'command'): Promise<void> {
    try {
      await this.#read(priority);
    } catch {
      // Reported by #read.
    }
  }

  /** Reads and reports the value; reports a failure and rejects with it. */
  async #read(priority: 'poll' | 'command'): Promise<void> {
    const { ReadFunctionCode: code, ReadAddress: at } = this.#host.properties;
    const { registers } = this.#layout;
    try {
      const request = readRequest(code as ReadCode, at, Math.max(1, registers));
      const pdu = await this.#unit.execute(request, priority, this.#host.signal);
      this.#backoff.reset();
      this.#reportValue(registers === 0 ? ((pdu[2] ?? 0) & 1) === 1 : decode(this.#layout, pdu.subarray(2)));
    } catch (thrown) {
      this.#handleFailure(thrown, priority);
      throw thrown;
    }
  }

  #reportValue(value: ReturnType<typeof decode>): void {
    if (typeof value === 'object') return this.#reportProblem('UNREADABLE', value.unreadable);
    this.#clearProblem();
    this.#host.report(VALUE_IDENT, value);
  }

  #setOffline(text: Text | undefined): void {
    this.#isOffline = text !== undefined;
    this.#backoff.end();
    this.#clearProblem();
    this.#host.setUnavailable(text);
    // The last value is from before the outage.
    if (text === undefined && this.#host.properties.ReadFunctionCode !== 0) void this.#poll();
  }

  #handleFailure(thrown: unknown, priority: 'poll' | 'command'): void {
    // An offline unit is reported, and backed off, by the gateway instance.
    if (isAbort(thrown) || this.#isOffline) return;
    const code = codeOf(thrown);
    if (code === 'DEVICE_REFUSED') return this.#reportProblem('REFUSED', messageOf(thrown));
    if (code !== 'DEVICE_OFFLINE' || priority === 'command') return;
    this.#reportProblem('NO_ANSWER', messageOf(thrown));
    this.#backoff.begin();
  }

  #reportProblem(reason: QualityProblem['reason'], text: Text): void {
    if (this.#problem !== reason) this.#clearProblem();
    this.#problem = reason;
    this.#host.markUncertain(VALUE_IDENT, { state: quality.bad, reason, text: text.toString() });
    this.#host.setProblem(reason, text);
  }

  #clearProblem(): void {
    if (this.#problem !== undefined) this.#host.setProblem(this.#problem, undefined);
    this.#problem = undefined;
  }
}
