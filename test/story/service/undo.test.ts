import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

const HALL = `tree:
  - category: Hall
    ident: hall
    children:
      - { instance: Relay, ident: relay, module: GPIO Output, properties: { Line: RELAY1, Boot: inactive } }
  - { instance: Sense, ident: sense, module: GPIO Input, properties: { Line: SENSE1 } }
`;

t.test('a deleted branch returns with its relay as it is, its script and its IDs', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + HALL);
  const { kernel } = fixture.gateway;
  const becomes = (path: string, expected: unknown) =>
    until(`${path} to be ${String(expected)}`, async () => (await valueAt(fixture, path)) === expected);
  const ids = () => [...kernel.tree.all()].map(({ id }) => id).sort((a, b) => a - b);
  for (const path of ['hall/relay/LINK', 'sense/LINK']) await becomes(path, 'online');
  const hall = await idOf(fixture, 'hall');
  const sense = await idOf(fixture, 'sense/STATE');
  const script = (await rpc(fixture, 'SVC_CreateScript', 0)) as number;
  await rpc(fixture, 'SVC_SetParent', script, hall);
  await rpc(fixture, 'SVC_SetScriptContent', script, 'print("from the script")');
  await rpc(fixture, 'RequestAction', await idOf(fixture, 'hall/relay/STATE'), true);
  await becomes('sense/STATE', true);
  const before = ids();
  const deletion = await rpc(fixture, 'GW_DeleteObject', hall, true);
  t.strictSame(await readdir(join(fixture.directory, 'data', 'scripts')), [], 'its file is deleted');
  const { counter } = kernel.changes;
  t.strictSame(await rpc(fixture, 'GW_RestoreDeleted', deletion), [hall]);
  t.strictSame(ids(), before);
  await becomes('hall/relay/LINK', 'online');
  t.equal(await valueAt(fixture, 'hall/relay/STATE'), await valueAt(fixture, 'sense/STATE'));
  const switched = kernel.changes
    .since(counter)
    .filter(({ SenderID, Message }) => SenderID === sense && Message === messageNumber.VM_UPDATE);
  t.strictSame(switched, [], 'the relay has not moved');
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', script), 'from the script');
  await fixture.gateway.close();
  const next = await startGateway(t, undefined, { directory: fixture.directory });
  t.strictSame(
    [...next.gateway.kernel.tree.all()].map(({ id }) => id).sort((a, b) => a - b),
    before,
  );
  t.strictSame(await rpc(next, 'GW_GetDeleted'), [], 'deletions are kept until the gateway stops');
});

t.test('a value that was restored is on the disk', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG);
  const variable = (await rpc(fixture, 'SVC_CreateVariable', 3)) as number;
  await rpc(fixture, 'SetValue', variable, 'kept');
  await rpc(fixture, 'GW_RestoreDeleted', await rpc(fixture, 'GW_DeleteObject', variable, false));
  await fixture.gateway.close();
  const next = await startGateway(t, undefined, { directory: fixture.directory });
  t.equal(await rpc(next, 'GetValue', variable), 'kept');
});

const WING = `tree:
  - category: House
    ident: house
    children:
      - category: Wing
        ident: wing
        children:
          - { instance: Light, ident: light, module: Relay, properties: { Line: RELAY1, Boot: inactive } }
          - { script: Setter, ident: setter, hidden: true, text: 'SetValue(VARIABLE, VALUE);' }
          - { variable: Counter, ident: counter, type: integer, value: 3 }
      - { instance: Button, ident: button, module: Button, properties: { Line: BUTTON1, Toggles: house/wing/light } }
      - { variable: Setpoint, ident: setpoint, type: float, value: 20, action: house/wing/setter }
      - { script: Watcher, ident: watcher, text: 'SVC_SetInfo(SELF, "the counter is " + VALUE);' }
      - { link: Link, ident: link, target: house/wing/light }
configurators:
  - { title: Wing, ident: wf, base: house/wing, password: tulip }
`;

t.test(
  'what is outside of a deleted branch and refers to it works again, and so do its events',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + WING);
    const id = (path: string) => idOf(fixture, path);
    const becomes = (path: string, expected: unknown) =>
      until(`${path} to be ${String(expected)}`, async () => (await valueAt(fixture, path)) === expected);
    const press = async (expected: boolean) => {
      await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
      await becomes('house/wing/light/STATE', expected);
      await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', false);
      await becomes('house/button/STATE', false);
    };
    for (const path of ['house/wing/light/LINK', 'house/button/LINK']) await becomes(path, 'online');
    const [wing, watcher] = [await id('house/wing'), await id('house/watcher')];
    const outside = (await rpc(fixture, 'SVC_CreateEvent', 0)) as number;
    await rpc(fixture, 'SVC_SetEventTrigger', outside, 1, await id('house/wing/counter'));
    await rpc(fixture, 'SVC_SetParent', outside, watcher);
    const inside = (await rpc(fixture, 'SVC_CreateEvent', 1)) as number;
    await rpc(fixture, 'SVC_SetParent', inside, await id('house/wing/setter'));
    for (const event of [outside, inside]) await rpc(fixture, 'SVC_SetEventActive', event, true);
    const eventOf = async (event: number) =>
      (await rpc(fixture, 'SVC_GetEvent', event)) as { EventActive: boolean; NextRun: number };
    const fronts = await rpc(fixture, 'WFC_GetConfigurators');
    const front = await id('wf');
    const shown = async () => {
      const { objects } = (await rpc(fixture, 'WFC_GetSnapshot', front)) as { objects: object };
      return Object.keys(objects).sort();
    };
    const area = await shown();
    t.ok(area.includes(`ID${wing}`));
    t.ok((await eventOf(inside)).NextRun > 0);
    await press(true);
    const deletion = await rpc(fixture, 'GW_DeleteObject', wing, true);
    t.strictSame(await shown(), [], 'the front has nothing to show');
    await rpc(fixture, 'GW_RestoreDeleted', deletion);
    t.strictSame(await shown(), area, 'the front shows its base again');
    await becomes('house/wing/light/LINK', 'online');
    t.equal(await valueAt(fixture, 'house/wing/light/STATE'), true, 'the light stays on');
    await press(false);
    await rpc(fixture, 'RequestAction', await id('house/setpoint'), 22);
    await becomes('house/setpoint', 22);
    await rpc(fixture, 'SetValue', await id('house/wing/counter'), 7);
    await until('the watcher to run', async () => {
      const { ObjectInfo } = (await rpc(fixture, 'SVC_GetObject', watcher)) as { ObjectInfo: string };
      return ObjectInfo === 'the counter is 7';
    });
    t.match(await eventOf(outside), { EventActive: true });
    t.match(await eventOf(inside), { EventActive: true });
    t.ok((await eventOf(inside)).NextRun > 0, 'a schedule continues');
    t.match(await rpc(fixture, 'SVC_GetLink', await id('house/link')), {
      TargetID: await id('house/wing/light'),
    });
    t.strictSame(await rpc(fixture, 'WFC_GetConfigurators'), fronts, 'the area of the front');
    t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
    t.strictSame(await rpc(fixture, 'GW_Prune', false), [], 'they are still those of the configuration');
  },
);
