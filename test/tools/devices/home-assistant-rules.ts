/**
 * The published rules of Home Assistant's MQTT discovery, checked without any code of the gateway: keys, required
 * keys and enumerations of each component are those of the table in `test/fixtures/mqtt/components.jsonl`.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

interface Schema {
  readonly keys: readonly string[];
  readonly required: readonly string[];
  readonly topics: readonly string[];
  readonly templates: readonly string[];
}

type Component = (Schema | { readonly schemas: Readonly<Record<string, Schema>> }) & {
  readonly entity?: false;
  readonly oneOf?: readonly string[];
};

interface Table {
  readonly common: readonly string[];
  readonly enums: Readonly<Record<string, readonly string[]>>;
  readonly components: Readonly<Record<string, Component>>;
}

type Settings = Readonly<Record<string, unknown>>;

const [head = '', ...lines] = readFileSync(join(PACKAGE_ROOT, 'test/fixtures/mqtt/components.jsonl'), 'utf8')
  .trim()
  .split('\n');
const table: Table = {
  ...(JSON.parse(head) as Omit<Table, 'components'>),
  components: Object.fromEntries(
    lines.map((line) => {
      const component = JSON.parse(line) as Component & { readonly name: string };
      return [component.name, component];
    }),
  ),
};

/** Keys whose values are enumerations, and the enumeration. */
const ENUMERATIONS: Readonly<Record<string, string>> = {
  availability_mode: 'availability_mode',
  entity_category: 'entity_category',
  state_class: 'state_class',
  on_command_type: 'on_command_type',
};

/** Classes whose sensors are totals, or not numbers: others of the class are rejected. */
const STATE_CLASSES: Readonly<Record<string, readonly string[]>> = {
  energy: ['total', 'total_increasing'],
  gas: ['total', 'total_increasing'],
  water: ['total', 'total_increasing'],
  enum: [],
  timestamp: [],
  date: [],
};

const isObject = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isTopic = (value: unknown): boolean =>
  isText(value) && !['#', '+', '\0'].some((forbidden) => value.includes(forbidden));

/** What is wrong with the announcement of a device; none if Home Assistant accepts all of it. */
export function problemsOfDevice(topic: string, payload: string, prefix = 'homeassistant'): string[] {
  const problems: string[] = [];
  if (!new RegExp(`^${prefix}/device/(?:[\\w-]+/)?[\\w-]+/config$`).test(topic))
    problems.push(`no topic of a device: ${topic}`);
  const announcement = JSON.parse(payload) as unknown;
  if (!isObject(announcement)) return [...problems, 'no object'];
  const { device, origin, components, ...shared } = announcement;
  for (const key of Object.keys(shared)) problems.push(`${key} is not known`);
  if (!isObject(device) || !isText(device['name'])) problems.push('the device has no name');
  else if (!Array.isArray(device['identifiers']) || !device['identifiers'].every(isText))
    problems.push('the device has no identifiers');
  if (!isObject(origin) || !isText(origin['name'])) problems.push('there is no origin');
  if (!isObject(components)) return [...problems, 'there are no components'];
  const ids = new Set<unknown>();
  for (const [key, settings] of Object.entries(components)) {
    if (!isObject(settings)) problems.push(`${key}: no object`);
    else {
      for (const problem of problemsOf(settings)) problems.push(`${key}: ${problem}`);
      const id = settings['unique_id'];
      if (id !== undefined && ids.has(id)) problems.push(`${key}: ${String(id)} is not unique`);
      ids.add(id);
    }
  }
  return problems;
}

