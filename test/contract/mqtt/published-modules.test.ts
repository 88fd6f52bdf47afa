/** What every module would publish: checked by the rules of Home Assistant, and read by the own discovery. */
import t from 'tap';
import { readAnnouncement } from '../../../drivers/mqtt/discovery/announcement.js';
import { DeviceRegistry } from '../../../drivers/mqtt/discovery/device-registry.js';
import type { VariableModel } from '../../../drivers/mqtt/discovery/model.js';
import { deviceOf } from '../../../drivers/mqtt/publishing/announcement.js';
import type { PublishedEntity } from '../../../drivers/mqtt/publishing/entities.js';
import { ManualClock } from '../../../src/base/clock.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import {
  variableType,
  type ModuleDefinition,
  type Value,
  type VariableDeclaration,
} from '../../../src/device/module.js';
import { defaultsOf } from '../../../src/device/properties.js';
import type { TreeGroup, TreeVariable } from '../../../src/device/tree-view.js';
import { builtInProfiles } from '../../../src/kernel/profiles/built-in-profiles.js';
import { formatValue } from '../../../src/kernel/profiles/format-value.js';
import type { Profile } from '../../../src/kernel/profiles/profile-data.js';
import { AnnouncedEntityFixture } from '../../tools/devices/announced-entity.js';
import { problemsOfDevice } from '../../tools/devices/home-assistant-rules.js';
import { COMPLETE_PROPERTIES } from '../../tools/devices/complete-properties.js';

const NAMES = {
  node: 'stellwerk_1',
  prefix: 'homeassistant',
  topic: 'stellwerk',
  connection: { topic: 'gateway/online', available: 'online', notAvailable: 'offline' },
};
const builtIn = new Map(builtInProfiles().map((profile) => [profile.name, profile]));

/** The profile of a variable, from its name or definition. */
const profileOf = (given: VariableModel['profile']): Profile | undefined =>
  typeof given === 'object' ? { ...given, readOnly: false } : builtIn.get(given ?? '');

const shown = (value: Value, type: TreeVariable['type'], profile: Profile | undefined): string =>
  formatValue(value, { type, profile: profile?.name ?? '' }, { find: () => profile });

/** The object of an instance with these variables. */
function groupOf(module: string, declared: readonly VariableDeclaration[]): TreeGroup {
  const variables = declared.map(
    ({ ident, name, type, role, profile, profileDefinition, action = false, counter = false }, at) => ({
      id: 20_000 + at,
      parentId: 10_000,
      ident,
      path: `thing/${ident}`,
      name,
      type,
      role,
      profile: profileOf(profileDefinition ?? profile),
      hasAction: action,
      isCounter: counter,
    }),
  );
  return { id: 10_000, path: 'thing', name: 'Thing', module, variables };
}

/** Values that a variable can have. */
function samples({ type, profile }: TreeVariable): readonly Value[] {
  if (type === variableType.boolean) return [true, false];
  const choices = (profile?.associations ?? []).map(({ value }) => value);
  if (choices.length > 1) return choices;
  if (type === variableType.string) return ['text', 'ü "x"'];
  const { min = 0, max = 0 } = profile ?? {};
  return max > min ? [min, Math.round((min + max) / 2), max] : [1_790_000_000, 3, 0];
}

/** What a second gateway has of an entity that is made of one variable. */
function readBack(
  entity: PublishedEntity,
  variable: TreeVariable,
  { fixture, read }: { fixture: AnnouncedEntityFixture; read: VariableModel },
): string[] {
  const [state] = entity.states;
  const [command] = entity.commands;
  const found = profileOf(read.profile);
  return samples(variable).flatMap((value) => {
    const payload = state?.encode(value);
    if (payload === undefined) return [];
    const back = fixture.take(state?.topic ?? '', payload)[''] as Value;
    // A time stamp of 0 is none: it is unknown there.
    const before = payload === 'None' ? '-' : shown(value, variable.type, variable.profile);
    // A boolean has a profile there, even if it has none here.
    const after =
      variable.profile === undefined && typeof back === 'boolean'
        ? String(back)
        : shown(back, read.type, found);
    const isTheSame =
      after === before ||
      // Numbers may have other decimals, and texts the case of a name.
      Number.parseFloat(after) === Number.parseFloat(before) ||
      after.toLowerCase() === before.toLowerCase();
    const problems = isTheSame ? [] : [`${variable.ident}: ${before} came back as ${after} (${payload})`];
    if (command === undefined) return problems;
    const [sent = ''] = fixture.send('', back);
    const requested = command.decode(sent.slice(command.topic.length + 1));
    return requested === value
      ? problems
      : [...problems, `${variable.ident}: ${value} was requested as ${sent}`];
  });
}

