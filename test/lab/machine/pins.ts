/**
 * The pins of the machine's PL061 GPIO controller, read and driven from outside the machine through qemu's
 * qtest socket, like wires soldered to them.
 */
import { connect, Wire } from './wire.js';
import type { Qmp } from './qmp.js';

const ANSWER_LIMIT_MS = 10_000;
const IRQ_LINE = /^IRQ (raise|lower) (\d+)$/;

/** Called when the machine changed an output pin. */
export type PinListener = (pin: number, high: boolean) => void;

/** Pins 0 to 7; pin 3 is the machine's power button. */
export class Pins implements Disposable {
  readonly #wire: Wire;
  readonly #controller: string;
  readonly #levels = new Map<number, boolean>();
  readonly #listeners: Set<PinListener>;

  private constructor(wire: Wire, controller: string, listeners: Set<PinListener>) {
    this.#wire = wire;
    this.#controller = controller;
    this.#listeners = listeners;
    listeners.add((pin, high) => this.#levels.set(pin, high));
  }

  static async open(path: string, qmp: Qmp): Promise<Pins> {
    const devices = (await qmp.execute('qom-list', { path: '/machine/unattached' })) as {
      name: string;
      type: string;
    }[];
    const device = devices.find(({ type }) => type === 'child<pl061>');
    if (!device) throw new Error('this machine has no PL061');
    const controller = `/machine/unattached/${device.name}`;
    const listeners = new Set<PinListener>();
    const unsolicited = (line: string): boolean => {
      const [, edge, pin] = IRQ_LINE.exec(line) ?? [];
      if (edge === undefined) return false;
      for (const listener of listeners) listener(Number(pin), edge === 'raise');
      return true;
    };
    const wire = new Wire(await connect(path), unsolicited);
    const pins = new Pins(wire, controller, listeners);
    await pins.#request(`irq_intercept_out ${controller}`);
    return pins;
  }

  async #request(line: string): Promise<string> {
    const reply = await this.#wire.request(line, ANSWER_LIMIT_MS);
    if (!reply.startsWith('OK')) throw new Error(`qtest ${line}: ${reply}`);
    return reply.slice('OK'.length).trim();
  }

  /** The 32-bit word at an address of the machine. */
  async word(address: number): Promise<number> {
    return Number(await this.#request(`readl 0x${address.toString(16)}`));
  }

  /** Drives an input pin. */
  async drive(pin: number, high: boolean): Promise<void> {
    await this.#request(`set_irq_in ${this.#controller} unnamed-gpio-in ${pin} ${high ? 1 : 0}`);
  }

  /** The last known level of an output pin; `undefined` if it has not changed since this was opened. */
  level(pin: number): boolean | undefined {
    return this.#levels.get(pin);
  }

  /** Calls the listener for every change of an output pin, until the returned function is called. */
  watch(listener: PinListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
  }
}
