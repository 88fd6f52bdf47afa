import { ITEM, spend, spendCharacters, TemplateError } from './steps.js';

export { TemplateError };

/**
 * The values of templates. They are those of Python, because templates show the difference between `21` and
 * `21.0`: integers are bigint, floats are number.
 */
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | Tuple
  | Dict
  | Missing
  | Callable
  | Namespace
  | Moment
  | Duration;

/** A name or a member that does not exist. It is empty and false, and most uses of it are errors. */
export class Missing {
  /** `'dict object' has no attribute 'x'` */
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

/** A tuple; differs from a list only in its text. */
export class Tuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** Arguments of a call: by position, and by name. */
export interface Arguments {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

/** A function, filter, test, macro or method. */
export class Callable {
  readonly name: string;
  readonly call: (given: Arguments) => Value;
  constructor(name: string, call: (given: Arguments) => Value) {
    this.name = name;
    this.call = call;
  }
}

/** The only object whose attributes a template can set. */
export class Namespace {
  readonly attributes = new Map<string, Value>();
}

/** A little less than the range of Date. */
const MOMENT_LIMIT_MS = 8e15;
/** That of Python: 999,999,999 days. */
const DURATION_LIMIT_MS = 999_999_999 * 86_400_000;

/** A moment with the time zone in which it is shown. */
export class Moment {
  readonly ms: number;
  /** Minutes that are added to UTC. */
  readonly offsetMinutes: number;
  /** Throws a {@link TemplateError} if it is out of range. */
  constructor(ms: number, offsetMinutes: number) {
    if (!(Math.abs(ms) < MOMENT_LIMIT_MS)) throw new TemplateError('the time stamp is out of range');
    this.ms = ms;
    this.offsetMinutes = offsetMinutes;
  }
}

/** The time between two moments. */
export class Duration {
  readonly ms: number;
  /** Throws a {@link TemplateError} if it is out of range. */
  constructor(ms: number) {
    if (!(Math.abs(ms) <= DURATION_LIMIT_MS)) throw new TemplateError('the duration is out of range');
    this.ms = Math.round(ms);
  }
}

/** A dictionary in the order of insertion. Keys that are equal in Python are the same key: 1, 1.0 and true. */
export class Dict {
  readonly #entries = new Map<string, readonly [key: Value, value: Value]>();

  static of(entries: Iterable<readonly [Value, Value]>): Dict {
    const made = new Dict();
    for (const [key, value] of entries) made.#entries.set(hashOf(key), [key, value]);
    return made;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    return this.#entries.get(hashOf(key))?.[1];
  }

  *entries(): Generator<readonly [Value, Value]> {
    yield* this.#entries.values();
  }

  keys(): Value[] {
    return [...this.#entries.values()].map(([key]) => key);
  }

  values(): Value[] {
    return [...this.#entries.values()].map(([, value]) => value);
  }
}

function hashOf(key: Value): string {
  if (typeof key === 'string') {
    spendCharacters(key.length);
    return `s${key}`;
  }
  if (key === null) return 'none';
  if (key instanceof Missing) return 'undefined';
  if (typeof key === 'boolean') return `n${key ? 1 : 0}`;
  if (typeof key === 'number' || typeof key === 'bigint') return `n${key}`;
  if (key instanceof Tuple) {
    // With its length, the hash of an item needs no quotes, whose escapes would double with each level.
    const hash = key.items.map((one) => hashOf(one)).reduce((all, one) => `${all}${one.length}:${one}`, 't');
    spend(ITEM);
    spendCharacters(hash.length);
    return hash;
  }
  throw new TemplateError(`unhashable type: '${typeName(key)}'`);
}

/** An integer or float; a boolean is one, too. Undefined for anything else. */
export function numberOf(value: Value): bigint | number | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  return typeof value === 'bigint' || typeof value === 'number' ? value : undefined;
}

/** The name of the type in Python. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Missing) return 'Undefined';
  if (value instanceof Callable) return 'function';
  if (value instanceof Namespace) return 'Namespace';
  if (value instanceof Moment) return 'datetime';
  if (value instanceof Duration) return 'timedelta';
  return { boolean: 'bool', bigint: 'int', number: 'float', string: 'str' }[typeof value as 'string'];
}

/** Digits of an integer in JSON; one with more is read as a float. */
const DIGIT_LIMIT = 1000;

/** Reads JSON as Python does: `1` is an integer, `1.0` and `1e3` are floats. Throws a SyntaxError. */
export function fromJson(text: string): Value {
  const reviver = (_key: string, value: unknown, { source = '' }: { source?: string }): unknown => {
    if (typeof value === 'number')
      return source.length <= DIGIT_LIMIT && /^-?\d+$/.test(source) ? BigInt(source) : value;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Dict.of(Object.entries(value as Record<string, Value>));
  };
  return JSON.parse(text, reviver as Parameters<typeof JSON.parse>[1]) as Value;
}

/** The items of a value that can be iterated: characters, items, keys. Throws otherwise. */
export function itemsOf(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value as readonly Value[];
  if (typeof value === 'string') {
    spendCharacters(value.length);
    return Array.from(value);
  }
  if (value instanceof Tuple) return value.items;
  if (value instanceof Dict) {
    spend(value.size * ITEM);
    return value.keys();
  }
  if (value instanceof Missing) return [];
  throw new TemplateError(`'${typeName(value)}' object is not iterable`);
}

/** Whether a value counts as true. */
export function isTrue(value: Value): boolean {
  if (value === null || value instanceof Missing) return false;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return value !== 0n;
  if (typeof value === 'number') return value !== 0;
  if (typeof value === 'string' || Array.isArray(value)) return value.length > 0;
  if (value instanceof Tuple) return value.items.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Duration) return value.ms !== 0;
  return true;
}
