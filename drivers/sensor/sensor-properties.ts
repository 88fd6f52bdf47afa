import { type Static, Type } from '@sinclair/typebox';
import { coded, type Text } from '../../src/base/codes/coded-text.js';
import { referenceKind, variableType, type VariableDeclaration } from '../../src/device/module.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { IDENT_PATTERN } from '../../src/device/toolkit/notation.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';
import { profileOf } from '../../src/device/toolkit/quantities.js';
import { parseChannelName } from './channel-names.js';
import { conversionError, convertedQuantity, conversionWords } from './conversion/conversion.js';
import { quantityOf, quantityWords, type QuantityWord } from './quantities.js';

/** Channels of one device: converters have 16, hardware monitors of motherboards up to 40. */
const CHANNELS_LIMIT = 64;
/** Readings of a channel per poll. */
const OVERSAMPLE_LIMIT = 256;
const MEDIAN_LIMIT = 31;
/** Readings per second of all channels with a trigger; more is a measurement, not a sensor. */
const SAMPLE_HZ_LIMIT = 10_000;
/** Scans between two polls, half of what the buffer keeps. */
const SCANS_PER_POLL = 8192;

const number = (help: string) => withAdvancedHelp(Type.Optional(Type.Number()), '', help);
const positive = (help: string) => withAdvancedHelp(Type.Optional(Type.Number({ minimum: 0 })), '', help);
const count = (limit: number, help: string) =>
  withAdvancedHelp(Type.Optional(Type.Integer({ minimum: 1, maximum: limit })), '', help);

const channelSchema = Type.Object(
  {
    Channel: withHelp(
      Type.String({ minLength: 1, maxLength: 64 }),
      '',
      'The name of the channel in the kernel (in_temp, temp1), or its label.',
    ),
    Ident: withHelp(
      Type.Optional(Type.String({ pattern: IDENT_PATTERN, maxLength: 64 })),
      '',
      'The ident of the variable; by default derived from what the channel measures.',
    ),
    Name: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The name of the variable.'),
    Quantity: withHelp(
      Type.Optional(enumProperty(quantityWords, 'auto')),
      '',
      'What the variable shows; auto if it is what the channel measures.',
    ),
    Profile: withHelp(Type.Optional(Type.String({ maxLength: 200 })), '', 'The profile of the variable.'),
    Conversion: withHelp(
      Type.Optional(enumProperty(conversionWords, 'none')),
      '',
      'How the reading becomes the value.',
    ),
    From: withHelp(Type.Optional(Type.Number()), '', 'The value at 0 V, 0 mA or 4 mA.'),
    To: withHelp(Type.Optional(Type.Number()), '', 'The value at 10 V or 20 mA.'),
    Divider: positive('The ratio of the signal to the measured quantity; 1 by default.'),
    ShuntOhm: positive('The resistor across which a current is measured, ohms.'),
    SeriesOhm: positive('The resistor between supply and sensor, ohms.'),
    SupplyV: positive('The supply of the voltage divider, volts.'),
    Ohm25: positive('The resistance of an NTC at 25 °C, ohms.'),
    Beta: positive('The constant B of an NTC, kelvin.'),
    A: number('The coefficient A of Steinhart and Hart.'),
    B: number('The coefficient B of Steinhart and Hart.'),
    C: number('The coefficient C of Steinhart and Hart.'),
    Table: withAdvancedHelp(
      Type.Optional(Type.String({ maxLength: 4000 })),
      '',
      'Temperatures and resistances of an NTC: 0:32554 25:10000.',
    ),
    MeasuredLow: number('Calibration: the value without it at the lower point.'),
    ActualLow: number('Calibration: the correct value at the lower point.'),
    MeasuredHigh: number('Calibration: the value without it at the upper point.'),
    ActualHigh: number('Calibration: the correct value at the upper point.'),
    Min: number('Values below are bad.'),
    Max: number('Values above are bad.'),
    Oversample: count(OVERSAMPLE_LIMIT, 'The mean of this many readings is one value.'),
    Median: count(MEDIAN_LIMIT, 'The median of this many values, against outliers.'),
    SmoothS: positive('The time constant of the exponential filter, seconds.'),
    DeadBand: positive('Smaller changes are not reported.'),
  },
  { additionalProperties: false },
);
export type ChannelProperties = Static<typeof channelSchema>;

