/** What a record is about, by its value information field (EN 13757-3, table 10 and the following). */
export interface ValueInfo {
  /** `energy`, `flow temperature`; `date` and `time` are points in time, `text` has a unit of its own. */
  readonly quantity: string;
  /** '' for numbers without a unit. */
  readonly unit: string;
  /** The power of ten, or for durations the factor to seconds. */
  readonly exponent: number;
  readonly factor?: number;
}

type Range = readonly [first: number, last: number, quantity: string, unit: string, exponent: number];

/** Each value of a range adds one to the exponent of the first. */
const primary: readonly Range[] = [
  [0x00, 0x07, 'energy', 'Wh', -3],
  [0x08, 0x0f, 'energy', 'J', 0],
  [0x10, 0x17, 'volume', 'm3', -6],
  [0x18, 0x1f, 'mass', 'kg', -3],
  [0x28, 0x2f, 'power', 'W', -3],
  [0x30, 0x37, 'power', 'J/h', 0],
  [0x38, 0x3f, 'flow', 'm3/h', -6],
  [0x40, 0x47, 'flow', 'm3/min', -7],
  [0x48, 0x4f, 'flow', 'm3/s', -9],
  [0x50, 0x57, 'mass flow', 'kg/h', -3],
  [0x58, 0x5b, 'flow temperature', '°C', -3],
  [0x5c, 0x5f, 'return temperature', '°C', -3],
  [0x60, 0x63, 'temperature difference', 'K', -3],
  [0x64, 0x67, 'external temperature', '°C', -3],
  [0x68, 0x6b, 'pressure', 'bar', -3],
  [0x6c, 0x6c, 'date', '', 0],
  [0x6d, 0x6d, 'time', '', 0],
  [0x6e, 0x6e, 'heat cost units', '', 0],
  [0x78, 0x78, 'fabrication number', '', 0],
  [0x79, 0x79, 'identification', '', 0],
  [0x7a, 0x7a, 'bus address', '', 0],
];

/** After 0xfd. */
const firstExtension: readonly Range[] = [
  [0x08, 0x08, 'access number', '', 0],
  [0x09, 0x09, 'medium', '', 0],
  [0x0a, 0x0a, 'manufacturer', '', 0],
  [0x0b, 0x0b, 'parameter set', '', 0],
  [0x0c, 0x0c, 'model', '', 0],
  [0x0d, 0x0d, 'hardware version', '', 0],
  [0x0e, 0x0e, 'firmware version', '', 0],
  [0x0f, 0x0f, 'software version', '', 0],
  [0x17, 0x17, 'error flags', '', 0],
  [0x1a, 0x1a, 'digital output', '', 0],
  [0x1b, 0x1b, 'digital input', '', 0],
  [0x40, 0x4f, 'voltage', 'V', -9],
  [0x50, 0x5f, 'current', 'A', -12],
];

/** After 0xfb. */
const secondExtension: readonly Range[] = [
  [0x00, 0x01, 'energy', 'Wh', 5],
  [0x08, 0x09, 'energy', 'J', 8],
  [0x10, 0x11, 'volume', 'm3', 2],
  [0x18, 0x19, 'mass', 'kg', 5],
  [0x1a, 0x1b, 'humidity', '%', -1],
  [0x28, 0x29, 'power', 'W', 5],
  [0x30, 0x31, 'power', 'J/h', 8],
];

/** Durations in seconds, minutes, hours and days. */
const durations: Readonly<Record<number, string>> = {
  0x20: 'on time',
  0x24: 'operating time',
  0x70: 'averaging duration',
  0x74: 'actuality duration',
};
const SECONDS = [1, 60, 3600, 86_400];

const UNKNOWN: ValueInfo = { quantity: 'unknown', unit: '', exponent: 0 };

const FIRST_EXTENSION = 0xfd;
const SECOND_EXTENSION = 0xfb;
/** The unit is a text in the telegram. */
export const TEXT_UNIT = 0x7c;
const MANUFACTURER = 0x7f;

/** The meaning of a VIF and the VIFEs that follow it. */
export function valueInfo(vif: number, extensions: readonly number[]): ValueInfo {
  const plain = vif & 0x7f;
  const [first = 0] = extensions;
  const isExtended = vif === FIRST_EXTENSION || vif === SECOND_EXTENSION;
  const info = isExtended
    ? fromTable(vif === FIRST_EXTENSION ? firstExtension : secondExtension, first & 0x7f)
    : (durationInfo(plain) ?? fromTable(primary, plain));
  return corrected(info, isExtended ? extensions.slice(1) : extensions);
}

function durationInfo(vif: number): ValueInfo | undefined {
  const quantity = durations[vif & 0x7c];
  return quantity === undefined
    ? undefined
    : { quantity, unit: 's', exponent: 0, factor: SECONDS[vif & 3] ?? 1 };
}

function fromTable(table: readonly Range[], vif: number): ValueInfo {
  const row = table.find(([first, last]) => vif >= first && vif <= last);
  if (row === undefined) return UNKNOWN;
  const [first, , quantity, unit, exponent] = row;
  return { quantity, unit, exponent: exponent + vif - first };
}

/** Applies factors of ten; those after a manufacturer's own extension mean something else. */
export function corrected(info: ValueInfo, extensions: readonly number[]): ValueInfo {
  let { exponent } = info;
  for (const extension of extensions) {
    const plain = extension & 0x7f;
    if (plain === MANUFACTURER) break;
    if (plain >= 0x70 && plain <= 0x77) exponent += plain - 0x76;
    else if (plain === 0x7d) exponent += 3;
  }
  return { ...info, exponent };
}

/** Whether a record is the energy or volume that flowed backwards (VIFE 0x3c). */
export function isBackward(extensions: readonly number[]): boolean {
  return extensions.some((extension) => (extension & 0x7f) === 0x3c);
}
