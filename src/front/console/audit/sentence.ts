import type { AuditEntry } from '../../../client/generated/records.js';
import { locale } from '../../web/i18n/i18n.js';
import { faultName } from '../i18n/gateway-texts.js';
import { auditTexts, ROWS } from './texts.js';

/** A part of a sentence: a text, or parameters of the call. */
export type SentencePart =
  | string
  | {
      readonly parameter: number;
      /** The ident of a variable of the object, as a parameter. */
      readonly ident: number | undefined;
      /** The parameters that name the variable whose value it is. */
      readonly variable: { readonly parameter: number; readonly ident: number | undefined } | undefined;
    };

const PLACEHOLDER = /\{(\d)(?:\.(\d))?(?::(\d)(?:\.(\d))?)?\}/;
const PLACEHOLDERS = new RegExp(PLACEHOLDER.source.replace(/\((?!\?)/g, '(?:'), 'g');

/** What a call did, or could not do. The sentence begins with who made it. */
export function sentenceOf({ Method, Parameters, Success }: AuditEntry): readonly SentencePart[] {
  const text = auditTexts();
  // What a call does may depend on a flag, which is its first or second parameter, or on an empty name.
  const [first, second] = Parameters;
  const flag = [first, second].find((one) => typeof one === 'boolean') ?? (first === '' ? first : undefined);
  const method = flag === undefined ? Method : `${Method}=${String(flag)}`;
  const [, en = text.called(Method), de = en] = ROWS.find(([pattern]) => pattern.test(method)) ?? [];
  const template = (locale() === 'de' ? de : en).replace(
    /\[([^|]*)\|([^\]]*)\]/,
    (_verbs, done: string, infinitive: string) => (Success ? done : text.not + infinitive),
  );
  return partsOf((Success ? text.done : text.failed) + template);
}

function partsOf(template: string): SentencePart[] {
  const texts = template.split(PLACEHOLDERS);
  const found = template.match(PLACEHOLDERS) ?? [];
  return texts.flatMap((one, index) => [one, ...found.slice(index, index + 1).map(placeholderOf)]);
}

function placeholderOf(text: string): SentencePart {
  const [, parameter, ident, variable, ofIdent] = PLACEHOLDER.exec(text) ?? [];
  const number = (digit: string | undefined) => (digit === undefined ? undefined : Number(digit));
  return {
    parameter: Number(parameter),
    ident: number(ident),
    variable: variable === undefined ? undefined : { parameter: Number(variable), ident: number(ofIdent) },
  };
}

/** Why a call was rejected. */
export function rejectionOf(code: string): string {
  return auditTexts().reasons[code] ?? faultName(code) ?? code.toLowerCase().replaceAll('_', ' ');
}
