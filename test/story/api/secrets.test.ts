import t from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket } from '../../tools/client/message-stream.js';

const URL = 'mqtt://user:SECRET@127.0.0.1:1';
const TREE = `tree:\n  - { instance: Broker, ident: broker, module: MQTT Client, properties: { Url: "${URL}" } }\n`;

t.test('a password in a URL is never shown, and writing the masked URL back keeps it', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + TREE);
  const id = await idOf(fixture, 'broker');
  const said: unknown[] = [];
  const ask = async (method: string, ...params: unknown[]) => {
    const result = await rpc(fixture, method, ...params);
    said.push(result);
    return result;
  };
  const stored = () => fixture.gateway.kernel.instances.get(id).data.properties['Url'];
  t.equal(stored(), URL);
  const shown = JSON.parse(String(await ask('SVC_GetConfiguration', id))) as { Url: string };
  t.equal(shown.Url, 'mqtt://user:***@127.0.0.1:1');
  await ask('SVC_GetProperty', id, 'Url');
  await ask('SVC_GetConfigurationForm', id);
  await ask('SVC_SetProperty', id, 'Url', shown.Url);
  t.equal(await ask('SVC_HasChanges', id), false);
  t.equal(await ask('SVC_SetProperty', id, 'Url', 'mqtt://user:***@192.0.2.1:1'), 'PROPERTY_INVALID');
  await using socket = await openWebSocket(fixture);
  await ask('SVC_SetProperty', id, 'Url', 'mqtt://user:SECRET@127.0.0.1:2');
  await ask('SVC_ApplyChanges', id);
  t.equal(stored(), 'mqtt://user:SECRET@127.0.0.1:2');
  for (let n = 0; n < 3; n++) said.push(await socket.json());
  for (const method of ['SVC_GetSnapshot', 'GW_GetHealth', 'GW_GetAudit']) await ask(method);
  await ask('SVC_LogMessage', 'me', 'see http://user:SECRET@host/?token=SECRET');
  said.push(fixture.log);
  t.notMatch(JSON.stringify(said), /SECRET/);
  t.match(JSON.stringify(said), /user:\*\*\*@/);
});
