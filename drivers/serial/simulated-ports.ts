import { fault } from '../../src/base/fault.js';
import { Signal } from '../../src/base/signal.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import {
  DEFAULT_LINES,
  parseUsbName,
  type ControlLines,
  type OpenPort,
  type PortListener,
  type PortSettings,
  type SerialPorts,
  type UsbName,
} from './port.js';

/** A device at the far end of a wire: what it gets can be read, what it sends arrives at whoever holds the port. */
export class SimulatedPeer {
  readonly path: string;
  readonly usb: UsbName;
  /** What arrived here, as it arrives. */
  readonly onReceived = new Signal<Buffer>();
  /** How the control lines of the port look from here. */
  lines: ControlLines = { brk: false, dtr: false, rts: false };
  /** The speed and format that the port was opened with, while it is open. */
  settings: PortSettings | undefined;
  /** True while it does not read: what is sent to it waits in the port. */
  isStalled = false;
  #received: Buffer[] = [];
  #listener: PortListener | undefined;

  constructor(path: string, usb: UsbName) {
    this.path = path;
    this.usb = usb;
  }

  /** All that arrived here since the last call. */
  takeReceived(): Buffer {
    const all = Buffer.concat(this.#received);
    this.#received = [];
    return all;
  }

  /** Sends to the port; nobody listens to a closed one. */
  send(bytes: Uint8Array | string): void {
    const buffer = typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : Buffer.from(bytes);
    if (buffer.length > 0) this.#listener?.onData(buffer);
  }

  /** For the port's side only. */
  receive(bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes);
    this.#received.push(buffer);
    this.onReceived.emit(buffer);
  }

  /** For the port's side only. */
  attach(listener: PortListener | undefined): PortListener | undefined {
    const before = this.#listener;
    this.#listener = listener;
    return before;
  }
}

const NO_USB: UsbName = { vendor: '', product: '', serial: '' };

/** Ports with devices at their far ends: adapters are plugged in and torn out, others hold ports or lack the right. */
export class SimulatedPorts implements SerialPorts {
  readonly #plugged = new Map<string, SimulatedPeer>();
  readonly #open = new Map<string, SimulatedPort>();
  /** Paths that another program has open. */
  readonly inUse = new Set<string>();
  /** Paths that we have no right to. */
  readonly forbidden = new Set<string>();

  get openCount(): number {
    return this.#open.size;
  }

  /** Plugs a device in at a path. */
  plug(path: string, usb: UsbName = NO_USB): SimulatedPeer {
    const device = new SimulatedPeer(path, usb);
    this.#plugged.set(path, device);
    return device;
  }

  /** Tears out what is plugged in there; `silently`, the port does not say so, it only falls silent. */
  unplug(path: string, manner: 'loud' | 'silent' = 'loud'): void {
    const device = this.#plugged.get(path);
    this.#plugged.delete(path);
    const listener = device?.attach(undefined);
    const port = this.#open.get(path);
    this.#open.delete(path);
    port?.fail();
    if (manner === 'loud') listener?.onLost(portGone(path));
  }

  async open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort> {
    await Promise.resolve();
    const device = this.#locate(where);
    const { path } = device;
    if (this.forbidden.has(path)) throw fault('DEVICE_OFFLINE', `${path}: permission denied`);
    if (this.inUse.has(path) || this.#open.has(path)) {
      throw fault('DEVICE_OFFLINE', `${path} is in use by another program`);
    }
    device.attach(listener);
    device.settings = settings;
    const port = new SimulatedPort(device, () => {
      if (this.#open.get(path) === port) this.#open.delete(path);
    });
    this.#open.set(path, port);
    return port;
  }

  #locate(where: string): SimulatedPeer {
    const usb = parseUsbName(where);
    const fitting = [...this.#plugged.values()].filter((device) =>
      usb === undefined ? device.path === where : matchesUsb(device.usb, usb),
    );
    const [only] = fitting;
    if (only === undefined) throw fault('DEVICE_OFFLINE', `${where} is not there; plug it in`);
    if (fitting.length > 1) throw fault('DEVICE_OFFLINE', `${where} fits ${fitting.length} adapters`);
    return only;
  }
}

class SimulatedPort implements OpenPort {
  readonly path: string;
  readonly #device: SimulatedPeer;
  readonly #released: () => void;
  readonly #turn = new SerialQueue();
  readonly #ended = Promise.withResolvers<never>();
  #state: 'open' | 'gone' | 'closed' = 'open';

  constructor(device: SimulatedPeer, released: () => void) {
    this.path = device.path;
    this.#device = device;
    this.#released = released;
    device.lines = DEFAULT_LINES;
    this.#ended.promise.catch(() => undefined);
  }

  fail(): void {
    if (this.#state !== 'open') return;
    this.#state = 'gone';
    this.#ended.reject(portGone(this.path));
  }

  async send(bytes: Uint8Array): Promise<void> {
    await this.#turn.run(async () => {
      this.#check();
      if (this.#device.isStalled) await this.#ended.promise;
      this.#device.receive(bytes);
    });
  }

  async setLines(lines: Partial<ControlLines>): Promise<void> {
    await Promise.resolve();
    this.#check();
    this.#device.lines = { ...this.#device.lines, ...lines };
  }

  async checkPresent(): Promise<void> {
    await Promise.resolve();
    this.#check();
  }

  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#device.attach(undefined);
      this.#device.settings = undefined;
      this.#device.lines = { brk: false, dtr: false, rts: false };
    }
    this.#state = 'closed';
    this.#ended.reject(portClosed(this.path));
    this.#released();
    await Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #check(): void {
    if (this.#state === 'closed') throw portClosed(this.path);
    if (this.#state === 'gone') throw portGone(this.path);
  }
}

function matchesUsb(have: UsbName, wanted: UsbName): boolean {
  return (
    have.vendor === wanted.vendor &&
    have.product === wanted.product &&
    (wanted.serial === '' || have.serial === wanted.serial)
  );
}

function portClosed(path: string): Error {
  return new DOMException(`${path} was closed`, 'AbortError');
}

function portGone(path: string): Error {
  return fault('DEVICE_OFFLINE', `${path} is gone; plug it in again`);
}
