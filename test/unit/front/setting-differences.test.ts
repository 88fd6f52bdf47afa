import t from 'tap';
import { differences, type SettingSchema } from '../../../src/front/console/settings/setting-schema.js';

const ASSOCIATIONS: SettingSchema = {
  type: 'array',
  items: { type: 'object', properties: { value: { type: 'number' } } },
};
const PROFILES: SettingSchema = {
  type: 'object',
  patternProperties: { '.+': { type: 'object', properties: { associations: ASSOCIATIONS } } },
};
const SERVERS: SettingSchema = {
  type: 'array',
  items: { type: 'object', properties: { name: { type: 'string' }, associations: ASSOCIATIONS } },
};

t.test('an entry that was removed from a list in a map is not sent', async (t) => {
  const before = { Mode: { associations: [{ value: 1 }, { value: 2 }] } };
  const changed = (associations: readonly unknown[]) =>
    differences(PROFILES, { path: 'profiles', before, after: { Mode: { associations } } });
  const after = (associations: readonly unknown[]) => [
    { path: 'profiles', before, after: { Mode: { associations } } },
  ];
  t.strictSame(changed([{ value: 1 }, undefined]), after([{ value: 1 }]));
  t.strictSame(changed([undefined, undefined]), after([]));
  t.strictSame(changed([{ value: 1 }, { value: 2 }, undefined]), [], 'it was added before');
});

t.test('additions to a list have the numbers of the entries that are left', async (t) => {
  const before = [{ name: 'a' }, { name: 'b' }];
  const changed = (after: readonly unknown[]) =>
    differences(SERVERS, { path: 'webServers', before, after }).map(({ path, after: value }) => [
      path,
      value,
    ]);
  t.strictSame(changed([...before, undefined]), []);
  t.strictSame(changed([...before, undefined, { name: 'c' }, undefined, { name: 'd' }]), [
    ['webServers[2]', { name: 'c' }],
    ['webServers[3]', { name: 'd' }],
  ]);
  t.strictSame(
    changed([undefined, { name: 'x' }, undefined, { associations: [undefined, { value: 1 }] }]),
    [
      ['webServers[1].name', 'x'],
      ['webServers[2]', { associations: [{ value: 1 }] }],
      ['webServers[0]', undefined],
    ],
    'removals are last',
  );
});

t.test('settings that were not changed are no difference', async (t) => {
  const SETTINGS: SettingSchema = { type: 'object', properties: { profiles: PROFILES, webServers: SERVERS } };
  const before = { profiles: { Mode: { associations: [] } }, webServers: [{ name: 'a' }] };
  t.strictSame(differences(SETTINGS, { path: '', before, after: structuredClone(before) }), []);
  t.strictSame(differences(SETTINGS, { path: '', before: undefined, after: undefined }), []);
});
