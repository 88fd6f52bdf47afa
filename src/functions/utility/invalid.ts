import { fault } from '../../base/fault.js';
import type { Conforming } from '../../device/declare.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import type * as shapes from './shapes.js';

type InvalidText = Conforming<typeof shapes.invalidTexts>[number];

/** Half a character (an unpaired surrogate), and control characters other than tab, line feed and carriage return. */
const INVALID = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;

/** Texts of objects, by the names that references give them. */
const attributes = { Name: 'name', Icon: 'icon', Info: 'info', Summary: 'summary' } as const;

/** Names, icons, notes and texts in variables that hold what no text should. What an instance reported is its own affair. */
export function invalidTexts({ kernel }: Ports): InvalidText[] {
  const found: InvalidText[] = [];
  for (const object of kernel.tree.all())
    for (const [Attribute, text] of textsOf(object))
      if (isInvalid(text)) found.push({ ObjectID: object.id, Attribute, Text: text });
  return found;
}

/** Where such a text is. */
export type Place = Pick<InvalidText, 'ObjectID' | 'Attribute'>;

/** A record of {@link invalidTexts} as it was given back. Throws `PARAMETER_TYPE`. */
export function placeOf(given: unknown): Place {
  const { ObjectID, Attribute } = (given ?? {}) as Partial<Place>;
  const isAttribute =
    Attribute === 'Value' || (typeof Attribute === 'string' && Object.hasOwn(attributes, Attribute));
  if (Number.isSafeInteger(ObjectID) && isAttribute) return { ObjectID: Number(ObjectID), Attribute };
  throw fault('PARAMETER_TYPE', 'References', 'it takes records of UC_FindInvalidStrings');
}

/** Takes out of one text what should not be in it; one that was mended meanwhile stays as it is. Throws `OBJECT_MISSING`. */
export function mendText({ kernel, clock }: Ports, { ObjectID, Attribute }: Place): void {
  const object = kernel.tree.get(ObjectID);
  const text = new Map(textsOf(object)).get(Attribute);
  if (text === undefined || !isInvalid(text)) return;
  const mended = text.replace(INVALID, '');
  if (Attribute !== 'Value') kernel.tree.set(object, attributes[Attribute], mended);
  else if (object.is(objectType.variable)) kernel.variables.update(object, mended, clock.nowMs());
}

function* textsOf(object: TreeObject): Generator<readonly [InvalidText['Attribute'], string]> {
  for (const [Attribute, key] of Object.entries(attributes))
    yield [Attribute as keyof typeof attributes, object[key]];
  if (object.is(objectType.variable) && object.parent?.type !== objectType.instance)
    if (typeof object.data.value === 'string') yield ['Value', object.data.value];
}

const isInvalid = (text: string): boolean => text.search(INVALID) >= 0;
