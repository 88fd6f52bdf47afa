import { type Static, Type } from '@sinclair/typebox';
import { referenceKind } from '../../device/module.js';
import { enumProperty } from '../../device/toolkit/enum-property.js';
import { withAdvancedHelp, withHelp } from '../../device/toolkit/property-help.js';
import { tariffDays } from './tariffs.js';

const DAY_S = 86_400;

const path = (group: string, help: string) =>
  withHelp(Type.String({ default: '', maxLength: 1024 }), group, help);
const time = () => Type.Optional(Type.String({ pattern: '^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$' }));
const watts = (standard: number) => Type.Number({ default: standard, minimum: -1e7, maximum: 1e7 });
const seconds = (standard: number) => Type.Integer({ default: standard, minimum: 0, maximum: DAY_S });
const price = (standard: number) => Type.Number({ default: standard, minimum: -1000, maximum: 1000 });

export const energyProperties = Type.Object({
  Import: path('Counters', 'Ident path of the variable that counts the energy from the grid.'),
  Export: path('Counters', 'Ident path of the variable that counts the energy fed into the grid.'),
  Generation: path('Counters', 'Ident path of the variable that counts the generated energy.'),
  Charge: path('Counters', 'Ident path of the variable that counts the energy into the storage.'),
  Discharge: path('Counters', 'Ident path of the variable that counts the energy out of the storage.'),
  Price: withHelp(price(0), 'Tariffs', 'The price of a kilowatt hour if none of the tariffs applies.'),
  Tariffs: withHelp(
    Type.Array(
      Type.Object(
        {
          From: withHelp(
            time(),
            '',
            'The local time at which it begins; the beginning of the day if missing.',
          ),
          To: withHelp(time(), '', 'The local time at which it ends; the end of the day if missing.'),
          Days: withHelp(
            Type.Optional(enumProperty(tariffDays, 'all')),
            '',
            'The days on which it applies; all if missing.',
          ),
          Price: withHelp(price(0), '', 'The price of a kilowatt hour.'),
        },
        { additionalProperties: false },
      ),
      { default: [], maxItems: 50 },
    ),
    'Tariffs',
    'Prices for parts of the day; the first one that applies is used.',
  ),
  FeedInPrice: withHelp(price(0), 'Tariffs', 'What is paid for a kilowatt hour that is fed in.'),
  Currency: withAdvancedHelp(
    Type.String({ default: '€', minLength: 1, maxLength: 8 }),
    'Tariffs',
    'The sign of the currency.',
  ),
  GridPower: path('Power', 'Ident path of the power from the grid; negative while energy is fed in.'),
  GenerationPower: path('Power', 'Ident path of the generated power.'),
  StoragePower: path('Power', 'Ident path of the power out of the storage; negative while it is charged.'),
  StorageFirst: withHelp(
    Type.Boolean({ default: true }),
    'Power',
    'Whether the storage is charged before there is a surplus.',
  ),
  Switch: withHelp(
    Type.String({ default: '', maxLength: 1024, refers: referenceKind.switch }),
    'Surplus',
    'Ident path of the output that the surplus switches; empty for none.',
  ),
  OnAbove: withHelp(
    watts(2000),
    'Surplus',
    'The surplus in watts at which it switches on: at least the power of the device.',
  ),
  OffBelow: withHelp(watts(0), 'Surplus', 'The surplus in watts below which it switches off.'),
  DelayS: withHelp(seconds(60), 'Surplus', 'How many seconds the surplus must last before it switches.'),
  MinOnS: withHelp(seconds(600), 'Surplus', 'The output stays on for at least this many seconds.'),
  MinOffS: withHelp(seconds(600), 'Surplus', 'The output stays off for at least this many seconds.'),
});

export type EnergyProperties = Static<typeof energyProperties>;
