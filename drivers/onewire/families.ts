import { type VariableDeclaration, variableType } from '../../src/device/module.js';

/** An address in the kernel's notation: family code and unique serial number. */
export const ADDRESS = /^[0-9a-f]{2}-[0-9a-f]{12}$/;

/** The kind of a family, which determines how its devices are read and written. */
type FamilyKind = 'thermometer' | 'switch' | 'counter' | 'monitor' | 'potentiometer' | 'other';

/** A family of devices. */
export interface Family {
  readonly kind: FamilyKind;
  /** Part number, such as `DS18B20`. */
  readonly type: string;
  /** Kernel module; undefined if there is none. */
  readonly driver?: string;
  /** For a switch: the number of pins, and whether the kernel reports their levels. */
  readonly pins?: number;
  readonly hasInputs?: boolean;
}

const thermometerFamily = (type: string): Family => ({ kind: 'thermometer', type, driver: 'w1_therm' });
const switchFamily = (type: string, pins: number, hasInputs: boolean): Family => ({
  kind: 'switch',
  type,
  driver: `w1_${type.toLowerCase()}`,
  pins,
  hasInputs,
});

const families: Readonly<Record<string, Family>> = {
  '05': switchFamily('DS2405', 1, true),
  10: thermometerFamily('DS18S20'),
  12: switchFamily('DS2406', 2, false),
  '1d': { kind: 'counter', type: 'DS2423', driver: 'w1_ds2423' },
  22: thermometerFamily('DS1822'),
  26: { kind: 'monitor', type: 'DS2438', driver: 'w1_ds2438' },
  28: thermometerFamily('DS18B20'),
  29: switchFamily('DS2408', 8, true),
  '2c': { kind: 'potentiometer', type: 'DS2890' },
  '3a': switchFamily('DS2413', 2, true),
  '3b': thermometerFamily('DS1825'),
  42: thermometerFamily('DS28EA00'),
};

/** The family of an address. For an unknown family, only the presence is reported. */
export function familyOf(address: string): Family {
  const code = address.slice(0, 2);
  return families[code] ?? { kind: 'other', type: `family ${code}` };
}

/**
 * The variables of a device. A value that is polled every `everyS` seconds becomes stale after three missed
 * polls.
 */
export function variablesOf(address: string, everyS: number): VariableDeclaration[] {
  const { boolean, integer, float } = variableType;
  const family = familyOf(address);
  if (family.kind === 'other')
    return [{ ident: 'PRESENT', name: 'Present', type: boolean, role: 'main', profile: '~Presence' }];
  const variables: Omit<VariableDeclaration, 'position' | 'role'>[] = [];
  switch (family.kind) {
    case 'thermometer':
      variables.push({ ident: 'TEMPERATURE', name: 'Temperature', type: float, profile: '~Temperature' });
      break;
    case 'switch':
      variables.push(...pinsOf(family));
      break;
    case 'counter':
      for (const letter of ['A', 'B'])
        variables.push({ ident: `COUNTER_${letter}`, name: `Counter ${letter}`, type: integer });
      break;
    case 'monitor':
      variables.push({ ident: 'TEMPERATURE', name: 'Temperature', type: float, profile: '~Temperature' });
      variables.push({ ident: 'VAD', name: 'Voltage at the input', type: float, profile: '~Volt' });
      variables.push({ ident: 'VDD', name: 'Supply voltage', type: float, profile: '~Volt' });
      break;
    case 'potentiometer':
      variables.push({ ident: 'POSITION', name: 'Position', type: integer, action: true });
  }
  const staleAfterS = everyS * 3 + 10;
  return [
    ...variables.map((one, index) => ({ ...one, role: roleOf(one), position: index + 1, staleAfterS })),
    { ident: 'ERRORS', name: 'Errors', type: integer, role: 'diagnostic', position: 900 },
  ];
}

/** PORT is all pins as one number, STROBE a signal to other chips, VDD the supply. */
const roleOf = ({ ident }: Pick<VariableDeclaration, 'ident'>): VariableDeclaration['role'] =>
  ['PORT', 'STROBE', 'VDD'].includes(ident) ? 'detail' : 'main';

function pinsOf({ type, pins = 0, hasInputs }: Family): Omit<VariableDeclaration, 'position' | 'role'>[] {
  const { boolean, integer } = variableType;
  const all = Array.from({ length: pins }, (_, pin) => pin);
  const profile = '~Switch';
  return [
    { ident: 'PORT', name: 'Port', type: integer, action: true },
    ...all.map((pin) => ({ ident: `PIN${pin}`, name: `Pin ${pin}`, type: boolean, profile, action: true })),
    ...(hasInputs === true ? all : []).map((pin) => ({
      ident: `INPUT${pin}`,
      name: `Input ${pin}`,
      type: boolean,
      profile,
    })),
    ...(type === 'DS2408' ? [{ ident: 'STROBE', name: 'Strobe', type: boolean, profile, action: true }] : []),
  ];
}
