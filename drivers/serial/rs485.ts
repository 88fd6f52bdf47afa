import { createRequire } from 'node:module';
import { nativeFile } from '../../src/base/package-root.js';
import type { DirectionControl } from './port.js';

/** The addon of the driver, `native/rs485.c`. */
interface SerialAddon {
  exchangeRs485(fd: number, flags: number): number;
}

/** Flags of `struct serial_rs485` (linux/serial.h). */
const ENABLED = 1;
const RTS_ON_SEND = 2;
const RTS_AFTER_SEND = 4;

/**
 * Lets the kernel switch the transmitter of RS-485 through RTS. Returns a function that restores the mode the
 * port had, if it is still open. Throws an Error with the kernel's code if the port has no such mode.
 */
export function controlDirection(fd: number, control: DirectionControl): () => void {
  const { exchangeRs485 } = createRequire(import.meta.url)(nativeFile('serial.node')) as SerialAddon;
  const before = exchangeRs485(fd, ENABLED | (control === 'rts-on' ? RTS_ON_SEND : RTS_AFTER_SEND));
  return () => void exchangeRs485(fd, before);
}
