import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { Type } from '@sinclair/typebox';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { applyTree, type AppliedKeys } from '../../../src/config/apply/apply-tree.js';
import { createConfigurators } from '../../../src/config/apply/configurators.js';
import { webFrontModule } from '../../../src/modules/core-modules.js';
import { loadBoard } from '../../../src/config/board.js';
import { ConfigurationError } from '../../../src/config/document.js';
import { loadConfig, parseConfig } from '../../../src/config/load.js';
import { Devices } from '../../../src/device/devices.js';
import { moduleKind, type Flow, type ModuleDefinition } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { actionByName } from '../../../src/functions/events/built-in-actions.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { fakeContents } from '../../tools/gateway/fake-contents.js';

const wire: Flow<unknown> = { id: '{WIRE}' };
const properties = Type.Object({ Line: Type.String({ default: '' }), Count: Type.Integer({ default: 1 }) });
const make = (name: string, extra: Partial<ModuleDefinition>): ModuleDefinition => ({
  id: `{${name.toUpperCase()}}`,
  name,
  kind: moduleKind.device,
  prefix: 'X',
  properties,
  variables: () => [],
  open: async () => ({ close: async () => undefined }),
  ...extra,
});
const modules = new ModuleRegistry([
  make('Port', { kind: moduleKind.io, provides: wire }),
  make('Device', { requires: wire }),
  make('Relay', {}),
]);

async function errors(text: string): Promise<string[]> {
  try {
    await parseConfig('/x/gateway.yaml', text, async () => modules);
  } catch (thrown) {
    if (thrown instanceof ConfigurationError)
      return thrown.findings.map((m) => `${m.line}:${m.column} ${m.key}: ${m.text}`);
    throw thrown;
  }
  return [];
}

t.test('all errors are reported together, with line and key', async (t) => {
  const found = await errors(`board: simulated
remoteAcces: { username: a, password: b }
api: { port: 99999 }
webServers:
  - { name: house, host: 0.0.0.0, port: 8777, serve: frnt }
tree:
  - category: House
    ident: a b
  - { instance: R, ident: r, module: Realy }
  - instance: R
    ident: r2
    module: Relay
    properties: { Lin: x, Count: many }
  - { variable: V, ident: v, type: bool }
  - { ident: nothing }
configurators:
  - { title: T, ident: wf, base: house }
`);
  for (const [i, expected] of [
    /^2:1 remoteAcces: there is no such key; did you mean remoteAccess\?/,
    /^3:14 api\.port: .*65535, not 99999/,
    /^5:54 webServers\[0\]\.serve: expected front or object/,
    /^8:12 tree\[0\]\.ident: /,
    /^9:\d+ tree\[1\]\.module: there is no module Realy; did you mean Relay\?/,
    /^13:19 tree\[2\]\.properties\.Lin: Relay has no such property; did you mean Line\?/,
    /^13:\d+ tree\[2\]\.properties\.Count: Expected integer/,
    /^14:\d+ tree\[3\]\.type: expected boolean or integer or float or string/,
    /^15:\d+ tree\[4\]: an entry has exactly one of the keys category, instance, variable, link, event/,
    /^17:5 configurators\[0\]: set a password/,
  ].entries())
    t.match(found[i], expected);
  t.equal(found.length, 10);
});

