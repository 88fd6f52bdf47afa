import { variableType, type ProfileDefinition, type VariableDeclaration } from '../module.js';

/** What a meter measures, as the first part of an ident. */
interface Quantity extends Pick<VariableDeclaration, 'name' | 'role'> {
  readonly part: string;
  readonly profile?: string;
  /** A unit without a built-in profile; the profile is created with it. */
  readonly unit?: string;
  readonly isCounter?: boolean;
  /** `float` by default. */
  readonly type?: 'integer' | 'string' | 'boolean';
}

/** Every quantity that a meter, an inverter or an I/O module can have. Idents and units of measure are an interface: they stay as they are. */
export const quantities: readonly Quantity[] = [
  { part: 'ENERGY_IN', name: 'Energy import', role: 'main', profile: '~Electricity', isCounter: true },
  { part: 'ENERGY_OUT', name: 'Energy export', role: 'main', profile: '~Electricity', isCounter: true },
  { part: 'POWER', name: 'Active power', role: 'main', profile: '~Watt' },
  { part: 'VOLTAGE', name: 'Voltage', role: 'detail', profile: '~Volt' },
  { part: 'CURRENT', name: 'Current', role: 'detail', profile: '~Ampere' },
  { part: 'FREQUENCY', name: 'Grid frequency', role: 'detail', profile: '~Hertz' },
  { part: 'POWER_FACTOR', name: 'Power factor', role: 'detail' },
  { part: 'REACTIVE_IN', name: 'Reactive energy import', role: 'detail', unit: 'kvarh', isCounter: true },
  { part: 'REACTIVE_OUT', name: 'Reactive energy export', role: 'detail', unit: 'kvarh', isCounter: true },
  { part: 'TARIFF', name: 'Tariff', role: 'detail', type: 'integer' },
  { part: 'ENERGY', name: 'Energy', role: 'main', profile: '~Electricity', isCounter: true },
  { part: 'GAS', name: 'Gas', role: 'main', profile: '~Gas', isCounter: true },
  { part: 'WATER', name: 'Water', role: 'main', profile: '~Water', isCounter: true },
  { part: 'VOLUME', name: 'Metered volume', role: 'main', profile: '~Water', isCounter: true },
  { part: 'MASS', name: 'Mass', role: 'main', unit: 'kg', isCounter: true },
  { part: 'FLOW', name: 'Flow', role: 'main', profile: '~Flow' },
  { part: 'FLOW_TEMPERATURE', name: 'Flow temperature', role: 'detail', profile: '~Temperature' },
  { part: 'RETURN_TEMPERATURE', name: 'Return temperature', role: 'detail', profile: '~Temperature' },
  {
    part: 'TEMPERATURE_DIFFERENCE',
    name: 'Temperature difference',
    role: 'detail',
    profile: '~Temperature.Difference',
  },
  { part: 'TEMPERATURE', name: 'Temperature', role: 'main', profile: '~Temperature' },
  { part: 'HUMIDITY', name: 'Humidity', role: 'main', profile: '~Humidity.F' },
  { part: 'PRESSURE', name: 'Pressure', role: 'detail', unit: 'bar' },
  { part: 'HCA', name: 'Heat cost units', role: 'main', isCounter: true },
  { part: 'OPERATING_TIME', name: 'Operating time', role: 'detail', unit: 'h' },
  { part: 'ON_TIME', name: 'On time', role: 'detail', unit: 'h' },
  { part: 'ERROR_FLAGS', name: 'Error flags', role: 'detail', type: 'integer' },
  { part: 'SERIAL', name: 'Meter number', role: 'detail', type: 'string' },
  // Inverters, batteries and I/O modules.
  { part: 'ENERGY_YIELD', name: 'Energy yield', role: 'main', profile: '~Electricity', isCounter: true },
  { part: 'YIELD_TODAY', name: 'Yield today', role: 'detail', profile: '~Electricity' },
  { part: 'ENERGY_CHARGED', name: 'Energy charged', role: 'main', profile: '~Electricity', isCounter: true },
  {
    part: 'ENERGY_DISCHARGED',
    name: 'Energy discharged',
    role: 'main',
    profile: '~Electricity',
    isCounter: true,
  },
  { part: 'POWER_PV', name: 'PV power', role: 'main', profile: '~Watt' },
  { part: 'POWER_GRID', name: 'Grid power', role: 'main', profile: '~Watt' },
  { part: 'POWER_BATTERY', name: 'Battery power', role: 'main', profile: '~Watt' },
  { part: 'POWER_LOAD', name: 'Consumption', role: 'main', profile: '~Watt' },
  { part: 'VOLTAGE_PV', name: 'PV voltage', role: 'detail', profile: '~Volt' },
  { part: 'CURRENT_PV', name: 'PV current', role: 'detail', profile: '~Ampere' },
  { part: 'VOLTAGE_BATTERY', name: 'Battery voltage', role: 'detail', profile: '~Volt' },
  { part: 'CURRENT_BATTERY', name: 'Battery current', role: 'detail', profile: '~Ampere' },
  { part: 'APPARENT_POWER', name: 'Apparent power', role: 'detail', unit: 'VA' },
  { part: 'REACTIVE_POWER', name: 'Reactive power', role: 'detail', unit: 'var' },
  { part: 'STATE_OF_CHARGE', name: 'State of charge', role: 'main', unit: '%' },
  { part: 'STATE_OF_HEALTH', name: 'State of health', role: 'detail', unit: '%' },
  { part: 'POWER_IN', name: 'Imported power', role: 'detail', profile: '~Watt' },
  { part: 'POWER_OUT', name: 'Exported power', role: 'detail', profile: '~Watt' },
  { part: 'CHARGE_LIMIT', name: 'Charge limit', role: 'detail', unit: '%' },
  { part: 'DISCHARGE_LIMIT', name: 'Discharge limit', role: 'detail', unit: '%' },
  { part: 'LIMITS_ACTIVE', name: 'Active limits', role: 'detail', type: 'integer' },
  { part: 'POWER_LIMIT', name: 'Power limit', role: 'detail', unit: '%' },
  { part: 'OPERATING_STATE', name: 'Operating state', role: 'state', type: 'integer' },
  { part: 'MODEL', name: 'Model', role: 'detail', type: 'string' },
  { part: 'OUTPUT', name: 'Output', role: 'main', type: 'boolean' },
  { part: 'INPUT', name: 'Input', role: 'main', type: 'boolean' },
  { part: 'PULSES', name: 'Pulses', role: 'detail', type: 'integer', isCounter: true },
];

/** Decimals of profiles that are created: a millivolt and a milliampere are visible. */
const DIGITS = 3;

/** The profile of a quantity; one is created, as `PREFIX.UNIT`, for a unit that no built-in profile has. */
export function profileOf(
  { unit, profile }: Pick<Quantity, 'unit' | 'profile'>,
  prefix = 'Meter',
): Partial<VariableDeclaration> {
  if (unit === undefined) return profile === undefined ? {} : { profile };
  const definition: ProfileDefinition = {
    name: `${prefix}.${unit}`,
    type: variableType.float,
    icon: 'Gauge',
    prefix: '',
    suffix: ` ${unit}`,
    min: 0,
    max: 0,
    step: 0,
    digits: DIGITS,
    associations: [],
  };
  return { profile: definition.name, profileDefinition: definition };
}
