import { KernelPorts } from '../../../drivers/serial/kernel-ports.js';
import type { Parity, PortSettings } from '../../../drivers/serial/port.js';
import type { Peer } from '../../recording/player.js';

const PARITIES: Readonly<Record<string, Parity>> = { N: 'none', E: 'even', O: 'odd' };

/** Settings of a port from `9600` and `8N1`; undefined if one of them is invalid. */
export function portSettings(baud: string, frame: string): PortSettings | undefined {
  const [, dataBits, parity = '', stopBits] = /^([5-8])([NEO])([12])$/.exec(frame) ?? [];
  const isValid = /^[1-9]\d{1,6}$/.test(baud) && dataBits !== undefined;
  if (!isValid) return undefined;
  return {
    baudRate: Number(baud),
    dataBits: Number(dataBits) as PortSettings['dataBits'],
    stopBits: Number(stopBits) as PortSettings['stopBits'],
    parity: PARITIES[parity] ?? 'none',
  };
}

interface RecordedPort {
  /** A path, or `VID:PID[:serial]`. */
  readonly where: string;
  readonly settings: PortSettings;
  readonly onBytes: (bytes: Buffer) => void;
  readonly onLost: (cause: Error) => void;
}

/** Opens a serial port of this machine, which no one else can open then. */
export async function openSerialPort({ where, settings, onBytes, onLost }: RecordedPort): Promise<Peer> {
  const port = await new KernelPorts().open(where, settings, { onData: onBytes, onLost });
  return { send: ({ payload }) => port.send(payload), [Symbol.asyncDispose]: () => port.close() };
}
