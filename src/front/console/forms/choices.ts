import type { Choice } from '../../../client/generated/records.js';
import type { ConsoleApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { aboutHardware } from '../i18n/gateway-texts.js';
import type { FormElement, Properties } from './form-element.js';

/** What the machine has for the properties of a form, by their source. */
export type Choices = ReadonlyMap<string, readonly Choice[]>;

/** Reads what the machine has for the properties of a form, those in lists included. */
export async function loadChoices(app: ConsoleApp, elements: readonly FormElement[]): Promise<Choices> {
  const all = elements.flatMap((element) => [element, ...(element.columns ?? []).map(({ edit }) => edit)]);
  const sources = [...new Set(all.flatMap(({ source }) => source ?? []))];
  const lists = await Promise.all(
    // A gateway without such hardware has suggestions of other kinds.
    sources.map((source) => app.call('GW_GetChoices', source).catch(() => [])),
  );
  return new Map(sources.map((source, at) => [source, lists[at] ?? []]));
}

/** What is known about a choice, and who uses it. */
export function choiceText({ Value, Caption, UsedBy, Properties: given }: Choice): string {
  const { free, inUse } = words().settings;
  // An output of the tree is not occupied by those that switch it.
  if (UsedBy === '' && Object.keys(given).length === 0) return Caption;
  const about = Caption === Value ? '' : `${aboutHardware(Caption)} · `;
  return about + (UsedBy === '' ? free : inUse(aboutHardware(UsedBy)));
}

/**
 * The properties that change with a value that was chosen: those that belong to the choice, and the parts of
 * the hardware that it does not name. Nothing if the value stands for several choices.
 */
export function propertiesOfChoice(
  value: unknown,
  choices: readonly Choice[],
  elements: readonly FormElement[],
): Properties {
  const [choice, another] = choices.filter(({ Value }) => Value === value);
  if (choice === undefined || another !== undefined) return {};
  const named = new Set(choices.flatMap(({ Properties: given }) => Object.keys(given)));
  const changed: Record<string, unknown> = {};
  for (const { name, source, default: initial } of elements)
    if (name in choice.Properties) changed[name] = choice.Properties[name];
    else if (named.has(name) && source !== undefined) changed[name] = initial ?? '';
  return changed;
}