/** What is wrong with one component of a device. */
function problemsOf({ p: name, ...settings }: Settings): string[] {
  const component =
    isText(name) && Object.hasOwn(table.components, name) ? table.components[name] : undefined;
  if (component === undefined) return [`there is no component ${String(name)}`];
  const schema = schemaOf(component, settings);
  if (schema === undefined) return [`there is no schema ${String(settings['schema'])}`];
  const problems: string[] = [];
  const isEntity = component.entity !== false;
  const known = new Set([...schema.keys, ...(isEntity ? table.common : ['qos'])]);
  for (const key of Object.keys(settings)) if (!known.has(key)) problems.push(`${key} is not known`);
  // The device of all components is that of the announcement.
  for (const key of schema.required)
    if (key !== 'device' && settings[key] === undefined) problems.push(`${key} is required`);
  if (component.oneOf?.every((key) => settings[key] === undefined) === true)
    problems.push(`one of ${component.oneOf.join(', ')} is required`);
  for (const key of schema.topics)
    if (settings[key] !== undefined && !isTopic(settings[key])) problems.push(`${key} is no topic`);
  for (const key of schema.templates)
    if (settings[key] !== undefined && !isText(settings[key])) problems.push(`${key} is no template`);
  for (const [key, enumeration] of Object.entries(ENUMERATIONS)) {
    const words = (table.enums[enumeration] ?? []).map((word) => word.replace(' (default)', ''));
    if (settings[key] !== undefined && !words.includes(String(settings[key])))
      problems.push(`${key} is ${String(settings[key])}`);
  }
  if (isEntity) problems.push(...problemsOfEntity(settings));
  problems.push(...problemsOfValues(settings));
  if (name === 'sensor') problems.push(...problemsOfSensor(settings));
  return problems;
}

function schemaOf(component: Component, settings: Settings): Schema | undefined {
  if (!('schemas' in component)) return component;
  const schema = String(settings['schema'] ?? 'default');
  return Object.hasOwn(component.schemas, schema) ? component.schemas[schema] : undefined;
}

/** Identity, name and availability. */
function problemsOfEntity({ unique_id: id, name, qos, availability }: Settings): string[] {
  const problems: string[] = [];
  if (!isText(id)) problems.push('unique_id is required');
  if (name !== null && !isText(name)) problems.push('name is no text');
  if (![undefined, 0, 1, 2].includes(qos as number)) problems.push('qos is none');
  if (availability === undefined) return problems;
  if (!Array.isArray(availability)) return [...problems, 'availability is no list'];
  for (const one of availability as unknown[]) {
    const keys = isObject(one) ? Object.keys(one) : [];
    if (!isObject(one) || !isTopic(one['topic'])) problems.push('an availability has no topic');
    for (const key of keys)
      if (!['topic', 'payload_available', 'payload_not_available', 'value_template'].includes(key))
        problems.push(`${key} of an availability is not known`);
  }
  return problems;
}

/** Ranges and lists. */
function problemsOfValues(settings: Settings): string[] {
  const problems: string[] = [];
  const { min, max, step, options, event_types: types, mode } = settings;
  if (min !== undefined && !(Number(min) < Number(max))) problems.push('min is not below max');
  if (step !== undefined && !(Number(step) >= 0.001)) problems.push('step is below 0.001');
  for (const list of [options, types])
    if (list !== undefined && !(Array.isArray(list) && list.length > 0 && list.every(isText)))
      problems.push('a list is empty');
  if (mode !== undefined && !(table.enums['number_mode'] ?? []).includes(String(mode)))
    problems.push(`mode is ${String(mode)}`);
  if (settings['set_position_topic'] !== undefined && settings['position_topic'] === undefined)
    problems.push('set_position_topic needs position_topic');
  return problems;
}

function problemsOfSensor(settings: Settings): string[] {
  const problems: string[] = [];
  const { device_class: deviceClass, state_class: stateClass, options, unit_of_measurement: unit } = settings;
  const allowed = STATE_CLASSES[String(deviceClass)];
  if (stateClass !== undefined && allowed !== undefined && !allowed.includes(String(stateClass)))
    problems.push(`${String(stateClass)} is not possible for ${String(deviceClass)}`);
  if (options !== undefined && (deviceClass !== 'enum' || unit !== undefined))
    problems.push('options need the class enum and no unit');
  return problems;
}
