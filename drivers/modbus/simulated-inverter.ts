import {
  replyLater,
  swing,
  swingCounter,
  type SimulatedDevice,
} from '../../src/device/simulation/simulated-device.js';
import { RtuRequestParser } from './server/request-frames.js';

const UNIT = 1;
const DELAY_MS = 20;
/** Watts of alternating current. */
const POWER = [800, 700, 20 * 60_000] as const;

/**
 * SunSpec: the marker, model 1 (common, 66 registers), model 103 (three phases, 50 registers), and the end.
 */
const BASE = 40_000;
const COMMON = BASE + 2;
const INVERTER = COMMON + 2 + 66;
const END = INVERTER + 2 + 50;

/** An inverter on a Modbus RTU bus: unit 1, with the registers of SunSpec. */
export const simulatedInverter: SimulatedDevice = (peer, clock) => {
  let parser = new RtuRequestParser(UNIT);
  peer.onOpened.on(() => (parser = new RtuRequestParser(UNIT)));
  replyLater(peer, clock, {
    delayMs: DELAY_MS,
    replyTo: (bytes) => parser.push(bytes).map(({ pdu, frame }) => frame(replyTo(pdu, clock.nowMs()))),
  });
};

function replyTo(pdu: Buffer, nowMs: number): Buffer {
  const code = pdu.readUInt8(0);
  // Illegal function, illegal data address [MODBUS Application Protocol V1.1b3 §7].
  if (code !== 3) return Buffer.from([code | 0x80, 1]);
  const [at, count] = [pdu.readUInt16BE(1) - BASE, pdu.readUInt16BE(3)];
  const registers = registersAt(nowMs);
  if (at < 0 || count === 0 || at + count > registers.length / 2) return Buffer.from([code | 0x80, 2]);
  return Buffer.concat([Buffer.from([code, 2 * count]), registers.subarray(2 * at, 2 * (at + count))]);
}

/** All registers, from BASE on. */
function registersAt(nowMs: number): Buffer {
  const image = Buffer.alloc(2 * (END + 2 - BASE));
  const set = (at: number, ...words: readonly number[]) =>
    words.forEach((word, index) => image.writeUInt16BE(word & 0xffff, 2 * (at + index - BASE)));
  const text = (at: number, value: string) => image.write(value, 2 * (at - BASE), 'latin1');
  const powerW = Math.round(swing(nowMs, POWER));
  const wh = Math.floor(swingCounter(nowMs, POWER));
  text(BASE, 'SunS');
  set(COMMON, 1, 66);
  text(COMMON + 2, 'stellwerk');
  text(COMMON + 18, 'Simulated inverter');
  text(COMMON + 50, '70000003');
  set(INVERTER, 103, 50);
  const tenthsOfAmpere = Math.round((10 * powerW) / (3 * 230));
  set(INVERTER + 2, 3 * tenthsOfAmpere, tenthsOfAmpere, tenthsOfAmpere, tenthsOfAmpere, -1);
  set(INVERTER + 10, 2300, 2300, 2300, -1, powerW, 0, 5000, -2, powerW, 0, 0, 0);
  set(INVERTER + 24, wh >>> 16, wh, 0, Math.round(powerW / 60), -1, 6000, -1, powerW, 0, 415);
  // The scale factor of the temperature, and the state: producing at maximum power.
  set(INVERTER + 37, -1, 4);
  set(END, 0xffff, 0);
  return image;
}
