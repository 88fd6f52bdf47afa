/** What the form reads of the JSON Schema of gateway.yaml. */
export interface SettingSchema {
  readonly title?: string;
  readonly description?: string;
  /** Only a restart applies a change. */
  readonly 'x-restart'?: boolean;
  readonly type?: string;
  readonly const?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly items?: SettingSchema;
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly patternProperties?: Readonly<Record<string, SettingSchema>>;
  readonly anyOf?: readonly SettingSchema[];
}

/** How a setting is shown. */
type SettingKind =
  'flag' | 'number' | 'text' | 'scalar' | 'words' | 'texts' | 'map' | 'list' | 'parts' | 'variants';

export function kindOf(schema: SettingSchema): SettingKind {
  const { type, anyOf, items, patternProperties } = schema;
  if (wordsOf(schema) !== undefined) return 'words';
  if (anyOf !== undefined) return anyOf.every((one) => isPlain(one)) ? 'scalar' : 'variants';
  if (type === 'boolean') return 'flag';
  if (type === 'integer' || type === 'number') return 'number';
  if (type === 'array') return items?.type === 'object' ? 'list' : 'texts';
  if (patternProperties !== undefined) return 'map';
  return type === 'object' ? 'parts' : 'text';
}

const isPlain = ({ type, const: word, anyOf }: SettingSchema): boolean =>
  word === undefined && anyOf === undefined && type !== 'object';

/** The words of a choice; undefined if it is something else. */
export function wordsOf({ const: word, anyOf }: SettingSchema): readonly string[] | undefined {
  if (word !== undefined) return [word];
  const words = anyOf?.flatMap((one) => wordsOf(one) ?? []);
  return words !== undefined && words.length === anyOf?.length ? words : undefined;
}

/** The schema of the entries of a map. */
export const entrySchema = ({ patternProperties = {} }: SettingSchema): SettingSchema =>
  Object.values(patternProperties)[0] ?? {};

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The settings that are written and never shown. */
export const isSecretPath = (path: string): boolean => path.endsWith('.password');

/** Settings without passwords that were entered; stored ones (`***`) stay. */
export function withoutPasswords(settings: unknown, stored: unknown): unknown {
  if (Array.isArray(settings)) {
    const entries: readonly unknown[] = Array.isArray(stored) ? stored : [];
    return settings.map((one: unknown, index) => withoutPasswords(one, entries[index]));
  }
  if (!isFields(settings)) return settings;
  const known = isFields(stored) ? stored : {};
  return Object.fromEntries(
    Object.entries(settings)
      .map(([key, one]) => {
        const isPassword = key === 'password' && !isFields(one);
        return [key, isPassword ? known[key] : withoutPasswords(one, known[key])] as const;
      })
      .filter(([, one]) => one !== undefined),
  );
}

/** What a value has without the keys that were emptied; undefined if nothing is left. */
export function withKey(value: unknown, key: string, one: unknown): Fields | undefined {
  const { [key]: _before, ...others } = isFields(value) ? value : {};
  const all = one === undefined ? others : { ...(isFields(value) ? value : {}), [key]: one };
  return Object.keys(all).length === 0 ? undefined : all;
}

/** A change of one setting, with what there was. */
export interface SettingDifference {
  readonly path: string;
  readonly before: unknown;
  /** Undefined: the setting is removed. */
  readonly after: unknown;
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A value without the entries that were removed from its lists. */
const withoutRemoved = (value: unknown): unknown =>
  value === undefined
    ? value
    : JSON.parse(
        JSON.stringify(value, (_key, one: unknown) =>
          Array.isArray(one) ? one.filter((member) => member !== undefined) : one,
        ),
      );

/**
 * The settings that differ, in the order in which they must be changed: entries that were removed from a list
 * (undefined in it) are last, from its end, so that the paths of the others stay valid. A map is changed as one.
 */
export function differences(
  schema: SettingSchema,
  { path, before, after }: SettingDifference,
): SettingDifference[] {
  const kind = kindOf(schema);
  if (kind === 'parts' && isFields(before ?? {}) && isFields(after)) {
    const known = isFields(before) ? before : {};
    const at = (key: string) => (path === '' ? key : `${path}.${key}`);
    return Object.entries(schema.properties ?? {}).flatMap(([key, one]) =>
      differences(one, { path: at(key), before: known[key], after: after[key] }),
    );
  }
  // The form with settings of its own: its secrets are not known here, and must stay.
  const form =
    kind === 'variants' ? schema.anyOf?.find(({ properties }) => properties !== undefined) : undefined;
  if (form !== undefined && isFields(before) && isFields(after))
    return differences(form, { path, before, after });
  if (kind === 'list' && Array.isArray(before) && Array.isArray(after)) {
    const items = schema.items ?? {};
    let length = before.length;
    const kept = after.flatMap((one: unknown, index) => {
      if (one === undefined) return [];
      if (index >= before.length)
        return [{ path: `${path}[${length++}]`, before: undefined, after: withoutRemoved(one) }];
      return differences(items, { path: `${path}[${index}]`, before: before[index], after: one });
    });
    const removed = before.flatMap((one: unknown, index) =>
      after[index] === undefined ? [{ path: `${path}[${index}]`, before: one, after: undefined }] : [],
    );
    return [...kept, ...removed.reverse()];
  }
  const left = withoutRemoved(after);
  return isSame(before, left) ? [] : [{ path, before, after: left }];
}

/** What was entered into the form, and the settings that it had then. */
export interface EnteredSettings {
  readonly before: unknown;
  readonly after: unknown;
}

/** The settings of now with what was entered: somebody else may have changed others meanwhile. */
export function withEntered(now: unknown, { before, after }: EnteredSettings): unknown {
  if (isSame(before, after)) return now;
  if (isFields(before) && isFields(after) && isFields(now)) {
    const keys = new Set([...Object.keys(now), ...Object.keys(after)]);
    const all = [...keys].map((key) => {
      return [key, withEntered(now[key], { before: before[key], after: after[key] })] as const;
    });
    return Object.fromEntries(all.filter(([, one]) => one !== undefined));
  }
  if (!Array.isArray(before) || !Array.isArray(after) || !Array.isArray(now)) return after;
  // Of a list with other entries, nobody knows which one was meant.
  if (before.length !== now.length) return after;
  return after.map((one: unknown, index) =>
    index < before.length ? withEntered(now[index], { before: before[index], after: one }) : one,
  );
}

/** Whether only a restart applies the change of a path. */
export function needsRestart(schema: SettingSchema, path: string): boolean {
  let at: SettingSchema | undefined = schema;
  for (const [key] of path.matchAll(/[A-Za-z]\w*/g)) {
    at = at?.properties?.[key] ?? at?.items?.properties?.[key];
    if (at?.['x-restart'] === true) return true;
  }
  return false;
}
