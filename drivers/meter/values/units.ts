/** The units of variables. */
export type Target =
  '' | 'kWh' | 'kvarh' | 'W' | 'V' | 'A' | 'Hz' | 'm3' | 'm3/h' | 'K' | '°C' | 'bar' | 'h' | 'kg' | '%';

/** A factor as a fraction: 1/1000 as a number is not exact. */
interface Factor {
  readonly multiply: number;
  readonly divide: number;
}

const by = (multiply: number, divide = 1): Factor => ({ multiply, divide });

/** Unit of a variable → unit of a meter → factor. */
const factors: Readonly<Record<Target, Readonly<Record<string, Factor>>>> = {
  '': { '': by(1) },
  kWh: {
    Wh: by(1, 1000),
    kWh: by(1),
    MWh: by(1000),
    GWh: by(1_000_000),
    J: by(1, 3_600_000),
    kJ: by(1, 3600),
    MJ: by(10, 36),
    GJ: by(10_000, 36),
  },
  kvarh: { varh: by(1, 1000), kvarh: by(1), Mvarh: by(1000) },
  W: { W: by(1), kW: by(1000), MW: by(1_000_000), 'J/h': by(1, 3600) },
  V: { mV: by(1, 1000), V: by(1), kV: by(1000) },
  A: { mA: by(1, 1000), A: by(1) },
  Hz: { Hz: by(1) },
  m3: { m3: by(1), 'm^3': by(1), l: by(1, 1000) },
  'm3/h': {
    'm3/h': by(1),
    m3ph: by(1),
    'm3*h': by(1),
    'l/h': by(1, 1000),
    'm3/min': by(60),
    'm3/s': by(3600),
  },
  K: { K: by(1) },
  '°C': { '°C': by(1), C: by(1) },
  bar: { bar: by(1), Pa: by(1, 100_000) },
  h: { h: by(1), s: by(1, 3600) },
  kg: { kg: by(1) },
  '%': { '%': by(1) },
};

/** The factor from a meter's unit to the unit of a variable; undefined for another quantity. */
export function conversionFactor(unit: string, target: Target): Factor | undefined {
  const known = factors[target];
  return Object.hasOwn(known, unit) ? known[unit] : undefined;
}
