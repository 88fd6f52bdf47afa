/** What monitoring reads: /metrics and /health/ready. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { runlevel } from '../../../src/kernel/messages.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { reservePort } from '../../tools/reserve-port.js';
import { until } from '../../tools/until.js';

const TOKEN = 'a-token-of-this-test';

t.test('metrics are off by default, and need the token or a program of this machine', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG);
  const get = (headers: Record<string, string> = {}, path = '/metrics') =>
    fetch(`http://127.0.0.1:${gateway.port}${path}`, { headers });
  t.equal((await get()).status, 404);
  await gateway.configure(`${SIMULATED_CONFIG}metrics: { password: "${TOKEN}" }\n`);
  await rpc(gateway, 'GW_ReloadConfiguration');
  const rejected = await get();
  t.equal(rejected.status, 401);
  t.equal(rejected.headers.get('www-authenticate'), 'Bearer realm="stellwerk metrics"');
  t.equal((await get({ Authorization: 'Bearer another' })).status, 401);
  t.equal((await get({ Authorization: `Basic ${btoa(`owner:${TOKEN}`)}` })).status, 401);
  const read = await get({ Authorization: `Bearer ${TOKEN}` });
  t.equal(read.headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8');
  t.match(await read.text(), /^# HELP stellwerk_build_info /);
  t.equal((await get({ Authorization: `Basic ${btoa(`metrics:${TOKEN}`)}` })).status, 200);
  await gateway.configure(`${SIMULATED_CONFIG}metrics: { local: open }\n`);
  await rpc(gateway, 'GW_ReloadConfiguration');
  t.equal((await get()).status, 200);
  t.equal((await get({ 'X-Forwarded-For': '192.0.2.1' })).status, 401, 'not through a proxy');
  t.equal((await get({ Authorization: `Bearer ${TOKEN}` })).status, 200, 'a program of this machine');
});

t.test('metrics count calls, and show the tree and configured values', async (t) => {
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG}metrics: { local: open, values: [stellwerk/PROBLEMS, stellwerk/HEALTH, none] }\n`,
  );
  const { root } = fixture.gateway.kernel.tree;
  await rpc(fixture, 'SVC_GetObject', root.id);
  await rpc(fixture, 'SVC_GetObject', 99_999);
  await rpc(fixture, 'NoSuchFunction "\\\n');
  const text = await (await fetch(`http://127.0.0.1:${fixture.port}/metrics`)).text();
  const lines = text.split('\n');
  t.ok(lines.includes('stellwerk_rpc_requests_total{method="SVC_GetObject",code="OK"} 1'));
  t.ok(lines.includes('stellwerk_rpc_requests_total{method="SVC_GetObject",code="OBJECT_MISSING"} 1'));
  t.ok(lines.includes('stellwerk_rpc_requests_total{method="",code="METHOD_NOT_FOUND"} 1'));
  t.ok(lines.includes('stellwerk_rpc_duration_seconds_bucket{method="SVC_GetObject",le="+Inf"} 2'));
  t.ok(lines.includes('stellwerk_rpc_duration_seconds_count{method="SVC_GetObject"} 2'));
  t.match(text, /\nstellwerk_variable_value\{path="stellwerk\/PROBLEMS"\} \d+\n/);
  t.notMatch(text, 'stellwerk/HEALTH', 'a text has no sample');
  t.match(text, /\nstellwerk_instance_up\{instance="[^"]+",module="[^"]+"\} 1\n/);
  for (const line of lines.filter((one) => one !== ''))
    t.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [-+\dInfNae.]+)$/, line);
  const dashboard = readFileSync(`${PACKAGE_ROOT}docs/use/grafana-dashboard.json`, 'utf8');
  for (const [name] of dashboard.matchAll(/\b(?:stellwerk|process|nodejs)_\w+/g))
    t.match(text, `\n${name}`, `${name} of the dashboard exists`);
  const page = readFileSync(`${PACKAGE_ROOT}docs/use/monitoring.md`, 'utf8');
  const types = lines.filter((one) => one.startsWith('# TYPE')).map((one) => one.split(' ')[2]);
  t.strictSame(types, [...new Set(types)], 'each family once');
  for (const name of types) t.match(page, `\`${name}\``, 'the page has it');
});

t.test('/health/ready says whether the gateway has started, and which checks are not well', async (t) => {
  const gateway = await startGateway(t, SIMULATED_CONFIG);
  const response = await fetch(`http://127.0.0.1:${gateway.port}/health/ready`);
  t.equal(response.status, 200);
  t.match(response.headers.get('content-type'), /^application\/health\+json\b/);
  const { status, checks } = (await response.json()) as { status: string; checks: Record<string, unknown> };
  t.match(status, /^(pass|warn)$/);
  t.strictSame(checks['clock'], [{ status: 'pass' }]);
  gateway.gateway.kernel.setRunlevel(runlevel.uninit);
  t.equal((await fetch(`http://127.0.0.1:${gateway.port}/health/ready`)).status, 503);
});

t.test('metrics of instances: commands, inputs, brokers and queues', async (t) => {
  const port = await reservePort();
  const url = `mqtt://127.0.0.1:${port}`;
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG}metrics: { local: open }
tree:
  - { instance: Gate, ident: gate, module: Relay, properties: { Line: RELAY1, Interlock: gate } }
  - { instance: Other, ident: other, module: Relay, properties: { Line: RELAY2, Interlock: gate } }
  - { instance: Sense, ident: sense, module: GPIO Input, properties: { Line: SENSE1 } }
  - { instance: Broker, ident: broker, module: MQTT Client, properties: { Url: "${url}" } }
  - instance: Bridge
    ident: bridge
    module: MQTT Bridge
    properties: { Url: "${url}", MaxMiB: 4, Paths: [{ Path: sense, Priority: high }] }
`,
  );
  for (const ident of ['gate', 'other', 'sense', 'bridge'])
    await until(ident, async () => (await valueAt(fixture, `${ident}/LINK`)) === 'online');
  const [gate, other] = [await idOf(fixture, 'gate'), await idOf(fixture, 'other')];
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', gate, 'STATE', true), true);
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', other, 'STATE', true), 'RULE_FORBIDS');
  await until('the edge', async () => Number(await valueAt(fixture, 'sense/COUNT')) > 0);
  const read = async () => (await fetch(`http://127.0.0.1:${fixture.port}/metrics`)).text();
  const waiting = /\nstellwerk_forward_queue_messages\{target="bridge",priority="high"\} [1-9]/;
  await until('what waits', async () => waiting.test(await read()));
  const text = await read();
  const lines = text.split('\n');
  for (const line of [
    'stellwerk_actions_total{instance="gate",result="ok"} 1',
    'stellwerk_actions_total{instance="gate",result="failed"} 0',
    'stellwerk_actions_total{instance="other",result="failed"} 1',
    'stellwerk_instance_reconnects_total{instance="gate"} 0',
    'stellwerk_input_edges_total{instance="sense",ident="COUNT"} 1',
    'stellwerk_input_edges_lost_total{instance="sense",ident="LOST"} 0',
    'stellwerk_mqtt_connected{instance="broker"} 0',
    'stellwerk_mqtt_connected{instance="bridge"} 0',
    'stellwerk_forward_queue_capacity_bytes{target="bridge"} 4194304',
    'stellwerk_forward_acknowledged_total{target="bridge",priority="high"} 0',
    'stellwerk_forward_dropped_total{target="bridge",priority="high",reason="full"} 0',
  ])
    t.ok(lines.includes(line), line);
  const page = readFileSync(`${PACKAGE_ROOT}docs/use/monitoring.md`, 'utf8');
  for (const name of lines.filter((one) => one.startsWith('# TYPE')).map((one) => one.split(' ')[2]))
    t.match(page, `\`${name}\``, 'the page has it');
});
