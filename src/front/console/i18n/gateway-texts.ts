import { signal } from '@preact/signals';
import { type Language, locale } from '../../web/i18n/i18n.js';
import { ownEntry } from '../../web/own-entry.js';
import type { RpcError } from '../../../client/errors.js';
import type { CodedText } from '../../../client/generated/records.js';
import type { FormElement } from '../forms/form-element.js';
import type { deGateway } from './de-gateway.js';
import type { deSentences } from './de-sentences.js';

const german = signal<(typeof deGateway & { readonly sentences: typeof deSentences }) | undefined>(undefined);

/** Loads the translation of the gateway's own texts. Until it is there, and if it is not, they are English. */
export async function loadGatewayTexts(language: Language): Promise<void> {
  if (language !== 'de') return;
  const [texts, { deSentences: sentences }] = await Promise.all([
    import('./de-gateway.js'),
    import('./de-sentences.js'),
  ]);
  german.value = { ...texts.deGateway, sentences };
}

/** Reading it subscribes to the language. */
const translation = () => (locale() === 'de' ? german.value : undefined);

const familyOf = (module: string) => translation()?.families.find(({ modules }) => module in modules);

/** The name of a module in the user's language. */
export function moduleCaption(name: string): string {
  return familyOf(name)?.modules[name]?.[0] ?? name;
}

/** What a module is for. */
export function moduleDescription(name: string, description: string): string {
  return familyOf(name)?.modules[name]?.[1] ?? description;
}

/** The name that a module gave to a variable; other names stay as they are. */
export const variableCaption = (name: string) => translation()?.variable(name) ?? name;

/** The name that the gateway gave to a variable of its own. */
export const gatewayVariable = (name: string) =>
  ownEntry(translation()?.gatewayVariables ?? {}, name) ?? name;

export const optionDescription = (name: string, description: string) =>
  translation()?.options[name] ?? description;

/** The title and the help of a setting; the entries of a map have the names that the owner gave them. */
export function settingText(path: string, given: readonly [string, string]): readonly [string, string] {
  const key = path.replace(/\[\d+\]/g, '').replace(/^profiles\.[^.]+\./, 'profiles.');
  return translation()?.settings[key] ?? given;
}

/** A word of a setting; in another language than that of the file with what it means. */
export function settingWord(word: string): string {
  const meaning = translation()?.settingWords[word];
  return meaning === undefined ? word : `${meaning} (${word})`;
}

export const checkName = (name: string) => translation()?.checks[name] ?? name;

/** What is known about found hardware: parts with commas, or a name, a colon and such parts. */
export function aboutHardware(text: string): string {
  const parts = translation()?.about ?? [];
  const part = (english: string) => {
    const known = parts.find(([pattern]) => pattern.test(english));
    return known === undefined ? english : english.replace(...known);
  };
  return text
    .split(/(, |: )/)
    .map(part)
    .join('');
}

type SentenceRecord = Omit<CodedText, 'Parameters'> & { readonly Parameters: readonly unknown[] };

/** What a form calls the property that a sentence names by its ident. */
type CaptionOf = (ident: string) => string | undefined;

/** A sentence of the gateway in the user's language. Without `captionOf`, properties have their idents. */
export function sentence({ Code, Parameters, Text }: SentenceRecord, captionOf?: CaptionOf): string {
  const sentences = translation()?.sentences;
  if (sentences === undefined) return Text;
  const wordsAt = (at: number) => wordsOf(Parameters[at], captionOf);
  if (Code === 'SENTENCES') return Parameters.map((_sentence, at) => wordsAt(at)).join('; ');
  if (Code === 'LINES') return Parameters.map((_line, at) => wordsAt(at)).join('\n');
  if (Code === 'WAITING_FOR_PARENT')
    return (sentences[Code] ?? Text).replace('{0}', moduleCaption(wordsAt(0)));
  return (
    sentences[Code]?.replace(/\{(\w+)\}/g, (_placeholder, at: string) =>
      /^\d$/.test(at) ? wordsAt(Number(at)) : (captionOf?.(at) ?? at),
    ) ?? Text
  );
}

/** What a fault is, without its parameters; undefined: there is no text in the user's language. */
export function faultName(code: string): string | undefined {
  return translation()
    ?.sentences?.[code]?.split(/[:;] |\?$/)[0]
    ?.replace(/#?\{\d\}/g, '…');
}

/** The message of an error reply in the user's language. */
export function rpcErrorText({ reason = '', message, data }: RpcError): string {
  const { parameters = [] } = (data ?? {}) as { parameters?: unknown[] };
  return sentence({ Code: reason, Parameters: parameters, Text: message });
}

function wordsOf(parameter: unknown, captionOf?: CaptionOf): string {
  if (Array.isArray(parameter)) {
    const words = parameter.map((member) => wordsOf(member, captionOf));
    return words.length < 2
      ? words.join('')
      : `${words.slice(0, -1).join(', ')} und ${words[words.length - 1]}`;
  }
  if (typeof parameter === 'object' && parameter !== null) return sentence(parameter as CodedText, captionOf);
  if (typeof parameter === 'string')
    return ownEntry(translation()?.words ?? {}, parameter) ?? captionOf?.(parameter) ?? parameter;
  return typeof parameter === 'number' || typeof parameter === 'boolean' ? String(parameter) : '';
}

/** What the form of a module calls its properties, and the columns of its lists. */
export function captionsOf(module: string): CaptionOf {
  const properties = familyOf(module)?.properties ?? {};
  return (ident) => {
    const column = Object.keys(properties).find((path) => path.endsWith(`.${ident}`)) ?? '';
    const texts = [`${module}: ${ident}`, ident, column].map((key) => ownEntry(properties, key));
    const [caption] = texts.find((found) => found !== undefined) ?? [];
    return caption === undefined || caption === ident ? undefined : `„${caption}“`;
  };
}

/** What is wrong with a property of a module in the user's language. */
export function propertyProblem(
  { Text, CodedText }: { readonly Text: string; readonly CodedText: SentenceRecord },
  module: string,
): string {
  const text = sentence(CodedText, captionsOf(module));
  return text === Text ? knownProblem(Text) : text;
}

function knownProblem(text: string): string {
  const known = translation()?.problems.find(([pattern]) => pattern.test(text));
  return known === undefined ? text : text.replace(...known);
}

/** The elements of a module's form in the user's language. */
export function formElements(module: string, elements: readonly FormElement[]): readonly FormElement[] {
  const texts = translation();
  const { properties } = familyOf(module) ?? {};
  if (texts === undefined || properties === undefined) return elements;
  const optionsOf = (path: string, { options }: Pick<FormElement, 'options'>) =>
    options && {
      options: options.map(({ caption, value }) => ({
        caption: texts.choices[`${path}.${caption}`] ?? texts.choices[caption] ?? caption,
        value,
      })),
    };
  const captionOf = (path: string, caption: string) => properties[path]?.[0] ?? caption;
  return elements.map((element) => {
    const { name, group, columns } = element;
    const [caption, help] = properties[`${module}: ${name}`] ?? properties[name] ?? [];
    return {
      ...element,
      ...(caption !== undefined && { caption }),
      ...(help !== undefined && { help }),
      ...(group !== undefined && { group: texts.groups[group] ?? group }),
      ...optionsOf(name, element),
      ...(columns && {
        columns: columns.map((column) => {
          const path = `${name}.${column.name}`;
          const edit = { ...column.edit, ...optionsOf(path, column.edit) };
          return { ...column, caption: captionOf(path, column.caption), edit };
        }),
      }),
    };
  });
}
