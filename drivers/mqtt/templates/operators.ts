import { formatted } from './formats.js';
import { ITEM, spend, spendCharacters } from './steps.js';
import { textOf } from './text.js';
import {
  Dict,
  Duration,
  isTrue,
  itemsOf,
  Missing,
  Moment,
  numberOf,
  TemplateError,
  Tuple,
  typeName,
  type Value,
} from './value.js';

/** Bits of an integer above which an operation is rejected: templates of devices calculate with readings. */
const INTEGER_BITS = 4096;

/** Throws if the value does not exist. */
export function existing(value: Value): Value {
  if (value instanceof Missing) throw new TemplateError(value.what);
  return value;
}

/** The result of an operator of two operands other than `and` and `or`. */
export function operate(operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return compare(left, right, operator) < 0;
    case '<=':
      return compare(left, right, operator) <= 0;
    case '>':
      return compare(left, right, operator) > 0;
    case '>=':
      return compare(left, right, operator) >= 0;
    case 'in':
      return contains(right, left);
    case 'not in':
      return !contains(right, left);
    case '~':
      // Joining costs nothing until the text is read.
      return (
        (typeof left === 'string' ? left : textOf(left)) + (typeof right === 'string' ? right : textOf(right))
      );
    default:
      return calculate(operator, existing(left), existing(right));
  }
}

/** Whether two values are equal; numbers of any type are compared by value. */
export function isEqual(left: Value, right: Value): boolean {
  spendComparison(left, right);
  const [a, b] = [numberOf(left), numberOf(right)];
  // An integer and a float may be equal.
  // oxlint-disable-next-line eqeqeq
  if (a !== undefined && b !== undefined) return a == b;
  if (left instanceof Missing) return right instanceof Missing;
  if (Array.isArray(left)) return Array.isArray(right) && areEqual(left, right);
  if (left instanceof Tuple) return right instanceof Tuple && areEqual(left.items, right.items);
  if (left instanceof Moment) return right instanceof Moment && left.ms === right.ms;
  if (left instanceof Duration) return right instanceof Duration && left.ms === right.ms;
  if (!(left instanceof Dict) || !(right instanceof Dict)) return left === right;
  if (left.size !== right.size) return false;
  return [...left.entries()].every(([key, value]) => {
    const other = right.get(key);
    return other !== undefined && isEqual(value, other);
  });
}

function spendComparison(left: Value, right: Value): void {
  spend(ITEM);
  if (typeof left === 'string' && typeof right === 'string')
    spendCharacters(Math.min(left.length, right.length));
}

const areEqual = (left: readonly Value[], right: readonly Value[]): boolean =>
  left.length === right.length && left.every((one, n) => isEqual(one, right[n] as Value));

/** Negative, 0 or positive. Throws if the values have no order. */
export function compare(left: Value, right: Value, operator: string): number {
  spendComparison(left, right);
  const [a, b] = [numberOf(existing(left)), numberOf(existing(right))];
  // NaN is neither smaller nor larger.
  if (a !== undefined && b !== undefined) return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN; // oxlint-disable-line eqeqeq
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : left > right ? 1 : 0;
  if (left instanceof Moment && right instanceof Moment) return left.ms - right.ms;
  if (left instanceof Duration && right instanceof Duration) return left.ms - right.ms;
  const [these, those] = [sequenceOf(left), sequenceOf(right)];
  if (these === undefined || those === undefined || typeName(left) !== typeName(right))
    throw new TemplateError(
      `'${operator}' not supported between instances of '${typeName(left)}' and '${typeName(right)}'`,
    );
  for (const [n, one] of these.entries()) {
    const other = those[n];
    if (other === undefined) return 1;
    if (!isEqual(one, other)) return compare(one, other, operator);
  }
  return these.length - those.length;
}

function sequenceOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value as readonly Value[];
  return value instanceof Tuple ? value.items : undefined;
}

