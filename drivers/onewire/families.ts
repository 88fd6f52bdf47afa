import { type VariableDeclaration, variableType } from '../../src/device/module.js';

/** An address as the kernel writes it: the family, and the number that no other device has. */
export const ADDRESS = /^[0-9a-f]{2}-[0-9a-f]{12}$/;

/** What devices of a family are: how they are asked and what they can. */
export type FamilyKind = 'thermometer' | 'switch' | 'counter' | 'monitor' | 'potentiometer' | 'other';

/** A family of devices. */
export interface Family {
  readonly kind: FamilyKind;
  /** Its name in catalogues: `DS18B20`. */
  readonly type: string;
  /** The kernel's module that knows it; absent where none does. */
  readonly driver?: string;
  /** Of a switch: how many pins it has, and whether the kernel tells how they stand. */
  readonly pins?: number;
  readonly hasInputs?: boolean;
}

const therm = (type: string): Family => ({ kind: 'thermometer', type, driver: 'w1_therm' });
const pio = (type: string, pins: number, hasInputs: boolean): Family => ({
  kind: 'switch',
  type,
  driver: `w1_${type.toLowerCase()}`,
  pins,
  hasInputs,
});

const families: Readonly<Record<string, Family>> = {
  '05': pio('DS2405', 1, true),
  10: therm('DS18S20'),
  12: pio('DS2406', 2, false),
  '1d': { kind: 'counter', type: 'DS2423', driver: 'w1_ds2423' },
  22: therm('DS1822'),
  26: { kind: 'monitor', type: 'DS2438', driver: 'w1_ds2438' },
  28: therm('DS18B20'),
  29: pio('DS2408', 8, true),
  '2c': { kind: 'potentiometer', type: 'DS2890' },
  '3a': pio('DS2413', 2, true),
  '3b': therm('DS1825'),
  42: therm('DS28EA00'),
};

/** The family of an address; of one that is not known here, only whether it is there can be told. */
export function familyOf(address: string): Family {
  const code = address.slice(0, 2);
  return families[code] ?? { kind: 'other', type: `family ${code}` };
}

/** The variables of a device; what it is asked for every `everyS` seconds is stale when it was missed three times. */
export function variablesOf(address: string, everyS: number): VariableDeclaration[] {
  const { boolean, integer, float } = variableType;
  const family = familyOf(address);
  if (family.kind === 'other')
    return [{ ident: 'PRESENT', name: 'Present', type: boolean, profile: '~Presence' }];
  const own: Omit<VariableDeclaration, 'position'>[] = [];
  switch (family.kind) {
    case 'thermometer':
      own.push({ ident: 'TEMPERATURE', name: 'Temperature', type: float, profile: '~Temperature' });
      break;
    case 'switch':
      own.push(...pinsOf(family));
      break;
    case 'counter':
      for (const letter of ['A', 'B'])
        own.push({ ident: `COUNTER_${letter}`, name: `Counter ${letter}`, type: integer });
      break;
    case 'monitor':
      own.push({ ident: 'TEMPERATURE', name: 'Temperature', type: float, profile: '~Temperature' });
      own.push({ ident: 'VAD', name: 'Voltage at the input', type: float, profile: '~Volt' });
      own.push({ ident: 'VDD', name: 'Supply voltage', type: float, profile: '~Volt' });
      break;
    case 'potentiometer':
      own.push({ ident: 'POSITION', name: 'Position', type: integer, action: true });
  }
  const staleAfterS = everyS * 3 + 10;
  return [
    ...own.map((one, index) => ({ ...one, position: index + 1, staleAfterS })),
    { ident: 'ERRORS', name: 'Errors', type: integer, position: 900 },
  ];
}

function pinsOf({ type, pins = 0, hasInputs }: Family): Omit<VariableDeclaration, 'position'>[] {
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
