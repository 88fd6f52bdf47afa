import { Type, type Static } from '@sinclair/typebox';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { textMeterProperties } from './meter-properties.js';

/** A readout takes 10 to 100 s, and empties the battery of gas and water meters. */
const EVERY_S = 300;

/** The properties of an IEC 62056-21 Meter. */
export const iecProperties = Type.Object({
  Mode: withHelp(
    enumProperty(['listen', 'request'] as const, 'listen'),
    'Requests',
    'Whether the meter sends by itself, or on request.',
  ),
  EveryS: withHelp(
    Type.Integer({ default: EVERY_S, minimum: 5, maximum: 86_400 }),
    'Requests',
    'The interval between two requests, in seconds.',
  ),
  Address: withAdvancedHelp(
    Type.String({ default: '', maxLength: 32, pattern: '^[0-9A-Za-z ]*$' }),
    'Requests',
    'The address of the meter; empty if it is the only one.',
  ),
  MaxBaud: withAdvancedHelp(
    Type.Integer({ default: 9600, minimum: 300, maximum: 19_200 }),
    'Requests',
    'The highest baud rate to which the readout changes: what the reading head supports.',
  ),
  ...textMeterProperties.properties,
});
export type IecProperties = Static<typeof iecProperties>;