function contains(container: Value, part: Value): boolean {
  if (typeof container === 'string') {
    if (typeof part === 'string') {
      const at = container.indexOf(part);
      spendCharacters(at < 0 ? container.length : at + part.length);
      return at >= 0;
    }
    throw new TemplateError(`'in <string>' requires string as left operand, not ${typeName(part)}`);
  }
  if (container instanceof Dict) return container.get(part) !== undefined;
  return itemsOf(container).some((one) => isEqual(one, part));
}

function calculate(operator: string, left: Value, right: Value): Value {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== undefined && b !== undefined)
    return typeof a === 'bigint' && typeof b === 'bigint'
      ? ofIntegers(operator, a, b)
      : ofFloats(operator, Number(a), Number(b));
  if (operator === '+') {
    if (typeof left === 'string' && typeof right === 'string') return left + right;
    if (Array.isArray(left) && Array.isArray(right)) return concatenated(left, right);
    if (left instanceof Tuple && right instanceof Tuple)
      return new Tuple(concatenated(left.items, right.items));
  }
  const time = ofTimes(operator, left, right);
  if (time !== undefined) return time;
  if (operator === '*') {
    if (typeof b === 'bigint') return repeated(left, b);
    if (typeof a === 'bigint') return repeated(right, a);
  }
  if (operator === '%' && typeof left === 'string') return formatted(left, right);
  throw new TemplateError(
    `unsupported operand type(s) for ${operator}: '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function concatenated(left: readonly Value[], right: readonly Value[]): Value[] {
  spend((left.length + right.length) * ITEM);
  return [...left, ...right];
}

/** Moments and durations: those operations of Python that devices may use. */
function ofTimes(operator: string, left: Value, right: Value): Value | undefined {
  if (left instanceof Moment) {
    if (operator === '-' && right instanceof Moment) return new Duration(left.ms - right.ms);
    if (right instanceof Duration && (operator === '+' || operator === '-'))
      return moved(left, operator === '+' ? right.ms : -right.ms);
  }
  if (!(left instanceof Duration)) {
    if (right instanceof Duration && (operator === '+' || operator === '*'))
      return ofTimes(operator, right, left);
    return undefined;
  }
  if (right instanceof Moment) return operator === '+' ? moved(right, left.ms) : undefined;
  if (right instanceof Duration) {
    if (operator === '+') return new Duration(left.ms + right.ms);
    if (operator === '-') return new Duration(left.ms - right.ms);
    return operator === '/' ? left.ms / divisor(right.ms) : undefined;
  }
  const number = numberOf(right);
  if (number === undefined) return undefined;
  if (operator === '*') return new Duration(left.ms * Number(number));
  return operator === '/' ? new Duration(left.ms / Number(divisor(number))) : undefined;
}

const moved = ({ ms, offsetMinutes }: Moment, byMs: number): Moment => new Moment(ms + byMs, offsetMinutes);

function ofIntegers(operator: string, a: bigint, b: bigint): Value {
  switch (operator) {
    case '+':
      return limited(a + b);
    case '-':
      return limited(a - b);
    case '*':
      return limited(a * b);
    case '/':
      return Number(a) / Number(divisor(b));
    case '//':
      return floorDivision(a, divisor(b));
    case '%':
      return a - divisor(b) * floorDivision(a, b);
    case '**':
      if (b < 0n) return Number(divisor(a)) ** Number(b);
      // The size of the result is limited before it is calculated: |a| is at least 2 ** (bits - 1).
      if (BigInt(bitsOf(a) - 1) * b > BigInt(INTEGER_BITS)) throw tooLarge();
      return limited(a ** b);
    default:
      throw new TemplateError(`unknown operator ${operator}`);
  }
}

function ofFloats(operator: string, a: number, b: number): Value {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / divisor(b);
    case '//':
      return Math.floor(a / divisor(b));
    case '%':
      return a - divisor(b) * Math.floor(a / b);
    case '**':
      if (b < 0) divisor(a);
      return a ** b;
    default:
      throw new TemplateError(`unknown operator ${operator}`);
  }
}

function divisor<T extends bigint | number>(value: T): T {
  // oxlint-disable-next-line eqeqeq
  if (value == 0) throw new TemplateError('division by zero');
  return value;
}

function floorDivision(a: bigint, b: bigint): bigint {
  const rounded = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? rounded - 1n : rounded;
}

const tooLarge = (): TemplateError => new TemplateError('the integer is too large');

const bitsOf = (value: bigint): number => (value < 0n ? -value : value).toString(2).length;

function limited(value: bigint): bigint {
  if (BigInt.asIntN(INTEGER_BITS, value) !== value) throw tooLarge();
  return value;
}

/** Characters or items of a repetition, above which it is rejected. */
const REPETITION_LIMIT = 10_000;

function repeated(value: Value, count: bigint): Value {
  const sequence = typeof value === 'string' ? value : sequenceOf(value);
  if (sequence === undefined) throw new TemplateError(`can't multiply '${typeName(value)}' by an integer`);
  const times = Math.max(0, Number(count));
  if (sequence.length * times > REPETITION_LIMIT) throw new TemplateError('the repetition is too long');
  spend(times * (typeof sequence === 'string' ? 1 : 1 + sequence.length) * ITEM);
  if (typeof sequence === 'string') return sequence.repeat(times);
  const items = Array.from({ length: times }, () => sequence).flat();
  return value instanceof Tuple ? new Tuple(items) : items;
}

