import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { ModbusServer } from './modbus-server.js';

/** An entry of a map, as its file has it. */
interface Entry {
  readonly at: number;
  readonly type?: string;
  readonly length?: number;
  readonly bit?: number;
  readonly count?: number;
  readonly scale?: number;
  readonly offset?: number;
  readonly scaleAt?: number;
  readonly words?: string;
  readonly none?: 'ones' | 'highest' | 'lowest' | 'zero';
}

interface MapFile {
  readonly words?: string;
  readonly blocks: readonly {
    readonly table: 'coils' | 'discrete' | 'holding' | 'input';
    readonly models?: readonly number[];
    readonly values: Readonly<Record<string, Entry>>;
  }[];
}

/** Registers of the types, written from the specification and not from the driver. */
const SIZES: Readonly<Record<string, number>> = {
  int16: 1,
  uint16: 1,
  int32: 2,
  uint32: 2,
  float32: 2,
  int64: 4,
  uint64: 4,
  float64: 4,
};

/** The first word of a number that means "no value", and the others. */
const NO_VALUES = {
  ones: [0xffff, 0xffff],
  highest: [0x7fff, 0xffff],
  lowest: [0x8000, 0],
  zero: [0, 0],
} as const;

/** The lengths of the SunSpec models, without their heads. */
const MODEL_LENGTHS: Readonly<Record<number, number>> = {
  1: 66,
  101: 50,
  111: 60,
  124: 24,
  201: 105,
  211: 124,
  802: 62,
};
const SUNSPEC = 40_000;

