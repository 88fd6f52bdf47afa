import { signal } from '@preact/signals';
import { type Language, locale } from '../../web/i18n/i18n.js';
import type { FormElement } from '../forms/form-element.js';
import type { deGateway } from './de-gateway.js';

const german = signal<typeof deGateway | undefined>(undefined);

/** Loads the translation of the gateway's own texts. Until it is there, and if it is not, they are English. */
export async function loadGatewayTexts(language: Language): Promise<void> {
  if (language === 'de') german.value = (await import('./de-gateway.js')).deGateway;
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

export const optionDescription = (name: string, description: string) =>
  translation()?.options[name] ?? description;

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
