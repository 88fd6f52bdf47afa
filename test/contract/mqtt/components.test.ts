/**
 * Each component of the published rules (`test/fixtures/mqtt/components.jsonl`), with all its keys: those that
 * discovery does not read are listed here with the reason, so that a new key of the rules is seen.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { createTemplateEngine } from '../../../drivers/mqtt/discovered/template-engine.js';
import { buildEntity } from '../../../drivers/mqtt/discovery/components.js';
import type { EntityModel } from '../../../drivers/mqtt/discovery/model.js';
import { ManualClock } from '../../../src/base/clock.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

interface Schema {
  readonly keys: readonly string[];
  readonly required: readonly string[];
}
type Component = (Schema | { readonly schemas: Readonly<Record<string, Schema>> }) & {
  readonly name: string;
  readonly oneOf?: readonly string[];
};
type Settings = Readonly<Record<string, unknown>>;

const [head = '', ...lines] = readFileSync(join(PACKAGE_ROOT, 'test/fixtures/mqtt/components.jsonl'), 'utf8')
  .trim()
  .split('\n');
const { common } = JSON.parse(head) as { common: readonly string[] };
const components = lines.map((line) => JSON.parse(line) as Component);

/** The name of a component with its schema, and the schema. */
const SCHEMAS = components.flatMap((component): [string, Component, Schema][] =>
  'schemas' in component
    ? Object.entries(component.schemas).map(([name, schema]) => [
        `${component.name} ${name}`,
        component,
        schema,
      ])
    : [[component.name, component, component]],
);

/** There is no builder; the instance names such entities in its status. */
const NOT_SUPPORTED: readonly string[] = ['infrared'];

const CLASS = 'a class without a unit only chooses a symbol in Home Assistant';
const STARTS = 'the value before the first state: a variable without a report is uncertain instead';
const REPEATS = 'every report is an update of the variable';
const TIMES = 'commands have no duration; the device uses its own';
const OLD = 'removed from the rules; devices of today do not announce it';
const ABOUT = 'about the update, not a state of it';

/** Keys that are not read, and why. */
const UNUSED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alarm_control_panel: { code_format: 'commands have no code' },
  binary_sensor: { force_update: REPEATS },
  button: { device_class: CLASS },
  climate: {
    precision: 'the digits follow from temp_step',
    aux_command_topic: OLD,
    aux_state_template: OLD,
    aux_state_topic: OLD,
    initial: STARTS,
  },
  cover: { device_class: CLASS, payload_stop_tilt: 'stopping a cover stops its slats' },
  datetime: { timezone: 'a time without a zone is in the zone of the gateway' },
  device_tracker: { devices: OLD, source_type: 'how it was located is not a state' },
  event: { device_class: CLASS },
  humidifier: { device_class: CLASS },
  lawn_mower: { optimistic: 'without a state topic, an accepted command is the value' },
  'light json': {
    color_mode: OLD,
    flash: TIMES,
    flash_time_long: TIMES,
    flash_time_short: TIMES,
    transition: TIMES,
    white_value: OLD,
  },
  lock: { code_format: 'commands have no code' },
  scene: {
    optimistic: 'a scene is activated; it has no state',
    state_topic: 'a scene is activated; it has no state',
    value_template: 'a scene is activated; it has no state',
  },
  sensor: {
    force_update: REPEATS,
    last_reset_topic: 'the archive recognises that a counter begins again by its value',
    last_reset_value_template: 'the archive recognises that a counter begins again by its value',
  },
  switch: { device_class: CLASS },
  text: { mode: 'whether it is shown as a password', pattern: 'the device checks what it gets' },
  update: {
    device_class: CLASS,
    display_precision: 'of the progress, which is not a state',
    release_summary: ABOUT,
    release_url: ABOUT,
    title: ABOUT,
  },
  vacuum: {
    clean_segments_command_template: 'rooms are cleaned through send_command_topic',
    clean_segments_command_topic: 'rooms are cleaned through send_command_topic',
    segments: 'rooms are cleaned through send_command_topic',
    fan_speed_template: 'the JSON of state_topic has it',
    fan_speed_topic: 'the JSON of state_topic has it',
  },
  valve: { device_class: CLASS },
  water_heater: { initial: STARTS },
};

/** Keys of all entities that their builder does not read, and where they are read, or why not. */
const UNUSED_COMMON: Readonly<Record<string, string>> = {
  default_entity_id: 'idents follow from the unique id',
  object_id: 'idents follow from the unique id',
  unique_id: 'read before, for the ident',
  device: 'read before, for the device',
  origin: 'read before, for the device',
  platform: 'read before, for the component',
  group: 'entities belong to their device',
  encoding: 'payloads are UTF-8',
  entity_picture: 'an address of a picture of Home Assistant',
  icon: 'the fronts choose symbols by profile and role',
  json_attributes_template: 'attributes have no types and no units; trackers read their position',
  json_attributes_topic: 'attributes have no types and no units; trackers read their position',
};

/** A value that the key may have. */
function valueOf(key: string, schema: string): unknown {
  if (key === 'schema') return schema.split(' ')[1];
  if (key === 'automation_type') return 'trigger';
  if (key === 'availability') return [{ topic: 't/availability', value_template: '{{ value }}' }];
  if (key === 'availability_mode') return 'all';
  if (key === 'supported_color_modes') return ['rgbw', 'color_temp', 'hs', 'xy'];
  if (key === 'supported_features') return FEATURES;
  if (key === 'content_type') return 'image/png';
  if (key.endsWith('topic')) return `t/${key}`;
  if (key.endsWith('template')) return '{{ value }}';
  if (/^(?:modes|options|segments|event_types|devices)$|_(?:modes|list|tones)$/.test(key)) return ['a', 'b'];
  if (FLAGS.has(key)) return true;
  if (/(?:^|_)min(?:_|$)|closed_value$|position_closed/.test(key)) return 1;
  if (/(?:^|_)max(?:_|$)|opened_value$|position_open/.test(key)) return 100;
  if (/scale|step|precision|expire|delay|qos|initial/.test(key)) return 1;
  return `value of ${key}`;
}

