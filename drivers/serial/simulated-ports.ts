import { fault } from '../../src/base/fault.js';
import { Signal } from '../../src/base/signal.js';
import { SerialQueue } from '../../src/base/serial-queue.js';
import type { SerialPeer } from '../../src/device/simulation/simulated-device.js';
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

/**
 * The simulated device at the other end of a serial line. Tests read what it receives, and send from it to
 * the open port.
 */
export class SimulatedPeer implements SerialPeer {
  readonly path: string;
  readonly usb: UsbName;
  /** Emits received bytes. */
  readonly onReceived = new Signal<Buffer>();
  readonly onOpened = new Signal<boolean>();
  /** State of the control lines of the port. */
  lines: ControlLines = { brk: false, dtr: false, rts: false };
  /** Whether the driver of the port has a mode for RS-485. */
  hasDirectionControl = false;
  /** Settings of the port while it is open. */
  settings: PortSettings | undefined;
  /** If true, the peer reads nothing, and `send` of the port waits. */
  isStalled = false;
  #received: Buffer[] = [];
  #listener: PortListener | undefined;

  constructor(path: string, usb: UsbName) {
    this.path = path;
    this.usb = usb;
  }

  /** Returns all bytes received since the last call. */
  takeReceived(): Buffer {
    const all = Buffer.concat(this.#received);
    this.#received = [];
    return all;
  }

  /** Sends to the port; discarded if the port is closed. */
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
    this.onOpened.emit(listener !== undefined);
    return before;
  }
}

const NO_USB: UsbName = { vendor: '', product: '', serial: '' };

/**
 * Simulated ports and their peers: adapters can be plugged in and unplugged, be in use by others, or lack
 * permissions.
 */
export class SimulatedPorts implements SerialPorts {
  readonly #peers = new Map<string, SimulatedPeer>();
  readonly #open = new Map<string, SimulatedPort>();
  /** Paths that are in use by another program. */
  readonly inUse = new Set<string>();
  /** Paths that the process may not open. */
  readonly forbidden = new Set<string>();

  get openCount(): number {
    return this.#open.size;
  }

  /** Plugs in a device and returns the peer at the other end. */
  plug(path: string, usb: UsbName = NO_USB): SimulatedPeer {
    const device = new SimulatedPeer(path, usb);
    this.#peers.set(path, device);
    return device;
  }

  /** Unplugs a device. If that is not reported, the port only stops receiving. */
  unplug(path: string, { isReported = true } = {}): void {
    const device = this.#peers.get(path);
    this.#peers.delete(path);
    const listener = device?.attach(undefined);
    const port = this.#open.get(path);
    this.#open.delete(path);
    port?.fail();
    if (isReported) listener?.onLost(portGone(path));
  }

  async open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort> {
    await Promise.resolve();
    const device = this.#locate(where);
    const { path } = device;
    if (this.forbidden.has(path)) throw fault('DEVICE_OFFLINE', `${path}: permission denied`);
    if (this.inUse.has(path) || this.#open.has(path)) {
      throw fault('DEVICE_OFFLINE', `${path} is in use by another program`);
    }
    if (settings.directionControl !== undefined && !device.hasDirectionControl)
      throw fault('DEVICE_CONFIGURATION', `${path} cannot switch the direction of RS-485`);
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
    const matching = [...this.#peers.values()].filter((device) =>
      usb === undefined ? device.path === where : matchesUsb(device.usb, usb),
    );
    const [only] = matching;
    if (only === undefined) throw fault('DEVICE_OFFLINE', `${where} does not exist; plug it in`);
    if (matching.length > 1) throw fault('DEVICE_OFFLINE', `${where} matches ${matching.length} adapters`);
    return only;
  }
}

class SimulatedPort implements OpenPort {
  readonly path: string;
  readonly #device: SimulatedPeer;
  readonly #onRelease: () => void;
  readonly #queue = new SerialQueue();
  readonly #ended = Promise.withResolvers<never>();
  #state: 'open' | 'gone' | 'closed' = 'open';

  constructor(device: SimulatedPeer, onRelease: () => void) {
    this.path = device.path;
    this.#device = device;
    this.#onRelease = onRelease;
    device.lines = DEFAULT_LINES;
    this.#ended.promise.catch(() => undefined); // nobody may be waiting for it
  }

  fail(): void {
    if (this.#state !== 'open') return;
    this.#state = 'gone';
    this.#ended.reject(portGone(this.path));
  }

  async send(bytes: Uint8Array): Promise<void> {
    await this.#queue.run(async () => {
      this.#requireOpen();
      if (this.#device.isStalled) await this.#ended.promise;
      this.#device.receive(bytes);
    });
  }

  async setLines(lines: Partial<ControlLines>): Promise<void> {
    await Promise.resolve();
    this.#requireOpen();
    this.#device.lines = { ...this.#device.lines, ...lines };
  }

  async changeBaudRate(baudRate: number): Promise<void> {
    await this.#queue.run(async () => {
      this.#requireOpen();
      if (this.#device.settings !== undefined) this.#device.settings = { ...this.#device.settings, baudRate };
    });
  }

  async checkPresent(): Promise<void> {
    await Promise.resolve();
    this.#requireOpen();
  }

  async close(): Promise<void> {
    if (this.#state === 'open') {
      this.#device.attach(undefined);
      this.#device.settings = undefined;
      this.#device.lines = { brk: false, dtr: false, rts: false };
    }
    this.#state = 'closed';
    this.#ended.reject(portClosed(this.path));
    this.#onRelease();
    await Promise.resolve();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #requireOpen(): void {
    if (this.#state === 'closed') throw portClosed(this.path);
    if (this.#state === 'gone') throw portGone(this.path);
  }
}

function matchesUsb(port: UsbName, selector: UsbName): boolean {
  return (
    port.vendor === selector.vendor &&
    port.product === selector.product &&
    (selector.serial === '' || port.serial === selector.serial)
  );
}

function portClosed(path: string): Error {
  return new DOMException(`${path} was closed`, 'AbortError');
}

function portGone(path: string): Error {
  return fault('DEVICE_OFFLINE', `${path} disappeared; plug it in again`);
}
