import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { message } from '../../../src/kernel/messages.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames, type Frame } from '../../tools/client/message-stream.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
const RELAY =
  '      - { instance: Lamp, ident: lamp, module: GPIO Output, properties: { Line: RELAY1 }, variables: { STATE: { name: Light } } }\n';
const tree = (inside: string) => `${SIMULATED_CONFIG}tree:
  - category: Hall
    ident: hall
    children:
      - { variable: Setpoint, ident: setpoint, type: float }
${inside}`;

interface Check {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
}

const orphans = async (gateway: GatewayFixture) =>
  ((await rpc(gateway, 'GW_GetHealth')) as { Checks: Check[] }).Checks.find(({ Name }) => Name === 'orphans');

t.test('health lists what was removed from the file only, and prune deletes it', async (t) => {
  const front = 'configurators: [{ title: T, ident: wf, base: hall, passwordRequired: false }]\n';
  const gateway = await startGateway(t, tree(RELAY) + front);
  t.match(await orphans(gateway), { State: 'ok' });
  const [lamp, wf] = [await idOf(gateway, 'hall/lamp'), await idOf(gateway, 'wf')];
  const state = await idOf(gateway, 'hall/lamp/STATE');
  const [archive] = (await rpc(gateway, 'SVC_GetInstanceListByModuleID', ARCHIVE)) as number[];
  await rpc(gateway, 'AC_SetLoggingStatus', archive, state, true);
  await rpc(gateway, 'AC_AddLoggedValues', archive, state, [{ TimeStamp: 1_700_000_000, Value: 1 }]);
  await gateway.configure(tree(''));
  t.match(await rpc(gateway, 'GW_ReloadConfiguration'), { Problems: [] });
  t.match(await orphans(gateway), {
    State: 'warning',
    Text: `hall/lamp (#${lamp}, Instance) was removed from gateway.yaml and still exists\nwf (#${wf}, Instance) was removed`,
  });

  const prune = (...args: string[]) => runCli(['prune', '--url', addressOf(gateway), ...args]);
  const dry = await prune();
  t.strictSame([dry.code, dry.stderr], [0, '']);
  t.match(dry.stdout, `hall/lamp  #${lamp}  Instance  would be deleted\n`);
  t.match(dry.stdout, 'Nothing was changed. stellwerk prune --yes deletes them.');
  t.match(await rpc(gateway, 'GW_Prune', false), [{ ObjectID: lamp, Path: 'hall/lamp', Problem: '' }, {}]);
  t.equal(await idOf(gateway, 'hall/lamp'), lamp, 'it is only listed');
  t.match(await prune('--yes'), { code: 0, stdout: `hall/lamp  #${lamp}  Instance  deleted\n` });
  t.equal(await rpc(gateway, 'SVC_ObjectExists', lamp), false);
  t.equal(await rpc(gateway, 'SVC_ObjectExists', state), false, 'with its variables');
  const recorded = await rpc(gateway, 'AC_GetAggregationVariables', archive, true);
  t.match(recorded, [{ VariableID: state, FirstTime: 1_700_000_000 }], 'records stay');
  t.equal(await rpc(gateway, 'SVC_ObjectExists', wf), false);
  t.ok(await idOf(gateway, 'hall/setpoint'), 'what is listed stays');
  t.match(await orphans(gateway), { State: 'ok' });
  t.match(await prune(), { code: 0, stdout: /^nothing to remove/ });

  await gateway.configure(tree(RELAY.replace('lamp', 'other')));
  t.match(await rpc(gateway, 'GW_ReloadConfiguration'), { Problems: [] }, 'its line is free');
});

t.test('objects created by calls stay, and so do their parents', async (t) => {
  const category = '      - { category: Shelf, ident: shelf, children: [{ category: Box, ident: box }] }\n';
  const gateway = await startGateway(t, tree(RELAY + category));
  const mine = await rpc(gateway, 'SVC_CreateCategory');
  await rpc(gateway, 'SVC_SetParent', mine, await idOf(gateway, 'hall/shelf'));
  await rpc(gateway, 'SVC_SetName', mine, 'Mine');
  const note = await rpc(gateway, 'SVC_CreateCategory');
  await rpc(gateway, 'SVC_SetParent', note, await idOf(gateway, 'hall/lamp'));
  await gateway.configure(tree(''));
  await rpc(gateway, 'GW_ReloadConfiguration');
  const pruned = await runCli(['prune', '--yes', '--url', addressOf(gateway)]);
  t.equal(pruned.code, 1);
  t.match(pruned.stdout, /^hall\/shelf\/box +#\d+ +Category +deleted$/m);
  t.match(
    pruned.stdout,
    `Category  stays: the objects below it are not in the file: Mine (#${String(mine)}); delete or move them`,
  );
  t.match(pruned.stdout, /^hall\/lamp .* stays: /m);
  await rpc(gateway, 'SVC_DeleteCategory', mine);
  await rpc(gateway, 'SVC_DeleteCategory', note);
  const config = join(gateway.directory, 'cli.yaml');
  writeFileSync(config, `${SIMULATED_CONFIG.replace('port: 0', `port: ${gateway.port}`)}`);
  t.equal((await runCli(['prune', '--yes', '--config', config])).code, 0, `as ${OWNER.username}`);
  t.match(await orphans(gateway), { State: 'ok' });
});

t.test(
  'an instance is deleted with its own variables, children first, but not with user-defined objects',
  async (t) => {
    const gateway = await startGateway(t, tree(RELAY));
    const lamp = await idOf(gateway, 'hall/lamp');
    const [state, link] = [await idOf(gateway, 'hall/lamp/STATE'), await idOf(gateway, 'hall/lamp/LINK')];
    const own = await rpc(gateway, 'SVC_CreateVariable', 0);
    await rpc(gateway, 'SVC_SetParent', own, lamp);
    t.equal(await rpc(gateway, 'SVC_DeleteInstance', lamp), 'HAS_CHILDREN');
    t.ok(await rpc(gateway, 'SVC_VariableExists', state), 'nothing was deleted');
    await rpc(gateway, 'SVC_DeleteVariable', own);
    await using client = await openWebSocket(gateway);
    await rpc(gateway, 'SVC_DeleteInstance', lamp);
    const seen: Frame[] = [];
    const isEnd = ({ Message, SenderID }: Frame) => Message === message.OM_UNREGISTER && SenderID === lamp;
    while (!seen.some(isEnd)) seen.push(...(await takeFrames(client, 1)));
    const at = (number: number, id: unknown) =>
      seen.findIndex(({ Message, SenderID }) => Message === number && SenderID === id);
    for (const id of [state, link]) {
      t.ok(
        at(message.VM_DELETE, id) >= 0 && at(message.VM_DELETE, id) < at(message.OM_UNREGISTER, id),
        'its DELETE before its UNREGISTER',
      );
      t.ok(at(message.OM_UNREGISTER, id) < at(message.IM_DELETE, lamp), 'variables before the instance');
    }
  },
);