/** Registers with a generated value for each entry of a map, and the values that a device should have. */
export class RegisterImage {
  readonly expected = new Map<string, number | string | boolean>();
  /** The values that the map knows as missing: their words by address. */
  readonly missing = new Map<string, ReadonlyMap<number, number>>();
  readonly #map: MapFile;
  /** Tables by name: the words or bits by address. */
  readonly #tables = {
    coils: new Map<number, number>(),
    discrete: new Map<number, number>(),
    holding: new Map<number, number>(),
    input: new Map<number, number>(),
  };
  #count = 0;

  constructor(path: string) {
    this.#map = parse(readFileSync(path, 'utf8')) as MapFile;
    const models = this.#placeModels();
    for (const { table, models: some, values } of this.#map.blocks) {
      const base = some === undefined ? 0 : (models.get(some[0] ?? 0) ?? 0);
      this.#fill(table, base, Object.values(values));
      for (const [ident, entry] of Object.entries(values)) this.#add(table, base, [ident, entry]);
    }
  }

  /** Loads the image into a server of another implementation. */
  load(server: ModbusServer): void {
    const { coils, discrete, holding, input } = this.#tables;
    for (const [target, source] of [
      [server.holding, holding],
      [server.input, input],
    ] as const) {
      target.clear();
      for (const [at, word] of source) target.set(at, word);
    }
    for (const [target, source] of [
      [server.coils, coils],
      [server.inputs, discrete],
    ] as const) {
      target.clear();
      for (const [at, bit] of source) target.set(at, bit === 1);
    }
  }

  /** Makes every value missing that the map knows as missing. */
  loadMissing(server: ModbusServer): void {
    for (const words of this.missing.values())
      for (const target of [server.holding, server.input])
        for (const [at, word] of words) target.set(at, word);
  }

  /** The registers from an address on, as hexadecimal digits. */
  holding(at: number, count: number): string {
    const words = Array.from({ length: count }, (_, index) => this.#tables.holding.get(at + index) ?? 0);
    return words.map((word) => word.toString(16).padStart(4, '0')).join('');
  }

  #placeModels(): ReadonlyMap<number, number> {
    const models = this.#map.blocks.flatMap(({ models: some }) => some?.[0] ?? []);
    const places = new Map<number, number>();
    if (models.length === 0) return places;
    const { holding } = this.#tables;
    holding.set(SUNSPEC, 0x5375).set(SUNSPEC + 1, 0x6e53);
    let at = SUNSPEC + 2;
    for (const model of models) {
      const length = MODEL_LENGTHS[model] ?? 0;
      for (let index = 0; index < length + 2; index++) holding.set(at + index, 0);
      holding.set(at, model).set(at + 1, length);
      places.set(model, at);
      at += length + 2;
    }
    holding.set(at, 0xffff).set(at + 1, 0);
    for (const empty of [50_000, 50_001, 0, 1]) holding.set(empty, 0);
    return places;
  }

  /** A block is read by one request: a device has all addresses between its values. */
  #fill(table: 'coils' | 'discrete' | 'holding' | 'input', base: number, entries: readonly Entry[]): void {
    const places = entries.flatMap((entry) => [entry.at, entry.scaleAt ?? entry.at]);
    const ends = entries.map((entry) => entry.at + (entry.count ?? 1) * sizeOf(entry));
    for (let at = Math.min(...places); at < Math.max(...ends, ...places.map((one) => one + 1)); at++)
      if (!this.#tables[table].has(base + at)) this.#tables[table].set(base + at, 0);
  }

  #add(
    table: 'coils' | 'discrete' | 'holding' | 'input',
    base: number,
    [ident, entry]: [string, Entry],
  ): void {
    for (let index = 0; index < (entry.count ?? 1); index++) {
      const name = entry.count === undefined ? ident : `${ident}_${index + 1}`;
      const number = (this.#count += 1);
      if (table === 'coils' || table === 'discrete') {
        this.#tables[table].set(base + entry.at + index, number % 2);
        this.expected.set(name, number % 2 === 1);
        continue;
      }
      const at = base + entry.at + index * sizeOf(entry);
      const value = this.#store(this.#tables[table], { at, base, number }, entry);
      this.expected.set(name, ident === 'SERIAL' ? String(value) : value);
      if (entry.none !== undefined) this.missing.set(name, this.#missingWords(at, entry));
    }
  }

  #missingWords(at: number, entry: Entry): ReadonlyMap<number, number> {
    const [first, other] = NO_VALUES[entry.none ?? 'ones'];
    const words = Array.from({ length: sizeOf(entry) }, (_, index) => (index === 0 ? first : other));
    const isSwapped = (entry.words ?? this.#map.words) === 'low-first';
    return new Map((isSwapped ? words.toReversed() : words).map((word, index) => [at + index, word]));
  }

  #store(
    words: Map<number, number>,
    { at, base, number }: { readonly at: number; readonly base: number; readonly number: number },
    entry: Entry,
  ): number | string {
    const { type = 'uint16', scale = 1, offset = 0 } = entry;
    const bytes = Buffer.alloc(2 * sizeOf(entry));
    if (type === 'text') {
      bytes.write(`Text ${number}`, 'latin1');
      this.#write(words, at, bytes);
      return `Text ${number}`;
    }
    const isFloat = type.startsWith('float');
    const isSigned = type.startsWith('int');
    const raw = isFloat ? 100 + number / 4 : isSigned && number % 3 === 0 ? -500 - number : 2000 + number;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (type === 'float32') view.setFloat32(0, raw);
    else if (type === 'float64') view.setFloat64(0, raw);
    else if (bytes.length === 8) view.setBigInt64(0, BigInt(raw));
    else if (bytes.length === 4) view.setInt32(0, raw);
    else view.setInt16(0, raw);
    const isSwapped = (entry.words ?? this.#map.words) === 'low-first';
    const pairs = bytes.toString('hex').match(/.{4}/g) ?? [];
    this.#write(words, at, Buffer.from((isSwapped ? pairs.toReversed() : pairs).join(''), 'hex'));
    let exponent = 0;
    if (entry.scaleAt !== undefined) {
      exponent = -(1 + (entry.scaleAt % 2));
      words.set(base + entry.scaleAt, 0x10000 + exponent);
    }
    return Number((Number(`${raw}e${exponent}`) * scale + offset).toPrecision(15));
  }

  #write(words: Map<number, number>, at: number, bytes: Buffer): void {
    for (let index = 0; index < bytes.length / 2; index++)
      words.set(at + index, bytes.readUInt16BE(2 * index));
  }
}

function sizeOf({ type = 'uint16', length = 1 }: Entry): number {
  return type === 'text' ? length : (SIZES[type] ?? 1);
}
