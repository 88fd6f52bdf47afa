import t from 'tap';
import { Type } from '@sinclair/typebox';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { applyTree } from '../../../src/config/apply/apply-tree.js';
import { ConfigurationError, type ConfigFinding } from '../../../src/config/document.js';
import { exportFile } from '../../../src/config/export/export-file.js';
import { parseConfig } from '../../../src/config/load.js';
import { Devices } from '../../../src/device/devices.js';
import { moduleKind, type ModuleDefinition } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { variableType } from '../../../src/kernel/value.js';
import { fakeContents } from '../../tools/gateway/fake-contents.js';

const camera: ModuleDefinition = {
  id: '{00000000-0000-0000-0000-0000000000C1}',
  name: 'Camera',
  kind: moduleKind.device,
  prefix: 'HW',
  properties: Type.Object({ Hook: Type.String({ default: '' }) }),
  variables: () => [
    { ident: 'STATE', name: 'State', type: variableType.integer, role: 'main' },
    { ident: 'LEVEL', name: 'Level', type: variableType.integer, role: 'detail' },
  ],
  images: () => [{ ident: 'VIEW', name: 'View', position: 3, isHidden: true }],
  open: async () => ({ close: async () => undefined }),
};
const modules = new ModuleRegistry([camera]);

/** A tree without a gateway: what is created in it can be exported, and an export can be applied to it. */
function makeTree() {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const clock = new ManualClock();
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  const actionOf = async () => ({ actionId: '', actionParameters: {} });
  const target = { kernel, devices, clock, actionOf, log: silentLog, contents: fakeContents(kernel) };
  const apply = async (text: string) => {
    const listed = await parseConfig('/x/gateway.yaml', text, async () => modules);
    return (await applyTree(listed, {}, target)).problems.map((problem) => problem.text);
  };
  const exported = (text = '') =>
    exportFile({
      kernel,
      modules,
      texts: new Map(),
      status: {},
      actionName: () => undefined,
      values: true,
      config: { file: '/x/gateway.yaml', text },
      notExported: [],
    });
  const at = (path: string): TreeObject => {
    const found = kernel.tree.findByPath(path);
    if (found === undefined) throw new Error(`nothing at ${path}`);
    return found;
  };
  const variableAt = (path: string) => kernel.variables.get(at(path).id);
  return { kernel, devices, apply, exported, at, variableAt };
}

/** All findings of a text, as `SEVERITY KEY: TEXT`. */
async function findings(text: string): Promise<string[]> {
  const shown = (all: readonly ConfigFinding[]) =>
    all.map((one) => `${one.severity} ${one.key}: ${one.text.toString()}`);
  try {
    return shown((await parseConfig('/x/gateway.yaml', text, async () => modules)).findings);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return shown(thrown.findings);
  }
}

t.test('secrets in URLs are not exported, and a check names where they are missing', async (t) => {
  const { apply, exported, devices } = makeTree();
  const config = 'updates: { url: "https://updates.example/box?key=key-secret" }\n';
  t.same(
    await apply(`tree:
  - { instance: C, ident: c, module: Camera, properties: { Hook: "https://host/hook?token=hook-secret" } }
  - { media: S, ident: s, type: stream, file: "http://camera/stream?x=1&token=stream-secret" }
  - { media: P, ident: p, type: stream, file: "rtsp://viewer:password-secret@camera/main" }
`),
    [],
  );
  const { text } = exported(config);
  t.notMatch(text, /-secret/);
  t.match(text, /url: .*\?key=\*\*\*/);
  for (const path of ['updates.url', 's: file', 'p: file', 'c: Hook'])
    t.match(text, new RegExp(`^# +${path}$`, 'm'), 'the end of the file lists it');
  t.match(await findings(text), [
    /^problem updates\.url: \*\*\* is the placeholder of an export/,
    /^warning tree\[0\]\.properties\.Hook: \*\*\* is the placeholder of an export/,
    /^warning tree\[1\]\.file: \*\*\* is the placeholder of an export/,
    /^warning tree\[2\]\.file: \*\*\* is the placeholder of an export/,
  ]);
  await devices.close();
});