/** The properties of the module. */
export const sensorProperties = Type.Object({
  Device: withHelp(
    Type.String({ default: '', maxLength: 128, refers: referenceKind.sensor }),
    'Device',
    'The chip: its name, followed by @ and its place if there are several.',
  ),
  EveryS: withHelp(
    Type.Number({ default: 10, minimum: 0.1, maximum: 86_400 }),
    'Device',
    'The interval between two readings, in seconds.',
  ),
  Trigger: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Device',
    'The trigger in the kernel that starts a reading of all channels; empty to read them every EveryS.',
  ),
  SampleHz: withAdvancedHelp(
    Type.Number({ default: 0, minimum: 0, maximum: SAMPLE_HZ_LIMIT }),
    'Device',
    'How often the trigger fires per second; 0 leaves it as it is.',
  ),
  Channels: withHelp(
    Type.Array(channelSchema, { default: [], maxItems: CHANNELS_LIMIT }),
    'Values',
    'The channels that have a variable; all if the list is empty when the chip is found.',
  ),
});
export type SensorProperties = Static<typeof sensorProperties>;

/** The quantity of the variable of a channel; undefined if neither its name nor a property says it. */
function quantityWordOf({ Channel, Quantity = 'auto', Conversion = 'none' }: ChannelProperties) {
  if (Quantity !== 'auto') return Quantity;
  return convertedQuantity(Conversion) ?? parseChannelName(Channel)?.quantity;
}

/** The ident of the variable of a channel. */
export function identOf(channel: ChannelProperties): string {
  if (channel.Ident !== undefined && channel.Ident !== '') return channel.Ident;
  const { part } = quantityOf(quantityWordOf(channel) ?? 'other');
  const suffix = parseChannelName(channel.Channel)?.suffix ?? [channel.Channel.toUpperCase()];
  return [part, ...suffix].join('_').replace(/[^A-Z0-9]+/g, '_');
}

/** The values become stale after three missed polls. */
const staleAfterOf = (everyS: number) => everyS * 3 + 10;

/** The variables of an instance with these channels. */
export function variablesOf({ Channels, EveryS }: SensorProperties): VariableDeclaration[] {
  const words = Channels.map((one): QuantityWord => quantityWordOf(one) ?? 'other');
  const declared = Channels.map((channel, index): VariableDeclaration => {
    const quantity = quantityOf(words[index] as QuantityWord);
    const isOnly = words.filter((word) => word === words[index]).length === 1;
    const suffix = parseChannelName(channel.Channel)?.suffix ?? [channel.Channel];
    const { Profile = '' } = channel;
    return {
      ident: identOf(channel),
      name: channel.Name ?? (isOnly ? quantity.name : [quantity.name, ...suffix].join(' ')),
      type: variableType.float,
      role: quantity.role,
      ...(Profile === ''
        ? profileOf(quantity, 'Sensor')
        : { profile: Profile, profileProperty: `Channels[${index}].Profile` }),
      ...(quantity.isCounter === true && { counter: true }),
      position: index + 1,
      staleAfterS: staleAfterOf(EveryS),
    };
  });
  return [
    ...declared,
    {
      ident: 'ERRORS',
      name: 'Errors',
      type: variableType.integer,
      role: 'diagnostic',
      position: 900,
    },
  ];
}

/** What is wrong with the properties; undefined if nothing is. */
export function checkSensor({ Device, EveryS, SampleHz, Channels }: SensorProperties): Text | undefined {
  if (Device === '')
    return coded`SENSOR_DEVICE_EMPTY: Device is empty; set the name of a chip (a search of the hardware lists them)`;
  if (SampleHz * EveryS > SCANS_PER_POLL)
    return coded`SENSOR_SCANS: SampleHz times EveryS is ${SampleHz * EveryS}, and may be at most ${SCANS_PER_POLL}; lower one of them`;
  for (const channel of Channels) {
    const error = channelError(channel, parseChannelName(channel.Channel)?.quantity);
    if (error !== undefined) return error;
    if (quantityWordOf(channel) === undefined)
      return coded`SENSOR_QUANTITY_UNKNOWN: ${channel.Channel} is no name of a channel in the kernel; if it is a label, set Quantity`;
  }
  return undefined;
}

/** What is wrong with the settings of a channel that measures this quantity, if it is known. */
export function channelError(
  channel: ChannelProperties,
  measured: QuantityWord | undefined,
): Text | undefined {
  const { Channel, Min, Max, MeasuredLow, ActualLow, MeasuredHigh, ActualHigh } = channel;
  if (Min !== undefined && Max !== undefined && Min >= Max)
    return coded`SENSOR_LIMITS: Min of ${Channel} must be less than Max`;
  const points = [MeasuredLow, ActualLow, MeasuredHigh, ActualHigh];
  const given = points.filter((point) => point !== undefined);
  if (given.length > 0 && (given.length < points.length || MeasuredLow === MeasuredHigh))
    return coded`SENSOR_CALIBRATION: the calibration of ${Channel} needs MeasuredLow, ActualLow, MeasuredHigh and ActualHigh, with two different measured values`;
  return conversionError(Channel, channel, measured);
}
