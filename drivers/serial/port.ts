/**
 * What the serial modules require of serial ports. Kernel ports (`kernel-ports.ts`) and simulated ports
 * (`simulated-ports.ts`) implement this contract; the suite in `test/contract/serial/` checks both.
 *
 * Failures reject with a `Fault` whose text names the port and says what to do: `DEVICE_OFFLINE` if waiting
 * can help (not plugged in, in use, no permission yet, disconnected), `DEVICE_CONFIGURATION` if a setting
 * must be changed, `DEVICE_REFUSED` if the port does not support the request. After `close()`, calls reject
 * with an `AbortError`.
 */

const parities = ['none', 'even', 'odd'] as const;
export type Parity = (typeof parities)[number];

/** The state of RTS while an RS-485 port sends: it switches the transmitter. */
export type DirectionControl = 'rts-on' | 'rts-off';

export interface PortSettings {
  readonly baudRate: number;
  readonly dataBits: 5 | 6 | 7 | 8;
  readonly stopBits: 1 | 2;
  readonly parity: Parity;
  /** The kernel switches the transmitter of RS-485; by default an adapter does that by itself. */
  readonly directionControl?: DirectionControl | undefined;
}

/** The control lines that a port drives; `brk` holds the transmit line in the break condition. */
export interface ControlLines {
  readonly brk: boolean;
  readonly dtr: boolean;
  readonly rts: boolean;
}

/** State of the control lines after opening. */
export const DEFAULT_LINES: ControlLines = { brk: false, dtr: true, rts: true };

/** Receives the events of a port, but none before `open()` has resolved and none after `close()`. */
export interface PortListener {
  /** At least one byte, in order; the listener may keep the buffer. */
  onData(bytes: Buffer): void;
  /**
   * The port reported that it disappeared; not every kernel driver does, see `OpenPort.present`. Called at
   * most once.
   */
  onLost(cause: Error): void;
}

/** An open port, which no one else can open. */
export interface OpenPort extends AsyncDisposable {
  /** The current path of the device, such as `/dev/ttyUSB0`, even if it was opened by `VID:PID:serial`. */
  readonly path: string;
  /**
   * Resolves when the kernel has accepted all bytes; concurrent sends never mix. Bytes that were not accepted
   * when the port closes are discarded.
   */
  send(bytes: Uint8Array): Promise<void>;
  /** Sets the given lines; the others stay as they are. */
  setLines(lines: Partial<ControlLines>): Promise<void>;
  /** Changes the baud rate after all bytes sent so far; rejects with `DEVICE_REFUSED` if the port has no such rate. */
  changeBaudRate(baudRate: number): Promise<void>;
  /** Rejects if the opened device has disappeared, even if the kernel did not report it. */
  checkPresent(): Promise<void>;
  /** A second call waits for the first. */
  close(): Promise<void>;
}

/** Opens serial ports, and counts them. */
export interface SerialPorts {
  /** Number of open ports. */
  readonly openCount: number;
  /** Ports with simulated devices, which only the simulated board has. */
  readonly simulatedPaths?: readonly string[];
  /** `where` is a path or `VID:PID[:serial]` (four hexadecimal digits each), resolved when opening. */
  open(where: string, settings: PortSettings, listener: PortListener): Promise<OpenPort>;
}

/** A USB adapter as named in a configuration; an empty serial number matches any. */
export interface UsbName {
  readonly vendor: string;
  readonly product: string;
  readonly serial: string;
}

/** Parses `VID:PID`, `VID:PID:` or `VID:PID:serial`; returns undefined for anything else, which is a path. */
export function parseUsbName(where: string): UsbName | undefined {
  const match = /^([0-9a-f]{4}):([0-9a-f]{4})(?::(.*))?$/i.exec(where);
  if (match === null) return undefined;
  const [, vendor = '', product = '', serial = ''] = match;
  return { vendor: vendor.toLowerCase(), product: product.toLowerCase(), serial };
}
