import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket } from '../../tools/client/message-stream.js';
import { reservePort } from '../../tools/reserve-port.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { until } from '../../tools/until.js';

t.test('two gateways in one process are independent', async (t) => {
  const one = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const two = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  t.not(one.port, two.port);
  await rpc(one, 'HW_WriteValueBoolean', await idOf(one, 'ground_floor/hall_relay'), 'STATE', true);
  t.equal(await valueAt(one, 'ground_floor/hall_sense/STATE'), true);
  t.equal(await valueAt(two, 'ground_floor/hall_sense/STATE'), false);
  await one.gateway.close();
  await one.gateway.close();
  t.equal(
    await rpc(two, 'HW_WriteValueBoolean', await idOf(two, 'ground_floor/hall_relay'), 'STATE', true),
    true,
  );
  t.equal(await valueAt(two, 'ground_floor/hall_sense/STATE'), true);
});

t.test('a closed gateway leaves nothing in its process', async (t) => {
  // Timers belong to tap too, and file operations in flight vary.
  const passing = new Set(['Timeout', 'FSReqCallback']);
  const held = () =>
    process
      .getActiveResourcesInfo()
      .filter((name) => !passing.has(name))
      .sort()
      .join();
  const before = held();
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG}${SAMPLE_TREE}  - { instance: Broker, ident: broker, module: MQTT Client, properties: { Url: "mqtt://127.0.0.1:1" } }
  - { instance: Port, ident: port, module: Serial Port, properties: { Port: /dev/nothing } }
webServers: [{ name: house, host: 127.0.0.1, port: 0, serve: front, tls: auto }]
`,
  );
  const socket = await openWebSocket(fixture);
  t.equal(await rpc(fixture, 'SVC_RunScriptTextWait', 'echo(1)'), '1');
  t.not(held(), before);
  await socket[Symbol.asyncDispose]();
  await fixture.gateway.close();
  await until('everything to be released', () => held() === before);
});

t.test('a failed start leaves nothing either', async (t) => {
  const directory = await tempDirectory(t);
  const port = await reservePort();
  const taken = createServer().listen(port, '127.0.0.1');
  await once(taken, 'listening');
  const yaml = SIMULATED_CONFIG.replace('port: 0', `port: ${port}`) + SAMPLE_TREE;
  await t.rejects(startGateway(t, yaml, { directory }), { code: 'LISTEN_FAILED', message: /EADDRINUSE/ });
  await new Promise((resolve) => taken.close(resolve));
  const fixture = await startGateway(t, yaml, { directory });
  t.equal(fixture.port, port);
  t.equal(await valueAt(fixture, 'ground_floor/hall_relay/LINK'), 'online');
});