/** The member of a value by index, key or name. */
export function itemOf(value: Value, key: Value): Value {
  if (value instanceof Dict) return orMissing(value.get(key), value, key);
  const index = numberOf(key);
  const sequence =
    typeof value === 'string' && typeof index === 'bigint' ? itemsOf(value) : sequenceOf(value);
  if (sequence !== undefined && typeof index === 'bigint')
    return orMissing(sequence.at(Number(index)), value, key);
  if (value instanceof Missing) throw new TemplateError(value.what);
  return missingItem(value, key);
}

/** `??` would take a null for something missing. */
const orMissing = (found: Value | undefined, value: Value, key: Value): Value =>
  found === undefined ? missingItem(value, key) : found;

function missingItem(value: Value, key: Value): Missing {
  const kind = `'${typeName(value)} object'`;
  return new Missing(
    typeof key === 'string' ? `${kind} has no attribute '${key}'` : `${kind} has no element ${textOf(key)}`,
  );
}

/** Part of a sequence, as Python slices. */
export function sliceOf(value: Value, bounds: readonly (Value | undefined)[]): Value {
  const sequence = typeof value === 'string' ? itemsOf(value) : sequenceOf(existing(value));
  if (sequence === undefined) throw new TemplateError(`'${typeName(value)}' object can't be sliced`);
  const [start, stop, step = 1n] = bounds.map((one) => {
    const number = one === undefined || one === null ? undefined : numberOf(one);
    if (typeof number === 'number' || (one !== undefined && one !== null && number === undefined))
      throw new TemplateError('slice indices must be integers or None');
    return number;
  });
  const by = Number(step);
  if (by === 0) throw new TemplateError('slice step cannot be zero');
  const { length } = sequence;
  const place = (at: bigint | undefined, otherwise: number): number => {
    if (at === undefined) return otherwise;
    const index = Number(at) < 0 ? Number(at) + length : Number(at);
    return by > 0 ? Math.min(Math.max(index, 0), length) : Math.min(Math.max(index, -1), length - 1);
  };
  const [from, to] = [place(start, by > 0 ? 0 : length - 1), place(stop, by > 0 ? length : -1)];
  const found: Value[] = [];
  for (let at = from; by > 0 ? at < to : at > to; at += by) found.push(sequence[at] as Value);
  spend(found.length * ITEM);
  if (typeof value === 'string') return found.map(String).join('');
  return value instanceof Tuple ? new Tuple(found) : found;
}

/** `not`, `-` and `+`. */
export function operateUnary(operator: string, value: Value): Value {
  if (operator === 'not') return !isTrue(value);
  const number = numberOf(existing(value));
  if (number === undefined)
    throw new TemplateError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
  return operator === '-' ? -number : number;
}
