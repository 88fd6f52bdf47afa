import type { Cancel } from '../../../src/base/clock.js';
import {
  replyLater,
  swing,
  swingCounter,
  type SimulatedDevice,
} from '../../../src/device/simulation/simulated-device.js';
import { longFrame } from '../mbus/frames.js';
import { smlTelegram } from './sml-telegram.js';

const MINUTE_MS = 60_000;
const SECOND_MS = 1000;

/** Watts that the simulated house takes from the grid. */
const GRID_POWER = [450, 350, 10 * MINUTE_MS] as const;
/** Watts of heat. */
const HEAT_POWER = [6000, 2000, 30 * MINUTE_MS] as const;
/** Litres of heating water per hour. */
const FLOW = [340, 40, 30 * MINUTE_MS] as const;

/** The number 1ISK0070000001: medium, manufacturer, block and eight digits (DIN 43863-5). */
const SERVER_ID = Buffer.from('0a0149534b00042c1d81', 'hex');
const SML_WH = 30;
const SML_W = 27;
const FED_IN_KWH = 1234.5;

/** An electricity meter that sends an SML telegram each second, as a reading head receives it. */
export const simulatedSmlMeter: SimulatedDevice = (peer, clock) => {
  let cancel: Cancel | undefined;
  peer.onOpened.on((isOpen) => {
    cancel?.();
    cancel = isOpen ? clock.every(SECOND_MS, () => peer.send(telegramAt(clock.nowMs()))) : undefined;
  });
};

function telegramAt(nowMs: number): Buffer {
  const tenthsOfWh = (wh: number) => ({ number: Math.floor(10 * wh), scaler: -1, unit: SML_WH });
  return smlTelegram([
    { obis: [1, 0, 96, 1, 0, 255], bytes: SERVER_ID },
    { obis: [1, 0, 1, 8, 0, 255], ...tenthsOfWh(swingCounter(nowMs, GRID_POWER)) },
    { obis: [1, 0, 2, 8, 0, 255], ...tenthsOfWh(1000 * FED_IN_KWH) },
    {
      obis: [1, 0, 16, 7, 0, 255],
      number: Math.round(10 * swing(nowMs, GRID_POWER)),
      scaler: -1,
      unit: SML_W,
    },
  ]);
}

const MBUS_ADDRESS = 1;
const MBUS_DELAY_MS = 30;
const ACKNOWLEDGE = Buffer.from([0xe5]);
/** Kelvin between flow and return that transport a watt hour per litre (4.19 kJ/(kg·K)). */
const KELVIN_PER_WH_AND_LITRE = 1 / 1.163;
const FLOW_TEMPERATURE = 55;

/** A heat meter on a wired M-Bus with the primary address 1 and the number 70000002. */
export const simulatedHeatMeter: SimulatedDevice = (peer, clock) =>
  replyLater(peer, clock, {
    delayMs: MBUS_DELAY_MS,
    replyTo([start, control = 0, address]) {
      if (start !== 0x10 || address !== MBUS_ADDRESS) return [];
      // Initialise, or request data with either frame count bit (EN 13757-2).
      return control === 0x40 ? [ACKNOWLEDGE] : [heatFrameAt(clock.nowMs())];
    },
  });

function heatFrameAt(nowMs: number): Buffer {
  const [powerW, flow] = [swing(nowMs, HEAT_POWER), swing(nowMs, FLOW)];
  // Number, manufacturer STW, version, medium (heat at the outlet), access number, status, signature.
  const header = Buffer.from('02000070974e010400000000', 'hex');
  const data = Buffer.concat([
    header,
    record32(0x05, swingCounter(nowMs, HEAT_POWER) / 100),
    record32(0x13, swingCounter(nowMs, FLOW)),
    record32(0x2b, powerW),
    record32(0x3b, flow),
    record16(0x5a, 10 * FLOW_TEMPERATURE),
    record16(0x5e, 10 * (FLOW_TEMPERATURE - (powerW / flow) * KELVIN_PER_WH_AND_LITRE)),
  ]);
  return longFrame({ control: 0x08, address: MBUS_ADDRESS, kind: 0x72, data });
}

/** A record with a number of four bytes (EN 13757-3): DIF, VIF, number. */
function record32(vif: number, value: number): Buffer {
  const bytes = Buffer.from([0x04, vif, 0, 0, 0, 0]);
  bytes.writeInt32LE(Math.floor(value), 2);
  return bytes;
}

function record16(vif: number, value: number): Buffer {
  const bytes = Buffer.from([0x02, vif, 0, 0]);
  bytes.writeInt16LE(Math.round(value), 2);
  return bytes;
}
