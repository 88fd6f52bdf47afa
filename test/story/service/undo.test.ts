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