t.test('an image that is hidden by default is not hidden again after its export', async (t) => {
  const { kernel, apply, exported, at, devices } = makeTree();
  t.same(await apply('tree: [{ instance: C, ident: c, module: Camera }]'), []);
  t.equal(at('c/VIEW').hidden, true);
  kernel.tree.set(at('c/VIEW'), 'hidden', false);
  const { text } = exported();
  const other = makeTree();
  t.same(await other.apply(text), []);
  t.equal(other.at('c/VIEW').hidden, false);
  t.equal(other.exported().text, text);
  await Promise.all([devices.close(), other.devices.close()]);
});

t.test('a missing custom profile is omitted with a note, and other settings stay', async (t) => {
  const { kernel, apply, exported, variableAt, devices } = makeTree();
  t.same(await apply('tree: [{ instance: C, ident: c, module: Camera }]'), []);
  for (const [name, ident] of [
    ['Gone', 'STATE'],
    ['Other', 'LEVEL'],
  ] as const) {
    kernel.profiles.create(name, variableType.integer);
    kernel.variables.setCustomProfile(variableAt(`c/${ident}`), name);
    kernel.profiles.delete(name);
  }
  kernel.profiles.create('Other', variableType.string);
  kernel.variables.setCustomAction(variableAt('c/STATE'), 1);
  const { text, notes } = exported();
  t.match(notes, [/^c\/STATE: .*profile Gone/, /^c\/LEVEL: .*profile Other/]);
  t.notMatch(text, / profile: /);
  const other = makeTree();
  t.same(await other.apply(text), []);
  t.match(other.variableAt('c/STATE').data, { customAction: 1, customProfile: '' });
  await Promise.all([devices.close(), other.devices.close()]);
});

t.test('a profile that does not exist keeps no other setting of the entry from being applied', async (t) => {
  const { apply, variableAt, devices } = makeTree();
  const settings = 'profile: Gone, archive: true, action: false';
  const problems = await apply(`tree:
  - instance: C
    ident: c
    module: Camera
    variables: { STATE: { ${settings} }, LEVEL: { name: Renamed, action: false } }
`);
  t.match(problems, [/^tree: c: .*Gone/]);
  t.match(variableAt('c/STATE').data, { customAction: 1, logging: { active: true } });
  t.match(variableAt('c/LEVEL'), { name: 'Renamed', data: { customAction: 1 } });
  await devices.close();
});

t.test('a trigger keeps its value while it has no variable', async (t) => {
  const { kernel, apply, exported, at } = makeTree();
  const trigger = 'trigger: { variable: "", on: value, value: 5 }';
  t.same(await apply(`tree: [{ event: E, ident: e, ${trigger}, script: print(1) }]`), []);
  t.match(kernel.events.get(at('e').id).data.trigger, { variableId: 0, value: 5 });
  t.match(exported().text, /variable: ""\n +on: value\n +value: 5\n/);
});

t.test('a tree that is too deep for a file is exported with a note', async (t) => {
  const { kernel, exported } = makeTree();
  const deepen = (parent: TreeObject) =>
    kernel.tree.create(objectType.category, {}, { parent, name: 'deep' });
  let last = kernel.tree.root;
  for (let level = 0; level < 50; level++) last = deepen(last);
  const fitting = exported();
  t.same(await findings(fitting.text), []);
  t.notMatch(fitting.notes.join(), /levels/);
  deepen(last);
  const { text, notes } = exported();
  t.match(await findings(text), [/error .*the tree is more than 50 levels deep/]);
  t.match(notes, [/the tree is more than 50 levels deep/]);
});

t.test('conditions of an event can be exported as deep as they can be set', async (t) => {
  const { kernel, apply, exported, at } = makeTree();
  t.same(await apply('tree: [{ event: E, ident: e, cyclic: { everyMin: 5 }, script: print(1) }]'), []);
  const noRules = { variable: [], date: [], time: [], dayOfTheWeek: [] };
  const weekday = { ...noRules, dayOfTheWeek: [{ id: 1, comparison: 0, value: 1 }] };
  const conditions = (levels: number) =>
    Array.from({ length: levels }, (_, id) => ({
      id,
      parentId: Math.max(0, id - 1),
      operation: 0,
      rules: id === levels - 1 ? weekday : noRules,
    }));
  kernel.events.set(kernel.events.get(at('e').id), { conditions: conditions(32) });
  t.same(await findings(exported().text), []);
  kernel.events.set(kernel.events.get(at('e').id), { conditions: conditions(33) });
  t.match(await findings(exported().text), [/conditions are more than 32 levels deep/]);
});
