import { coded, type Text } from '../../base/codes/coded-text.js';
import { isDeepStrictEqual } from 'node:util';
import { convertValue } from '../../kernel/convert.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { Association } from '../../kernel/profiles/profile-data.js';
import type { VariableType } from '../../kernel/value.js';
import { parseColor } from '../schema/event-schema.js';
import { type ProfileConfig } from '../schema/gateway-schema.js';
import { variableTypeNames } from '../../kernel/value.js';
import type { IsNew } from './apply-instance.js';

/** The default colour of an association: none. */
const NO_COLOR = -1;

/**
 * Applies an entry to a profile, which is created if missing; `isNew` determines which keys apply. The
 * associations are one key: unlisted ones are removed. Throws an Error that names the problem.
 */
export function applyProfile(
  name: string,
  config: ProfileConfig,
  { kernel: { profiles }, isNew }: { kernel: Kernel; isNew: IsNew },
): void {
  const type = variableTypeNames.indexOf(config.type) as VariableType;
  const found = profiles.find(name);
  if (found !== undefined && found.type !== type)
    throw new Error(
      `the profile is of type ${variableTypeNames[found.type]}; delete it so that it is created again`,
    );
  if (found === undefined) profiles.create(name, type);
  const now = profiles.get(name);
  const changed = <K extends keyof ProfileConfig>(key: K): ProfileConfig[K] | undefined =>
    config[key] !== undefined && isNew(key, config[key]) ? config[key] : undefined;
  const [prefix, suffix] = [changed('prefix') ?? now.prefix, changed('suffix') ?? now.suffix];
  if (prefix !== now.prefix || suffix !== now.suffix) profiles.setText(name, prefix, suffix);
  const range = {
    min: changed('min') ?? now.min,
    max: changed('max') ?? now.max,
    step: changed('step') ?? now.step,
  };
  if (range.min !== now.min || range.max !== now.max || range.step !== now.step)
    profiles.setValues(name, range);
  const digits = changed('digits');
  if (digits !== undefined && digits !== now.digits) profiles.setDigits(name, digits);
  const icon = changed('icon');
  if (icon !== undefined && icon !== now.icon) profiles.setIcon(name, icon);
  const listed = changed('associations')?.map((entry) => associationOf(type, entry));
  if (listed === undefined) return;
  for (const { value } of now.associations)
    if (!listed.some((one) => one.value === value))
      profiles.setAssociation(name, { value, name: '', icon: '', color: NO_COLOR });
  for (const entry of listed)
    if (!now.associations.some((one) => isDeepStrictEqual(one, entry))) profiles.setAssociation(name, entry);
}

function associationOf(
  type: VariableType,
  { value, name = '', icon = '', color = NO_COLOR }: NonNullable<ProfileConfig['associations']>[number],
): Association {
  return { value: convertValue(type, value, 'value'), name, icon, color: parseColor(color) };
}

/** Checks what the schema can't express; yields paths within the profile, and texts. */
export function* profileProblems(
  name: string,
  { type, associations = [] }: ProfileConfig,
): Generator<readonly [(string | number)[], Text]> {
  if (name === '' || name.includes('~'))
    yield [[], coded`NAME_MUST_LEAST_CHARACTER: a name must have at least one character and no ~`];
  const seen = new Set<unknown>();
  for (const [i, entry] of associations.entries()) {
    const at = ['associations', i, 'value'];
    if ((entry.name ?? '') === '' && (entry.icon ?? '') === '')
      yield [at.slice(0, 2), coded`ASSOCIATION_MUST_NAME_ICON: an association must have a name or an icon`];
    try {
      const { value } = associationOf(variableTypeNames.indexOf(type) as VariableType, entry);
      if (seen.has(value)) yield [at, coded`ANOTHER_ASSOCIATION_VALUE: another association has this value`];
      seen.add(value);
    } catch {
      yield [at, coded`NOT_VALUE_TYPE: it is not a value of type ${type}`];
    }
  }
}
