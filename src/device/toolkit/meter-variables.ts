import { variableType, type VariableDeclaration } from '../module.js';
import { profileOf, quantities } from './quantities.js';

/** The parts of an ident after its quantity: `_L1`, `_T2`, `_S1`, `_U1`, `_MAX`, `_1`. */
const SUFFIXES =
  /(?:_(?:L[123]|L(?:12|23|31)|T[0-9]{1,3}|S[0-9]{1,4}|U[0-9]{1,4}|MAX|MIN|ERR|[1-9][0-9]?))*$/;
/** The ident of a meter's value. */
const IDENT = /^[A-Z][A-Z_]{1,30}[A-Z](?:_[A-Z0-9]{1,5})*$/;

/** What a suffix adds to the name of a variable. */
const suffixNames: readonly (readonly [pattern: RegExp, name: (number: string) => string])[] = [
  [/^L([123])$/, (number) => ` L${number}`],
  [/^L([123][123])$/, (pair) => ` L${pair[0]}-L${pair[1]}`],
  [/^T([0-9]+)$/, (number) => ` T${number}`],
  [/^S([0-9]+)$/, (number) => `, stored value ${number}`],
  [/^U([0-9]+)$/, (number) => `, unit ${number}`],
  [/^([0-9]+)$/, (number) => `, channel ${number}`],
  [/^MAX$/, () => ', maximum'],
  [/^MIN$/, () => ', minimum'],
  [/^ERR$/, () => ', during an error'],
];

/** Suffixes of values that matter as much as the quantity without one. */
const MAIN_SUFFIX = /^(?:T[0-9]+|[0-9]+)$/;

/** Sub-meters report every hour, those of DSMR 5 every 5 minutes; two reports may be missing. */
const SUB_METER_STALE_S = 3 * 3600;

/** The ident of the variable with the meter's number. */
export const SERIAL = 'SERIAL';

const byPart = new Map(quantities.map((quantity) => [quantity.part, quantity]));

/** The declaration of a meter's value by its ident (`ENERGY_IN_T1`); undefined if no meter has it. */
export function describeValue(ident: string): VariableDeclaration | undefined {
  if (!IDENT.test(ident)) return undefined;
  const suffix = SUFFIXES.exec(ident)?.[0] ?? '';
  const quantity = byPart.get(ident.slice(0, ident.length - suffix.length));
  if (quantity === undefined) return undefined;
  const parts = suffix.split('_').slice(1);
  const { role, isCounter = false, type = 'float' } = quantity;
  return {
    ident,
    name: quantity.name + parts.map(nameOf).join(''),
    type: variableType[type],
    role: parts.every((part) => MAIN_SUFFIX.test(part)) ? role : 'detail',
    ...profileOf(quantity),
    // A stored or extreme value of a counter changes in both directions.
    ...(isCounter &&
      parts.every((part) => MAIN_SUFFIX.test(part) || /^[UL]/.test(part)) && { counter: true }),
  };
}

function nameOf(part: string): string {
  for (const [pattern, name] of suffixNames) {
    const match = pattern.exec(part);
    if (match !== null) return name(match[1] ?? '');
  }
  return '';
}

/** The variables of a meter with these values, in the order of the quantities. */
export function variablesOf(values: readonly string[], staleAfterS: number): VariableDeclaration[] {
  const idents = [...new Set([...values, SERIAL])];
  return idents
    .flatMap((ident) => describeValue(ident) ?? [])
    .toSorted((one, other) => rank(one.ident) - rank(other.ident))
    .map((declared, index) => ({
      ...declared,
      position: index + 1,
      ...(declared.type === variableType.string
        ? {}
        : {
            staleAfterS: isOfSubMeter(declared.ident)
              ? Math.max(staleAfterS, SUB_METER_STALE_S)
              : staleAfterS,
          }),
    }));
}

/** Whether a value is one of a meter behind this one: `GAS_1`. */
function isOfSubMeter(ident: string): boolean {
  return /_[1-9]$/.test(ident);
}

function rank(ident: string): number {
  const suffix = SUFFIXES.exec(ident)?.[0] ?? '';
  const part = ident.slice(0, ident.length - suffix.length);
  return quantities.findIndex((quantity) => quantity.part === part);
}
