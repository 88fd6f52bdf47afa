import {
  variableType,
  type ProfileDefinition,
  type VariableDeclaration,
  type VariableType,
} from '../../device/module.js';
import type { EnergyProperties } from './energy-properties.js';

const { boolean, integer, float, string } = variableType;

/** A profile of numbers, which is created if it is missing. */
const numbers = (name: string, suffix: string, digits: number): ProfileDefinition => ({
  name,
  type: float,
  icon: 'Electricity',
  prefix: '',
  suffix,
  min: 0,
  max: 0,
  step: 0,
  digits,
  associations: [],
});

const SHARE: ProfileDefinition = { ...numbers('Energy.Share', ' %', 0), max: 100 };

/** Readings that are kept over a restart, by the property of the counter. */
export const READINGS = {
  Import: 'READING_IMPORT',
  Export: 'READING_EXPORT',
  Generation: 'READING_GENERATION',
  Charge: 'READING_CHARGE',
  Discharge: 'READING_DISCHARGE',
} as const;

/** The numbers of the meters that readings are from, kept as well. */
export const METERS = {
  Import: 'METER_IMPORT',
  Export: 'METER_EXPORT',
  Generation: 'METER_GENERATION',
  Charge: 'METER_CHARGE',
  Discharge: 'METER_DISCHARGE',
} as const;

/** The paths and units of the counters that readings are from, kept as well. */
export const COUNTERS = {
  Import: 'COUNTER_IMPORT',
  Export: 'COUNTER_EXPORT',
  Generation: 'COUNTER_GENERATION',
  Charge: 'COUNTER_CHARGE',
  Discharge: 'COUNTER_DISCHARGE',
} as const;

const hasPrice = ({ Price, Tariffs }: EnergyProperties): boolean => Price !== 0 || Tariffs.length > 0;

/** Whether energy from the grid, or with a negative price energy that is fed in, costs something. */
const hasCost = (properties: EnergyProperties): boolean =>
  hasPrice(properties) || (properties.Export !== '' && properties.FeedInPrice < 0);

/** Whether energy that is fed in, or with a negative price energy from the grid, is paid for. */
const hasRevenue = ({ Export, FeedInPrice, Price, Tariffs }: EnergyProperties): boolean =>
  (Export !== '' && FeedInPrice !== 0) || [{ Price }, ...Tariffs].some((one) => one.Price < 0);

/** The variables of an instance with these properties. */
export const energyVariables = (properties: EnergyProperties): VariableDeclaration[] => [
  ...powerVariables(properties),
  ...counterVariables(properties),
  ...keptVariables(properties),
];

function powerVariables({ GridPower, Switch }: EnergyProperties): VariableDeclaration[] {
  if (GridPower === '') return [];
  const watts = { type: float, role: 'main', profile: '~Watt' } as const;
  return [
    { ident: 'SURPLUS', name: 'Surplus', ...watts, position: 1 },
    { ident: 'POWER', name: 'Consumption', ...watts, position: 2 },
    ...(Switch === ''
      ? []
      : [
          {
            ident: 'AUTO',
            name: 'Surplus switches',
            type: boolean,
            role: 'main' as const,
            profile: '~Switch',
            action: true,
            position: 3,
          },
        ]),
  ];
}

function counterVariables(properties: EnergyProperties): VariableDeclaration[] {
  const { Import, Export, Generation, Currency } = properties;
  if (Import === '') return [];
  const energy = { type: float, profile: '~Electricity' } as const;
  const money = {
    type: float,
    profileDefinition: numbers(`Energy.Cost.${Currency}`, ` ${Currency}`, 2),
  } as const;
  const price = numbers(`Energy.Price.${Currency}`, ` ${Currency}/kWh`, 4);
  const share = { type: float, role: 'state', profileDefinition: SHARE } as const;
  const [sells, generates] = [Export !== '', Generation !== ''];
  const all: (VariableDeclaration | false)[] = [
    { ident: 'CONSUMPTION', name: 'Energy consumption', ...energy, role: 'main', counter: true },
    { ident: 'CONSUMPTION_TODAY', name: 'Consumption today', ...energy, role: 'state' },
    {
      ident: 'LOAD',
      name: 'Load of the last quarter hour',
      type: float,
      profile: '~Watt',
      role: 'detail',
    },
    { ident: 'IMPORT_TODAY', name: 'From the grid today', ...energy, role: 'detail' },
    sells && { ident: 'EXPORT_TODAY', name: 'Fed in today', ...energy, role: 'detail' },
    generates && { ident: 'GENERATION_TODAY', name: 'Generated today', ...energy, role: 'detail' },
    generates && { ident: 'SELF_CONSUMED', name: 'Self-consumed', ...energy, role: 'main', counter: true },
    generates && { ident: 'SELF_CONSUMED_TODAY', name: 'Self-consumed today', ...energy, role: 'detail' },
    generates && { ident: 'SELF_CONSUMPTION', name: 'Self-consumption today', ...share },
    generates && { ident: 'AUTARKY', name: 'Self-sufficiency today', ...share },
    hasPrice(properties) && {
      ident: 'PRICE',
      name: 'Price',
      type: float,
      role: 'main',
      profileDefinition: price,
    },
    hasCost(properties) && { ident: 'COST', name: 'Cost', ...money, role: 'main', counter: true },
    hasCost(properties) && { ident: 'COST_TODAY', name: 'Cost today', ...money, role: 'state' },
    hasRevenue(properties) && { ident: 'REVENUE', name: 'Revenue', ...money, role: 'main', counter: true },
  ];
  return all.filter((one) => one !== false).map((one, at) => ({ ...one, position: 10 + at }));
}

/** What is kept for a restart, in the same transaction as the sums. */
function keptVariables(properties: EnergyProperties): VariableDeclaration[] {
  if (properties.Import === '') return [];
  const kept = (idents: Readonly<Record<string, string>>, type: VariableType, from: number) =>
    Object.entries(idents)
      .filter(([property]) => properties[property as keyof typeof READINGS] !== '')
      .map(([, ident], at) => ({ ident, name: 'Kept for a restart', type, position: from + at }));
  const day = { ident: 'DAY', name: 'Kept for a restart', type: integer, position: 29 };
  const readings = kept(READINGS, float, 30);
  return [day, ...readings, ...kept(METERS, string, 40), ...kept(COUNTERS, string, 50)].map((one) => ({
    ...one,
    role: 'diagnostic' as const,
  }));
}