t.test('errors that the schema cannot express', async (t) => {
  t.match(await errors('tree: [{ variable: v, type: float, value: 9007199254740993 }]'), [
    /1:43 ?: this number cannot be represented exactly/,
  ]);
  const [inexact] = await errors('remoteAccess: { username: me, password: 9007199254740993 }');
  t.match(inexact, /^1:41 ?: this number cannot/);
  t.notMatch(inexact, /9007199254740993/, 'it may be a password');
  t.match(await errors('webServers: [{ name: a, host: 0.0.0.0, port: 80, serve: front }]'), [
    /webServers\[0\]\.host: plain HTTP on a non-loopback address/,
  ]);
  t.same(
    await errors('webServers: [{ name: a, host: 0.0.0.0, port: 80, serve: front, insecure: true }]'),
    [],
  );
  t.same(await errors('webServers: [{ name: a, host: 0.0.0.0, port: 80, serve: front, tls: auto }]'), []);
  const server = 'name: a, host: 127.0.0.1, port: 80, serve: front';
  t.match(await errors(`webServers: [{ ${server} }, { ${server} }]`), [/\[1\]\.name: another listener/]);
  for (const [directory, isRefused] of [
    ['.', true],
    ['/', true],
    ['../x/', true],
    ['www', false],
    ['/xy', false],
  ] as const) {
    const serve = `webServers: [{ name: a, host: 127.0.0.1, port: 80, serve: { directory: ${directory} } }]`;
    t.match(await errors(serve), isRefused ? [/directory: it contains this config/] : [], directory);
  }
  t.match(await errors('remoteAccess: { username: me, passwordFile: /nothing }'), [
    /remoteAccess\.passwordFile: cannot be read: ENOENT/,
  ]);
  t.match(await errors('remoteAccess: { username: "a:b", password: x1 }'), [/remoteAccess\.username: /]);
  t.match(await errors('configurators: [{ title: T, ident: wf, base: house }]'), [
    /set a password, or passwordRequired: false/,
  ]);
  t.same(await errors('configurators: [{ title: T, ident: wf, base: house, passwordRequired: false }]'), []);
  t.match(await errors('remoteAccess: { username: me, password: swordfish }'), [
    /remoteAccess\.password: this value is from the public sample/,
  ]);
  t.match(await errors('board: generic\nremoteAccess: { username: owner@example.org, password: x1 }'), [
    /^2:\d+ remoteAccess\.username: this value/,
  ]);
  t.same(await errors('board: simulated\nremoteAccess: { username: me, password: swordfish }'), []);
  t.match(await errors('remoteAccess: { username: webfront, password: x1 }'), [
    /user name of the web fronts/,
  ]);
  t.match(await errors('remoteAccess: { username: me, password: a, passwordHash: "scrypt$b" }'), [
    /give one of/,
  ]);
  t.match(await errors('a: [1, 2'), [/^1:\d+ : /]);
  t.match(await errors('board: a\nboard: b'), [/^2:1 : .*unique/i]);
  const laughs = [
    'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
    ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join()}]`),
  ];
  t.match((await errors(laughs.join('\n')))[0], /alias/i);
  t.match(await errors('tree:\n  - { category: A, name: &a [1, { x: *a }] }'), [
    /^2:38 : \*a refers to the node that contains it$/,
  ]);
  t.same(await errors(''), [], 'an empty file is a valid configuration');
});

t.test('secrets can be in separate files, and are never in an error', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'pw'), 'hunter2\n');
  const file = join(directory, 'gateway.yaml');
  await writeFile(
    file,
    'remoteAccess: { username: me, passwordFile: pw }\nwebServers: [{ name: a, host: 127.0.0.1, port: 1, serve: { directory: www } }]',
  );
  const { config } = await loadConfig(file);
  t.equal(config.remoteAccess?.password, 'hunter2');
  t.match(config.webServers?.[0]?.serve, { directory: join(directory, 'www') });
  await t.rejects(loadConfig(join(directory, 'none.yaml')), /none\.yaml:1:1: cannot be read: ENOENT/);
  const found = await errors('remoteAccess: { username: me, password: [hunter2] }\napi: hunter2');
  t.equal(found.length, 2);
  t.notMatch(found.join(), /hunter2/);
});

t.test('boards are recognised by the device tree', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  t.teardown(() => rm(directory, { recursive: true }));
  const compatible = join(directory, 'compatible');
  await writeFile(compatible, 'raspberrypi,4-model-b\0brcm,bcm2711\0');
  const places = { directory: 'board', compatible };
  t.equal((await loadBoard(undefined, places)).name, 'raspberry-pi-4');
  t.equal((await loadBoard('auto', places)).name, 'raspberry-pi-4');
  t.equal((await loadBoard('simulated', places)).simulated?.wires.length, 8);
  await writeFile(compatible, 'unheard,of\0');
  t.equal((await loadBoard('auto', places)).name, 'generic');
  t.equal((await loadBoard('auto', { directory: 'board', compatible: '/nowhere' })).name, 'generic');
  await t.rejects(loadBoard('raspbery-pi-4', places), /did you mean raspberry-pi-4\?/);
});

function gateway() {
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const clock = new ManualClock();
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  const actionOf = async (name: string, given: Readonly<Record<string, unknown>>) =>
    actionByName(name, given);
  const target = { kernel, devices, clock, actionOf, log: silentLog, contents: fakeContents(kernel) };
  const apply = async (text: string, before: AppliedKeys) => {
    const listed = await parseConfig('/x', text, async () => modules);
    const { applied, problems } = await applyTree(listed, before, target);
    return { applied, problems: problems.map((problem) => problem.text) };
  };
  return { kernel, devices, apply };
}

const tree = (line: string, name = 'Hall') => `
tree:
  - category: ${name}
    ident: hall
    children:
      - { variable: Setpoint, ident: setpoint, type: float, value: 21.5, profile: ~Temperature }
      - { link: Shortcut, ident: link, target: bus/device }
  - instance: Bus
    ident: bus
    module: port
    children:
      - { instance: Thing, ident: device, module: Device, properties: { Line: ${line} } }
`;

t.test('the tree is created if missing; a key takes precedence only when its own line changes', async (t) => {
  const { kernel, devices, apply } = gateway();
  const first = await apply(tree('A'), {});
  t.same(first.problems, []);
  const bus = kernel.tree.findByPath('bus');
  const device = kernel.tree.findByPath('bus/device');
  const setpoint = kernel.tree.findByPath('hall/setpoint');
  t.match(setpoint?.data, { type: 2, value: 21.5, customProfile: '~Temperature' });
  t.match(device?.data, { connectionId: bus?.id, properties: { Line: 'A' } });
  t.match(kernel.tree.findByPath('hall/link')?.data, { targetId: device?.id });

  if (!setpoint?.is(2) || device === undefined) throw new Error('not created');
  kernel.variables.update(setpoint, 18, 1000);
  kernel.tree.set(setpoint.parent ?? kernel.tree.root, 'name', 'Renamed at run time');
  devices.setProperty(device.id, 'Line', 'B');
  await devices.applyChanges(device.id);
  const second = await apply(tree('A'), first.applied);
  t.same(second.applied, first.applied);
  t.equal(setpoint.data.value, 18);
  t.equal(setpoint.parent?.name, 'Renamed at run time');
  t.match(device.data, { properties: { Line: 'B' } });

  const third = await apply(tree('C', 'Corridor'), second.applied);
  t.match(device.data, { properties: { Line: 'C' } });
  t.equal(setpoint.parent?.name, 'Corridor');
  t.equal(setpoint.data.value, 18, 'a value is only initial');

  const fourth = await apply('tree: []', third.applied);
  t.equal(kernel.tree.findByPath('bus/device'), device, 'nothing is deleted because a line is gone');
  t.same((await apply(tree('C', 'Corridor'), fourth.applied)).problems, []);
  await devices.close();
});

t.test('an entry that cannot be applied is reported and affects no other', async (t) => {
  const { kernel, apply, devices } = gateway();
  kernel.variables.create(0, { ident: 'hall' });
  const { problems } = await apply(tree('A').replace('bus/device }', 'nowhere }'), {});
  t.match(problems, [/^tree: hall: #\d+ \(Variable\) has this ident/]);
  t.ok(kernel.tree.findByPath('bus/device'));
  await devices.close();
});

t.test('a configurator whose base is deleted has none, even if another object gets the id', async (t) => {
  const kernel = new Kernel({ counter: 0, random: () => 0 });
  const own = {
    kernel,
    modules: new ModuleRegistry([webFrontModule]),
    clock: new ManualClock(),
    log: silentLog,
  };
  const devices = new Devices(own);
  const base = kernel.tree.create(0, {}, { ident: 'hall' });
  const config = { title: 'Hall', ident: 'wf', base: 'hall', password: 'x' };
  const [made] = createConfigurators([config], { kernel, devices, log: silentLog }).configurators;
  t.equal(made?.baseId, base.id);
  kernel.tree.delete(base);
  kernel.tree.load(0, {}, { id: base.id, ident: 'cellar' });
  t.equal(made?.baseId, -1);
  await devices.close();
});

const events = (trigger: string, rest = '') => `
tree:
  - category: Hall
    ident: hall
    children:
      - event: Too warm
        ident: warm
        trigger: ${trigger}
        action: { name: Set a variable, target: hall/fan, value: true }
        ${rest}
      - event: Morning
        ident: morning
        cyclic: { at: "6:30", days: [monday, friday] }
        script: print(1)
      - { variable: Fan, ident: fan, type: boolean }
      - { variable: Warmth, ident: warmth, type: float }
  - event: Often
    ident: often
    active: false
    cyclic: { everyS: 90, from: "08:00", to: "20:00:30" }
    script: print(2)
`;
const WARM = '{ variable: hall/warmth, on: above, value: 25, subsequent: false }';

t.test('events of the tree have triggers and actions; invalid entries are retried', async (t) => {
  const { kernel, apply } = gateway();
  const first = await apply(events(WARM), {});
  t.same(first.problems, []);
  const at = (path: string) => {
    const found = kernel.tree.findByPath(path);
    if (!found?.is(4)) throw new Error(`no event at ${path}`);
    return found;
  };
  const [fan, warmth] = ['hall/fan', 'hall/warmth'].map((path) => kernel.tree.findByPath(path)?.id);
  t.match(at('hall/warm'), {
    name: 'Too warm',
    data: {
      active: true,
      trigger: { type: 2, variableId: warmth, value: 25, subsequent: false },
      actionParameters: { TARGET: fan, VALUE: true },
    },
  });
  t.match(at('hall/morning').data, {
    active: true,
    script: 'print(1)',
    cyclic: {
      dateType: 3,
      dateValue: 1,
      dateDay: 1 + 16,
      timeType: 0,
      timeFrom: { hour: 6, minute: 30, second: 0 },
    },
  });
  t.match(at('often').data, {
    active: false,
    cyclic: {
      dateType: 0,
      timeType: 1,
      timeValue: 90,
      timeFrom: { hour: 8, minute: 0 },
      timeTo: { hour: 20, minute: 0, second: 30 },
    },
  });

  const warm = at('hall/warm');
  kernel.events.set(warm, { active: false });
  kernel.events.setTrigger(warm.id, { value: 30 });
  const second = await apply(events(WARM), first.applied);
  t.match(warm.data, { active: false, trigger: { value: 30 } }, 'no line changed');
  const third = await apply(events(WARM.replace('25', '24')), second.applied);
  t.match(warm.data, { active: false, trigger: { value: 24 } }, 'one did');

  const lost = await apply(events(WARM.replace('warmth', 'heat')), third.applied);
  t.same(lost.problems, ['tree: hall/warm: there is no object at hall/heat']);
  t.equal(warm.data.trigger?.variableId, warmth, 'it stays as it was');
  kernel.variables.create(2, {
    parent: kernel.tree.findByPath('hall') ?? kernel.tree.root,
    ident: 'heat',
    name: 'Heat',
  });
  t.same((await apply(events(WARM.replace('warmth', 'heat')), lost.applied)).problems, []);
  t.equal(
    warm.data.trigger?.variableId,
    kernel.tree.findByPath('hall/heat')?.id,
    'retried with the same lines',
  );

  const never = gateway();
  const no = await never.apply(events(WARM.replace('25', 'hot')), {});
  t.match(no.problems, [/^tree: hall\/warm: .*the text is not a number/]);
  t.match(
    never.kernel.tree.findByPath('hall/warm')?.data,
    { active: false },
    'an incomplete event is not triggered',
  );
  const unknown = await never.apply(events(WARM).replace('Set a variable', 'Sett'), {});
  t.match(unknown.problems, [/there is no action Sett; actions: Run a text as a script, Run a script, /]);
});

t.test('an entry refers to a re-created target again', async (t) => {
  const { kernel, apply } = gateway();
  const text = `${events(WARM)}  - { link: Fan, ident: link, target: hall/fan }\n`;
  const first = await apply(text, {});
  t.same(first.problems, []);
  for (const path of ['hall/fan', 'hall/warmth']) {
    const gone = kernel.tree.findByPath(path);
    if (gone !== undefined) kernel.tree.delete(gone);
  }
  const { id } = kernel.tree.findByPath('hall/warm') ?? {};
  t.same((await apply(text, first.applied)).problems, []);
  const [fan, warmth] = ['hall/fan', 'hall/warmth'].map((path) => kernel.tree.findByPath(path)?.id);
  t.match(kernel.tree.findByPath('hall/warm'), {
    id,
    data: { trigger: { variableId: warmth, value: 25 }, actionParameters: { TARGET: fan } },
  });
  t.match(kernel.tree.findByPath('link')?.data, { targetId: fan });
});

t.test('errors in events are reported at their lines', async (t) => {
  t.same(await errors(events(WARM)), []);
  t.match(await errors(events('{ variable: hall/warmth, on: value }')), [/on: value requires a value/]);
  t.match(await errors(events('{ variable: hall/warmth, on: often }')), [
    /expected update or change or above/,
  ]);
  t.match(await errors(events(WARM, 'script: print(1)')), [/exactly one of the keys script, action/]);
  t.match(await errors(events(WARM, 'cyclic: { at: "5:00" }')), [/exactly one of the keys trigger, cyclic/]);
  t.match(await errors(events(WARM, 'cyclic: { at: "5:00" }')), [/exactly one of the keys trigger, cyclic/]);
  const often = (cyclic: string) => events(WARM).replace(/cyclic: .*from.*/, `cyclic: ${cyclic}`);
  t.match(await errors(often('{ at: "25:00" }')), [/25:00 is not a time of day; write it like 06:00/]);
  t.match(await errors(often('{ from: "5:00" }')), [/exactly one of the keys at, everyS/]);
  t.match(await errors(often('{ at: "5:00", to: "6:00" }')), [/from and to belong to everyS/]);
});
