import * as jinja from '@huggingface/jinja';
import { TemplateError } from './value.js';

/** A node of a template’s syntax tree, as the package makes it. */
export type Node =
  | { readonly type: 'Program'; readonly body: readonly Node[] }
  | { readonly type: 'Comment' | 'Break' | 'Continue' }
  | {
      readonly type: 'If';
      readonly test: Node;
      readonly body: readonly Node[];
      readonly alternate: readonly Node[];
    }
  | {
      readonly type: 'For';
      readonly loopvar: Node;
      readonly iterable: Node;
      readonly body: readonly Node[];
      readonly defaultBlock: readonly Node[];
    }
  | {
      readonly type: 'Set';
      readonly assignee: Node;
      readonly value: Node | null;
      readonly body: readonly Node[];
    }
  | {
      readonly type: 'Macro';
      readonly name: Name;
      readonly args: readonly Node[];
      readonly body: readonly Node[];
    }
  | { readonly type: 'FilterStatement'; readonly filter: Node; readonly body: readonly Node[] }
  | {
      readonly type: 'MemberExpression';
      readonly object: Node;
      readonly property: Node;
      readonly computed: boolean;
    }
  | Call
  | Name
  | { readonly type: 'StringLiteral'; readonly value: string }
  | { readonly type: 'IntegerLiteral' | 'FloatLiteral'; readonly value: number }
  | { readonly type: 'ArrayLiteral' | 'TupleLiteral'; readonly value: readonly Node[] }
  | { readonly type: 'ObjectLiteral'; readonly value: ReadonlyMap<Node, Node> }
  | {
      readonly type: 'BinaryExpression';
      readonly operator: { readonly value: string };
      readonly left: Node;
      readonly right: Node;
    }
  | {
      readonly type: 'UnaryExpression';
      readonly operator: { readonly value: string };
      readonly argument: Node;
    }
  | { readonly type: 'FilterExpression'; readonly operand: Node; readonly filter: Node }
  | { readonly type: 'TestExpression'; readonly operand: Node; readonly negate: boolean; readonly test: Name }
  | { readonly type: 'SelectExpression'; readonly lhs: Node; readonly test: Node }
  | { readonly type: 'Ternary'; readonly condition: Node; readonly trueExpr: Node; readonly falseExpr: Node }
  | {
      readonly type: 'SliceExpression';
      readonly start?: Node;
      readonly stop?: Node;
      readonly step?: Node;
    }
  | { readonly type: 'KeywordArgumentExpression'; readonly key: Name; readonly value: Node }
  | { readonly type: 'SpreadExpression' | 'KeywordSpreadExpression'; readonly argument: Node };

interface Name {
  readonly type: 'Identifier';
  readonly value: string;
}

interface Call {
  readonly type: 'CallExpression';
  readonly callee: Node;
  readonly args: readonly Node[];
}

/** What the package's tokenizer makes, and its parser takes. */
interface Token {
  readonly type: string;
  readonly value: string;
}
const tokenize = jinja.tokenize as (text: string) => Token[];
const parse = jinja.parse as (tokens: readonly Token[]) => unknown;

/** Characters of a template. */
const TEMPLATE_LIMIT = 16_384;

/** Parses a template. Throws a {@link TemplateError} that says what is wrong. */
export function parseTemplate(text: string): Node {
  if (text.length > TEMPLATE_LIMIT)
    throw new TemplateError(`the template has more than ${TEMPLATE_LIMIT} characters`);
  try {
    const tree = parse(withTestArguments(withTuples(withNumbers(tokenize(text)))));
    return tree as Node;
  } catch (thrown) {
    const isTooDeep = thrown instanceof RangeError;
    throw new TemplateError(isTooDeep ? 'the template is nested too deeply' : syntaxText(thrown as Error));
  }
}

/** If a template ends too early, the package fails with an internal error, a TypeError. */
const syntaxText = (thrown: Error): string =>
  thrown instanceof TypeError ? 'the template ends too early' : thrown.message;

const make = (type: string, value: string): Token => ({ type, value });

/** `e3`, and `e` before a sign and digits; `x1f`; `_000` */
const NUMBER_END = /^(?:e\d*|x[\da-f_]+|b[01_]+|o[0-7_]+|_[\d_]+)$/i;

