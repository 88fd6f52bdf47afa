import { maskUrls } from '../url-secrets.js';

/** What a sentence is about: a name, a number, another sentence, or a list of them. */
export type Parameter = string | number | boolean | CodedText | readonly Parameter[];

/**
 * An English sentence with what it was made from: a stable code and its parameters, from which clients make
 * the sentence in other languages.
 */
export class CodedText {
  /** Stable, in capitals; a code never changes its meaning. */
  readonly code: string;
  readonly parameters: readonly Parameter[];
  readonly text: string;

  constructor(code: string, parameters: readonly Parameter[], text: string) {
    this.code = code;
    this.parameters = parameters.map(masked);
    this.text = maskUrls(text);
  }

  toString(): string {
    return this.text;
  }
}

/** A sentence; without a code if it is not the gateway's own, such as an error text of the kernel. */
export type Text = string | CodedText;

/** An error whose message is a sentence with a code. */
export class CodedError extends Error {
  readonly codedText: CodedText;

  constructor(text: Text, options?: ErrorOptions) {
    super(String(text), options);
    this.codedText = codedTextOf(text);
  }
}

/** A sentence as functions return it. `Code` is TEXT for a sentence without a code of its own. */
export interface TextRecord {
  readonly Code: string;
  readonly Parameters: readonly ParameterRecord[];
  readonly Text: string;
}
export type ParameterRecord = string | number | boolean | TextRecord | readonly ParameterRecord[];

/** Makes a sentence from its code and its text: `` coded`PORT_MISSING: there is no port ${name}` ``. */
export function coded(strings: TemplateStringsArray, ...parameters: readonly Parameter[]): CodedText {
  const [first = '', ...others] = strings;
  const end = first.indexOf(': ');
  const raw = [first.slice(end + 2), ...others];
  return new CodedText(first.slice(0, end), parameters, String.raw({ raw }, ...parameters.map(wordsOf)));
}

/** Several sentences as one; a single one as it is. */
export function joined(texts: readonly Text[], separator: '; ' | '\n' = '; '): CodedText {
  const code = separator === '\n' ? 'LINES' : 'SENTENCES';
  return texts.length === 1
    ? codedTextOf(texts[0] ?? '')
    : new CodedText(code, texts, texts.map(String).join(separator));
}

/** Words of which one is meant: `on or off`. */
export const either = ([first = '', ...others]: readonly string[]): Parameter =>
  others.reduce<Parameter>((all, word) => coded`OR: ${all} or ${word}`, first);

/** A sentence of another program, or of the owner, which has no code of its own. */
export const codedTextOf = (text: Text): CodedText =>
  typeof text === 'string' ? new CodedText('TEXT', [text], text) : text;

export function recordOf(text: Text): TextRecord {
  const { code, parameters, text: english } = codedTextOf(text);
  return { Code: code, Parameters: parameters.map(parameterRecord), Text: english };
}

/** The sentence that a record was made from. */
export const fromRecord = ({ Code, Parameters, Text: english }: TextRecord): CodedText =>
  new CodedText(Code, Parameters.map(parameterOf), english);

/** The parameter that a record was made from. */
export function parameterOf(parameter: ParameterRecord): Parameter {
  if (typeof parameter !== 'object') return parameter;
  return 'Code' in parameter ? fromRecord(parameter) : parameter.map(parameterOf);
}

export function parameterRecord(parameter: Parameter): ParameterRecord {
  if (parameter instanceof CodedText) return recordOf(parameter);
  return isList(parameter) ? parameter.map(parameterRecord) : parameter;
}

/** Words as a list: `a, b and c`. */
function wordsOf(parameter: Parameter): string {
  if (!isList(parameter)) return String(parameter);
  const words = parameter.map(wordsOf);
  return words.length < 2
    ? words.join('')
    : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

function masked(parameter: Parameter): Parameter {
  if (typeof parameter === 'string') return maskUrls(parameter);
  return isList(parameter) ? parameter.map(masked) : parameter;
}

const isList = (parameter: Parameter): parameter is readonly Parameter[] => Array.isArray(parameter);