const FEATURES = [
  'start',
  'stop',
  'pause',
  'return_home',
  'fan_speed',
  'locate',
  'clean_spot',
  'send_command',
].concat(
  ['home', 'away', 'night', 'vacation', 'custom_bypass'].map((mode) => `arm_${mode}`),
  'trigger',
);
const FLAGS = new Set(
  `brightness effect color_mode color_temp color_temp_kelvin hs rgb xy white flash transition optimistic retain
  reports_position tilt_optimistic support_duration support_volume_set code_arm_required code_disarm_required
  code_trigger_required enabled_by_default force_update`.split(/\s+/),
);

/** Settings with all keys, and those in which a key that has precedence is missing. */
function variantsOf(all: Settings): Settings[] {
  const without = (pattern: RegExp, more: Settings = {}): Settings =>
    Object.fromEntries(
      Object.entries({ ...all, ...more }).filter(([key]) => Object.hasOwn(all, key) && !pattern.test(key)),
    );
  return [
    all,
    without(/^(?!value_template).*template$|^code$/),
    without(/device_class|unit_of_measurement|display_precision/),
    without(/^rgb_|kelvin/, { reports_position: false, supported_color_modes: ['hs'] }),
    without(/^rgb_|^hs_|kelvin/, { supported_color_modes: ['xy'] }),
    without(/supported_color_modes/, { rgb: false }),
    without(/supported_color_modes|color_temp/, { rgb: false, hs: false }),
  ];
}

const VALUES = [true, false, 0, 1, 2, 3, 50, 'a', 'disarmed', 'triggered'].concat(
  ['home', 'away', 'night', 'vacation', 'custom_bypass'].map((mode) => `armed_${mode}`),
);
const engine = createTemplateEngine(new ManualClock());

/** Makes all commands of an entity, which read payloads only then. */
function sendAll({ variables }: EntityModel): void {
  for (const { command } of variables)
    for (const value of VALUES)
      try {
        command?.(value, { engine, current: () => undefined });
      } catch {
        // A value of another type or range.
      }
}

/** The keys that are read of an entity, and its problems. */
function readKeys(component: string, variants: readonly Settings[]) {
  const read = new Set<string>();
  const problems: string[] = [];
  for (const [index, settings] of variants.entries()) {
    const observed = new Proxy(settings, {
      get: (target, key: string) => {
        read.add(key);
        return target[key];
      },
    });
    const entity = buildEntity({ component, id: 'x', place: 'x', settings: observed });
    sendAll(entity);
    if (index === 0) problems.push(...entity.problems);
  }
  return { read, problems };
}

const allOf = (schema: string, { keys }: Schema): Settings =>
  Object.fromEntries([...keys, ...common].map((key) => [key, valueOf(key, schema)]));

for (const [name, component, schema] of SCHEMAS) {
  if (NOT_SUPPORTED.includes(component.name)) continue;
  t.test(`${name}: every key of the rules is read, or listed with the reason`, async (t) => {
    const { read, problems } = readKeys(component.name, variantsOf(allOf(name, schema)));
    t.strictSame(problems, [], 'complete settings have no problem');
    t.strictSame(
      schema.keys.filter((key) => !read.has(key)),
      Object.keys(UNUSED[name] ?? {}).sort(),
    );
    t.strictSame(
      common.filter((key) => !read.has(key)).toSorted(),
      Object.keys(UNUSED_COMMON)
        .filter((key) => !read.has(key))
        .sort(),
    );
  });
}

t.test('the lists name only components of the rules', async (t) => {
  const names = SCHEMAS.map(([name]) => name);
  t.strictSame(
    Object.keys(UNUSED).filter((name) => !names.includes(name)),
    [],
  );
  const infrared = buildEntity({ component: 'infrared', id: 'x', place: 'x', settings: {} });
  t.match(infrared.problems, [/there is no support for infrared/]);
});

/** Required keys without which Home Assistant rejects a payload, and the gateway loses nothing else. */
const NOT_NEEDED: Readonly<Record<string, readonly string[]>> = {
  alarm_control_panel: ['state_topic'],
  device_automation: ['device', 'subtype', 'type'],
};

t.test('without a required key there is a problem, or the part of the entity is missing', async (t) => {
  for (const [name, component, schema] of SCHEMAS) {
    if (NOT_SUPPORTED.includes(component.name)) continue;
    const all = allOf(name, schema);
    const build = (settings: Settings) =>
      buildEntity({ component: component.name, id: 'x', place: 'x', settings });
    const commands = ({ variables }: EntityModel) =>
      variables.filter(({ command }) => command !== undefined).length;
    const complete = build(all);
    const sets = [
      ...schema.required.map((key) => [key]),
      ...(component.oneOf === undefined ? [] : [component.oneOf]),
    ];
    for (const missing of sets) {
      const entity = build(Object.fromEntries(Object.entries(all).filter(([key]) => !missing.includes(key))));
      const isKnown =
        entity.problems.length > 0 ||
        commands(entity) < commands(complete) ||
        entity.variables.length < complete.variables.length;
      const isListed = missing.every((key) => NOT_NEEDED[name]?.includes(key) === true);
      t.equal(isKnown, !isListed, `${name} without ${missing.join(' and ')}`);
    }
  }
});
