import { Type, type Static } from '@sinclair/typebox';
import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { describeValue } from '../../src/device/toolkit/meter-variables.js';

/** Values of one meter: a heat meter with its stored ones has 30 to 60. */
export const VALUES_LIMIT = 64;
/** Idents of values, such as ENERGY_IN_T1. */
const IDENT_LIMIT = 64;
/** Meters send every 1 to 10 s. */
const STALE_AFTER_S = 60;

/** The properties that the instances of all protocols have. */
export const meterProperties = Type.Object({
  Values: withHelp(
    Type.Array(Type.String({ maxLength: IDENT_LIMIT }), { default: [], maxItems: VALUES_LIMIT }),
    'Values',
    'The values of the meter that have a variable.',
  ),
  Learn: withHelp(
    Type.Boolean({ default: true }),
    'Values',
    'Values that the meter sends are added automatically.',
  ),
  Meter: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Values',
    'The number of the meter instead of the one that it sends. Another number accepts lower counts.',
  ),
  StaleAfterS: withAdvancedHelp(
    Type.Integer({ default: STALE_AFTER_S, minimum: 5, maximum: 604_800 }),
    'Values',
    'A value counts as stale this long after the last telegram, in seconds.',
  ),
});
export type MeterProperties = Static<typeof meterProperties>;

/** The properties of meters whose telegrams may have no checksum. */
export const textMeterProperties = Type.Object({
  ...meterProperties.properties,
  AcceptUnchecked: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Values',
    'Telegrams of a meter that sends no checksum are accepted if two in a row have the same structure.',
  ),
});

/** What is wrong with the values of a meter; undefined if nothing is. */
export function checkMeter({ Values }: MeterProperties): Text | undefined {
  const unknown = Values.find((ident) => describeValue(ident) === undefined);
  return unknown === undefined
    ? undefined
    : coded`METER_VALUE_UNKNOWN: Values has ${unknown}, which no meter has; it must be a value such as ENERGY_IN, ENERGY_IN_T1, POWER or GAS_1`;
}