const modules = await createModuleList(new ManualClock())({ board: 'simulated' });

/** The variables of a module; of one family of 1-Wire devices, which have no default. */
const declaredBy = (module: ModuleDefinition) =>
  module.variables({
    ...defaultsOf(module),
    ...COMPLETE_PROPERTIES[module.name],
    ...(module.name === '1-Wire Device' && { Address: '28-000000000001' }),
  });

for (const module of modules.all()) {
  const declared = [...declaredBy(module)];
  if (declared.length === 0) continue;
  await t.test(module.name, async (t) => {
    const group = groupOf(module.name, declared);
    const device = deviceOf(group, NAMES);
    t.strictSame(problemsOfDevice(device.topic, device.payload), []);
    const topic = { component: 'device', id: 'stellwerk_1_10000' };
    const announced = readAnnouncement(topic, device.payload);
    const registry = new DeviceRegistry();
    t.strictSame(registry.announce(device.topic, topic, device.payload) ?? [], []);
    t.ok(announced);
    const [id = ''] = [...registry.ids()];
    const entities = registry.record(id)?.entities ?? [];
    t.equal(entities.length, device.entities.length, 'every entity comes back');
    for (const entity of device.entities) {
      if (entity.isTrigger === true) continue;
      const uniqueId = `stellwerk_1_10000_${entity.key}`;
      const found = entities.find(({ settings }) => settings['unique_id'] === uniqueId);
      t.ok(found, entity.key);
      const fixture = new AnnouncedEntityFixture(found!);
      t.strictSame(fixture.problems, [], entity.key);
      const [read] = fixture.model.variables;
      const variable = group.variables.find((one) => one.id === entity.main);
      const isSingle = entity.states.length === 1 && entity.commands.length <= 1;
      if (!isSingle || read === undefined || variable === undefined) continue;
      t.equal(fixture.model.variables.length, 1);
      t.equal(read.name, variable.name);
      t.equal(read.command !== undefined, variable.hasAction);
      if (entity.settings['p'] !== 'event')
        t.strictSame(readBack(entity, variable, { fixture, read }), [], entity.key);
    }
  });
}

t.test('the rules find what Home Assistant would reject', async (t) => {
  const settings = (given: object) => ({
    p: 'switch',
    name: 'x',
    unique_id: 'x',
    command_topic: 'c',
    ...given,
  });
  const problemsOf = (components: object, more: object = {}) =>
    problemsOfDevice(
      'homeassistant/device/a/config',
      JSON.stringify({
        device: { name: 'x', identifiers: ['x'] },
        origin: { name: 'x' },
        components,
        ...more,
      }),
    );
  t.strictSame(problemsOf({ a: settings({}) }), []);
  for (const [given, expected] of [
    [{ command_topic: undefined }, /command_topic is required/],
    [{ command_topic: 'a/#' }, /is no topic/],
    [{ p: 'relay' }, /no component relay/],
    [{ brightness: true }, /brightness is not known/],
    [{ unique_id: undefined }, /unique_id is required/],
    [{ entity_category: 'main' }, /entity_category is main/],
    [{ availability: [{ payload: 'x' }] }, /no topic/],
    [{ p: 'number', min: 1, max: 1 }, /min is not below max/],
    [{ p: 'select', options: [] }, /a list is empty/],
    [{ p: 'sensor', command_topic: undefined }, /state_topic is required/],
    [
      {
        p: 'sensor',
        command_topic: undefined,
        state_topic: 's',
        device_class: 'energy',
        state_class: 'measurement',
      },
      /not possible for energy/,
    ],
  ] as const)
    t.match(problemsOf({ a: settings(given) }), [expected]);
  t.match(problemsOf({ a: settings({}), b: settings({}) }), [/not unique/]);
  t.match(problemsOf({}, { origin: {} }), [/origin/]);
});
