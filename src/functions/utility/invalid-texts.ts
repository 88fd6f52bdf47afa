import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { ReadonlyStatic } from '../../device/declare.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import type { Profile } from '../../kernel/profiles/profiles.js';
import type { Ports } from '../ports.js';
import type * as shapes from './utility-shapes.js';

type InvalidText = ReadonlyStatic<typeof shapes.invalidTexts>[number];

/** Unpaired surrogates, and control characters except tab, line feed and carriage return. */
const INVALID = /(?![\t\n\r])[\p{Cc}\p{Cs}]/gu;

/** Text attributes of objects, by their names in references. */
const attributes = { Name: 'name', Icon: 'icon', Info: 'info', Summary: 'summary' } as const;

/**
 * Finds texts with invalid characters: names, icons, notes, string values, and texts of profiles that are not
 * built in. Values reported by instances are not checked.
 */
export function findInvalidTexts({ kernel }: Ports): InvalidText[] {
  const found: InvalidText[] = [];
  for (const object of kernel.tree.all())
    for (const [Attribute, text] of textsOf(object))
      if (isInvalid(text)) found.push({ ObjectID: object.id, Profile: '', Attribute, Text: text });
  for (const profile of kernel.profiles.all())
    for (const [Attribute, text] of textsOfProfile(profile))
      if (isInvalid(text)) found.push({ ObjectID: 0, Profile: profile.name, Attribute, Text: text });
  return found;
}

/** The location of an invalid text. */
type InvalidTextLocation = Omit<InvalidText, 'Text'>;

/**
 * Checks a record of {@link findInvalidTexts} that a caller passed. Throws `PARAMETER_TYPE`,
 * `OBJECT_MISSING`, `PROFILE_MISSING`.
 */
export function invalidTextLocation({ kernel }: Ports, given: unknown): InvalidTextLocation {
  const { ObjectID, Profile = '', Attribute } = (given ?? {}) as Partial<InvalidTextLocation>;
  const own: readonly string[] = Profile === '' ? [...Object.keys(attributes), 'Value'] : PROFILE_ATTRIBUTES;
  if (!Number.isSafeInteger(ObjectID) || typeof Profile !== 'string' || !own.includes(String(Attribute)))
    throw fault(
      'PARAMETER_TYPE',
      'References',
      coded`EXPECTED_RECORDS_UC_FINDINVALIDSTRINGS: expected records of UC_FindInvalidStrings`,
    );
  if (Profile === '') kernel.tree.get(Number(ObjectID));
  else kernel.profiles.get(Profile);
  return { ObjectID: Number(ObjectID), Profile, Attribute: Attribute as InvalidTextLocation['Attribute'] };
}

/** Removes the invalid characters of a text. Throws `OBJECT_MISSING`. */
export function repairText(ports: Ports, { ObjectID, Profile, Attribute }: InvalidTextLocation): void {
  if (Profile !== '') return repairProfile(ports, Profile, Attribute);
  const { kernel, clock } = ports;
  const object = kernel.tree.get(ObjectID);
  const text = new Map(textsOf(object)).get(Attribute);
  if (text === undefined || !isInvalid(text)) return;
  if (Attribute === 'Value') {
    if (object.is(objectType.variable)) kernel.variables.update(object, cleaned(text), clock.nowMs());
  } else if (Attribute in attributes)
    kernel.tree.set(object, attributes[Attribute as keyof typeof attributes], cleaned(text));
}

function* textsOf(object: TreeObject): Generator<readonly [InvalidText['Attribute'], string]> {
  for (const [Attribute, key] of Object.entries(attributes))
    yield [Attribute as keyof typeof attributes, object[key]];
  if (object.is(objectType.variable) && object.parent?.type !== objectType.instance)
    if (typeof object.data.value === 'string') yield ['Value', object.data.value];
}

const PROFILE_ATTRIBUTES = ['Icon', 'Prefix', 'Suffix', 'Association'];

/** The texts of a profile, including names and icons of its associations. */
function* textsOfProfile(profile: Profile): Generator<readonly [InvalidText['Attribute'], string]> {
  if (profile.readOnly) return;
  const { icon, prefix, suffix, associations } = profile;
  yield ['Icon', icon];
  yield ['Prefix', prefix];
  yield ['Suffix', suffix];
  for (const one of associations) for (const text of [one.name, one.icon]) yield ['Association', text];
}

function repairProfile(
  { kernel: { profiles } }: Ports,
  name: string,
  attribute: InvalidTextLocation['Attribute'],
): void {
  const profile = profiles.get(name);
  const isBad = [...textsOfProfile(profile)].some(([one, text]) => one === attribute && isInvalid(text));
  if (!isBad) return;
  const { icon, prefix, suffix, associations } = profile;
  if (attribute === 'Icon') profiles.setIcon(name, cleaned(icon));
  else if (attribute === 'Prefix') profiles.setText(name, cleaned(prefix), suffix);
  else if (attribute === 'Suffix') profiles.setText(name, prefix, cleaned(suffix));
  else
    for (const one of associations)
      if (isInvalid(one.name + one.icon))
        profiles.setAssociation(name, { ...one, name: cleaned(one.name), icon: cleaned(one.icon) });
}

const isInvalid = (text: string): boolean => text.search(INVALID) >= 0;

const cleaned = (text: string): string => text.replace(INVALID, '');
