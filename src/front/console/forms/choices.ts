import type { Found, Lines } from '../../../client/generated/records.js';
import type { ConsoleApp } from '../app.js';
import { instanceOf } from '../search.js';
import { words } from '../i18n/console-texts.js';

/** A value that the machine has for a property, and what is known about it. */
interface Choice {
  readonly value: string;
  readonly text: string;
}

/** What the machine offers for properties that name a line, a chip or a port. */
export type Choices = Readonly<Record<'line' | 'chip' | 'port' | 'led', readonly Choice[]>>;

/** Reads the lines of the machine, and its ports where an instance of the module Hardware has found them. */
export async function loadChoices(app: ConsoleApp): Promise<Choices> {
  const hardware = instanceOf(app.gateway.model, 'Hardware');
  const [lines, found] = await Promise.all([
    // A machine without lines has suggestions of other kinds.
    app.call('GW_GetLines').catch(() => undefined),
    hardware === undefined ? [] : app.call('GW_GetFound', hardware.id).catch(() => []),
  ]);
  const chips = [...new Set(lines?.Lines.map(({ Chip }) => Chip))];
  return {
    line: lines === undefined ? [] : lineChoices(lines),
    chip: chips.map((value) => ({ value, text: '' })),
    port: foundChoices(found, 'port'),
    led: foundChoices(found, 'led'),
  };
}

/** The choices for a property, by its name: `Line`, `LineA`, `Chip`, `Port`, `Led`. */
export function choicesFor(choices: Choices | undefined, property: string): readonly Choice[] {
  const [, kind] = /^(Line|Chip|Port|Led)[A-Z0-9]?$/.exec(property) ?? [];
  return kind === undefined ? [] : (choices?.[kind.toLowerCase() as keyof Choices] ?? []);
}

function lineChoices({ Lines }: Lines): Choice[] {
  return Lines.filter(({ Name }) => Name !== '').map(({ Name, Used, Consumer }) => ({
    value: Name,
    text: Used ? words().settings.inUse(Consumer) : words().settings.free,
  }));
}

function foundChoices(found: readonly Found[], kind: Found['Kind']): Choice[] {
  return found
    .filter(({ Kind }) => Kind === kind)
    .map(({ ID, UsedBy }) => ({
      value: ID,
      text: UsedBy === '' ? words().settings.free : words().settings.inUse(UsedBy),
    }));
}
