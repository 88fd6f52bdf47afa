import { Type, type Static } from '@sinclair/typebox';
import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { checkMeter, meterProperties } from './meter-properties.js';

/** Battery-powered meters allow for a request every 15 minutes, or fewer. */
const EVERY_S = 900;

/** The properties of an M-Bus Meter. */
export const mbusProperties = Type.Object({
  Address: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 250 }),
    'Bus',
    'The primary address of the meter, if Number is empty. New meters have 0.',
  ),
  Number: withHelp(
    Type.String({ default: '', maxLength: 16 }),
    'Bus',
    'The number of the meter: 8 digits, or 16 with manufacturer, version and medium; F stands for any digit.',
  ),
  EveryS: withHelp(
    Type.Integer({ default: EVERY_S, minimum: 5, maximum: 604_800 }),
    'Bus',
    'The interval between two requests, in seconds.',
  ),
  TimeoutMs: withAdvancedHelp(
    Type.Integer({ default: 500, minimum: 50, maximum: 4000 }),
    'Bus',
    'How long the reply may take, in addition to the time on the wire.',
  ),
  ...meterProperties.properties,
});
export type MbusProperties = Static<typeof mbusProperties>;

const NUMBER = /^[0-9A-Fa-f]{8}(?:[0-9A-Fa-f]{8})?$/;
/** Any manufacturer, version and medium. */
const ANY = 'FFFFFFFF';

/** The bytes that select a meter by its number (EN 13757-3, 11.3); undefined for an empty number. */
export function selectionOf(number: string): Uint8Array | undefined {
  if (!NUMBER.test(number)) return undefined;
  const bytes = Buffer.from(number.length === 8 ? number + ANY : number, 'hex');
  const [id, manufacturer, others] = [bytes.subarray(0, 4), bytes.subarray(4, 6), bytes.subarray(6)];
  return Buffer.concat([id.toReversed(), manufacturer.toReversed(), others]);
}

/** What is wrong with the properties of an M-Bus Meter; undefined if nothing is. */
export function checkMbusMeter(properties: MbusProperties): Text | undefined {
  const { Number: number } = properties;
  if (number !== '' && !NUMBER.test(number))
    return coded`MBUS_NUMBER: Number is ${number}; it must have 8 or 16 hexadecimal digits`;
  return checkMeter(properties);
}
