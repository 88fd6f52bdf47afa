/** Member names that contain object ids in the data of events and instances. */
const ID_KEY = /^(variableId|TARGET|PARENT|\w*IDs?)$/;
/** Member names that contain scripts. */
const TEXT_KEY = /^(script|scriptText|SCRIPT)$/;

/** Replaces ids in data by the result of `change`. Unchanged parts stay the same objects. */
export function mapIds<T>(data: T, change: (id: number) => number): T {
  return changed('', data, change) as T;
}

/** The object ids in data. */
export function idsIn(data: unknown): Set<number> {
  const ids = new Set<number>();
  mapIds(data, (id) => {
    ids.add(id);
    return id;
  });
  return ids;
}

/** The scripts in data. */
export function* scriptTextsIn(data: unknown): Generator<string> {
  if (typeof data !== 'object' || data === null) return;
  for (const [key, value] of Object.entries(data))
    if (typeof value === 'string' && TEXT_KEY.test(key)) yield value;
    else yield* scriptTextsIn(value);
}

function changed(key: string, value: unknown, change: (id: number) => number): unknown {
  if (typeof value === 'number') return ID_KEY.test(key) ? change(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return same(
      value,
      value.map((one: unknown) => changed(key, one, change)),
    );
  const isDynamic = isDynamicRule(value);
  const entries = Object.entries(value).map(([name, one]: [string, unknown]) => [
    name,
    changed(isDynamic && name === 'value' ? 'variableId' : name, one, change),
  ]);
  return same(value, Object.fromEntries(entries) as object);
}

/** A rule that compares two variables: its value is the id of the second one. */
const isDynamicRule = (value: object): boolean =>
  'comparison' in value && 'type' in value && value.type === 1;

/** The former object if all members are equal. */
function same<T extends object>(before: T, after: T): T {
  const values = Object.values(after) as unknown[];
  return Object.values(before).every((value, i) => value === values[i]) ? before : after;
}
