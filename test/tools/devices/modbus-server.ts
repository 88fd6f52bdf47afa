import { once } from 'node:events';
import { ServerSerial, ServerTCP, type IServiceVector } from 'modbus-serial';
import { reservePort } from '../reserve-port.js';

/** A unit of another implementation of the protocol, the package modbus-serial. */
export class ModbusServer {
  readonly coils = new Map<number, boolean>();
  readonly inputs = new Map<number, boolean>();
  readonly holding = new Map<number, number>();
  readonly input = new Map<number, number>();
  readonly #unit: number;

  constructor(unit: number) {
    this.#unit = unit;
  }

  /** Sets holding registers, given as hexadecimal digits. */
  setHolding(at: number, digits: string): void {
    const bytes = Buffer.from(digits.replaceAll(' ', ''), 'hex');
    for (let index = 0; index < bytes.length; index += 2)
      this.holding.set(at + index / 2, bytes.readUInt16BE(index));
  }

  /** The holding registers as hexadecimal digits. */
  getHolding(at: number, count: number): string {
    const words = Array.from({ length: count }, (_, index) => this.holding.get(at + index) ?? 0);
    return words.map((word) => word.toString(16).padStart(4, '0')).join('');
  }

  /** Serves Modbus TCP on a port of 127.0.0.1. */
  async serveTcp(): Promise<AsyncDisposable & { readonly port: number }> {
    const port = await reservePort();
    const server = new ServerTCP(this.#vector(), { host: '127.0.0.1', port, unitID: this.#unit });
    await once(server, 'initialized');
    return {
      port,
      [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
    };
  }

  /** Serves Modbus RTU on a serial line. */
  async serveRtu(path: string): Promise<AsyncDisposable> {
    const options = { path, baudRate: 19_200, unitID: this.#unit };
    const server = new ServerSerial(this.#vector(), options);
    await once(server, 'initialized');
    return { [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())) };
  }

  #vector(): IServiceVector {
    const from =
      <T>(values: Map<number, T>) =>
      async (at: number): Promise<T> => {
        const value = values.get(at);
        if (value === undefined) throw Object.assign(new Error('nothing there'), { modbusErrorCode: 2 });
        return value;
      };
    return {
      getCoil: from(this.coils),
      getDiscreteInput: from(this.inputs),
      getHoldingRegister: from(this.holding),
      getInputRegister: from(this.input),
      setCoil: async (at: number, isOn: boolean) => void this.coils.set(at, isOn),
      setRegister: async (at: number, value: number) => void this.holding.set(at, value),
    };
  }
}