/** The package reads only the first part of `1e3`, `1.5e-3`, `0x1f` and `1_000` as a number. */
function withNumbers(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const end = tokens[at + 1];
    if (token.type !== 'NumericLiteral' || end?.type !== 'Identifier' || !NUMBER_END.test(end.value)) {
      made.push(token);
      continue;
    }
    // `e` alone is followed by a sign and digits.
    const rest = /^e$/i.test(end.value) ? tokens.slice(at + 2, at + 4) : [];
    const text = [token, end, ...rest].map(({ value }) => value).join('');
    at += 1 + rest.length;
    const plain = text.replaceAll('_', '');
    const isFloat = /^[\d.]+e/i.test(plain);
    // What has a point is a float.
    if (isFloat) made.push(make('NumericLiteral', plain.includes('.') ? plain : plain.replace(/e/i, '.0e')));
    else made.push(make('NumericLiteral', String(Number(plain))));
  }
  return made;
}

/** Words before a parenthesis that is no call. */
const BEFORE_GROUP = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'elif']);

/**
 * The package does not parse a comma before a closing bracket: `(1,)` becomes `[1]|tuple`, `(1, 2,)` `(1,
 * 2)`.
 */
function withTuples(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  /** The open parentheses: their places, and commas in them. */
  const open: { readonly at: number; readonly isGroup: boolean; commas: number }[] = [];
  for (const [n, token] of tokens.entries()) {
    const inner = open.at(-1);
    if (/^Open(Paren|Square|Curly)/.test(token.type)) {
      const before = tokens[n - 1];
      const isCall =
        before !== undefined &&
        (/^Close(Paren|Square)|^StringLiteral/.test(before.type) ||
          (before.type === 'Identifier' && !BEFORE_GROUP.has(before.value)));
      open.push({ at: made.length, isGroup: token.type === 'OpenParen' && !isCall, commas: 0 });
    } else if (/^Close(Paren|Square|Curly)/.test(token.type)) {
      open.pop();
      const isTrailing = made.at(-1)?.type === 'Comma';
      if (isTrailing) made.pop();
      if (isTrailing && inner?.isGroup === true && inner.commas === 1) {
        made[inner.at] = make('OpenSquareBracket', '[');
        made.push(make('CloseSquareBracket', ']'), make('Pipe', '|'), make('Identifier', 'tuple'));
        continue;
      }
    } else if (token.type === 'Comma' && inner !== undefined) inner.commas += 1;
    made.push(token);
  }
  return made;
}

/** Words after a test that are no argument of it. */
const AFTER_TEST = new Set(['and', 'or', 'if', 'else', 'is', 'in', 'not']);
const PRIMARY = new Set(['NumericLiteral', 'StringLiteral', 'Identifier']);

/**
 * The package does not parse arguments of tests (`x is divisibleby 3`, `x is match('a')`): they become those
 * of a filter `is divisibleby`.
 */
function withTestArguments(tokens: readonly Token[]): Token[] {
  const made: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const isNegated = isName(tokens[at + 1], 'not');
    const name = tokens[at + (isNegated ? 2 : 1)];
    const next = at + (isNegated ? 3 : 2);
    const end = isName(token, 'is') && name?.type === 'Identifier' ? argumentEnd(tokens, next) : next;
    if (end === next) {
      made.push(token);
      continue;
    }
    const test = make('Identifier', `is ${isNegated ? 'not ' : ''}${name?.value ?? ''}`);
    const isCall = tokens[next]?.type === 'OpenParen';
    // The argument may contain tests itself.
    const argument = withTestArguments(tokens.slice(next, end));
    made.push(make('Pipe', '|'), test);
    made.push(...(isCall ? argument : [make('OpenParen', '('), ...argument, make('CloseParen', ')')]));
    at = end - 1;
  }
  return made;
}

const isName = (token: Token | undefined, value: string): boolean =>
  token?.type === 'Identifier' && token.value === value;

/** The index after the argument of a test that begins at `at`; `at` if there is none. */
function argumentEnd(tokens: readonly Token[], at: number): number {
  const first = tokens[at];
  if (first === undefined || (first.type === 'Identifier' && AFTER_TEST.has(first.value))) return at;
  if (PRIMARY.has(first.type)) return at + 1;
  if (first.type !== 'OpenParen' && first.type !== 'OpenSquareBracket') return at;
  let depth = 0;
  for (let end = at; end < tokens.length; end++) {
    const { type } = tokens[end] as Token;
    if (/^Open(Paren|Square|Curly)/.test(type)) depth++;
    if (/^Close(Paren|Square|Curly)/.test(type)) depth--;
    if (depth === 0) return end + 1;
  }
  return at;
}
