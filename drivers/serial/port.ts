/**
 * What the serial modules need of a machine's ports: one contract, kept by the real ports (`binding.ts`) and by a
 * simulated world (`fake.ts`), and held to it by `test/contract/serial.ts`.
 *
 * What is wrong rejects with a `Fault` whose text names the port and says what to do: `DEVICE_OFFLINE` when waiting can
 * help (not plugged in, in use, no permission yet, gone), `DEVICE_CONFIGURATION` when only another setting can,
 * `DEVICE_REFUSED` when the port is there and would not. After `close()` calls reject with an `AbortError`.
 */

export const parities = ['none', 'even', 'odd'] as const;
export type Parity = (typeof parities)[number];

export interface PortSettings {
  readonly baudRate: number;
  readonly dataBits: 5 | 6 | 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: Parity;
}

/** The lines that a port drives beside its data; `brk` holds the transmit line in the break condition. */
export interface ControlLines {
  readonly brk: boolean;
  readonly dtr: boolean;
  readonly rts: boolean;
}

/** How the lines are when a port has been opened. */
export const DEFAULT_LINES: ControlLines = { brk: false, dtr: true, rts: true };

/** Who opens a port hears of it here. Neither is called before the opening resolved, nor after `close()`. */
export interface PortListener {
  /** At least one byte, in order; the array is the listener's to keep. */
  onData(bytes: Buffer): void;
  /** The port is gone, and said so. Not every kernel does: see `OpenPort.present`. At most once. */
  onLost(cause: Error): void;
}

/** A port that nobody else can open while it is held. */
export interface OpenPort extends AsyncDisposable {
  /** The device's path now: `/dev/ttyUSB0`, also where it was found by `VID:PID:serial`. */
  readonly path: string;
  /** Resolves when the kernel has taken all bytes; sends never mix. What was not taken when the port closes is dropped. */
  send(bytes: Uint8Array): Promise<void>;
  /** Sets the named lines and leaves the others. */
  setLines(lines: Partial<ControlLines>): Promise<void>;
  /** Rejects when the device that was opened is no longer there, however silently it went. */
  checkPresent(): Promise<void>;
  /** Twice is fine, and waits. */
  close(): Promise<void>;
}

/** A way to a machine's ports. Holds nothing but the ports that were opened through it. */
export interface SerialPorts {
  /** Ports opened and not yet closed. */
  readonly openCount: number;
  /** `where` is a path or `VID:PID[:serial]` (four hexadecimal digits each), resolved now. */
  open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort>;
}

/** A USB adapter as a configuration names it; an empty serial number stands for any. */
export interface UsbName {
  readonly vendor: string;
  readonly product: string;
  readonly serial: string;
}

/** Reads `VID:PID`, `VID:PID:` or `VID:PID:serial`; undefined for all else, which is then a path. */
export function parseUsbName(where: string): UsbName | undefined {
  const match = /^([0-9a-f]{4}):([0-9a-f]{4})(?::(.*))?$/i.exec(where);
  if (match === null) return undefined;
  const [, vendor = '', product = '', serial = ''] = match;
  return { vendor: vendor.toLowerCase(), product: product.toLowerCase(), serial };
}
