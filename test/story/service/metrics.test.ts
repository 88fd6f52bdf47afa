/** What monitoring reads: /metrics and /health/ready. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { runlevel } from '../../../src/kernel/messages.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { idOf, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { openWebSocket } from '../../tools/client/message-stream.js';
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
  t.match(text, /\nstellwerk_variable_value\{path="stellwerk\/PROBLEMS",unit=""\} \d+\n/);
  t.notMatch(text, 'stellwerk/HEALTH', 'a text has no sample');
  t.match(text, /\nstellwerk_instance_up\{instance="[^"]+",module="[^"]+"\} 1\n/);
  for (const line of lines.filter((one) => one !== ''))
    t.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{([a-z]+="[^"\n]*",?)+\})? [-+\dInfNae.]+)$/, line);
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

t.test('metrics of everything: those of the page, all with samples, and no others', async (t) => {
  const [port, serverPort] = [await reservePort(), await reservePort()];
  const url = `mqtt://127.0.0.1:${port}`;
  const fixture = await startGateway(
    t,
    `${SIMULATED_CONFIG}metrics: { local: open, values: [warm] }
tree:
  - { instance: Gate, ident: gate, module: Relay, properties: { Line: RELAY1, Interlock: gate } }
  - { instance: Other, ident: other, module: Relay, properties: { Line: RELAY2, Interlock: gate } }
  - { instance: Sense, ident: sense, module: GPIO Input, properties: { Line: SENSE1 } }
  - { instance: Server, ident: server, module: MQTT Server, properties: { Port: ${serverPort} } }
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:${serverPort}", WillTopic: a/b, Subscriptions: ["a/#"] }
  - { instance: Bus, ident: bus, module: 1-Wire Bus, properties: { Bus: w1_bus_master1 } }
  - instance: Hall
    ident: hall
    module: 1-Wire Device
    connection: bus
    properties: { Address: 28-000000000001, EveryS: 5 }
  - { variable: Warm, ident: warm, type: float, value: 21.5, profile: ~Temperature, archive: {} }
  - instance: Bridge
    ident: bridge
    module: MQTT Bridge
    properties: { Url: "${url}", MaxMiB: 4, Paths: [{ Path: sense, Priority: high }] }
`,
  );
  for (const ident of ['gate', 'other', 'sense', 'broker', 'hall', 'bridge'])
    await until(ident, async () => (await valueAt(fixture, `${ident}/LINK`)) === 'online');
  const [gate, other] = [await idOf(fixture, 'gate'), await idOf(fixture, 'other')];
  await using _client = await openWebSocket(fixture);
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', gate, 'STATE', true), true);
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', other, 'STATE', true), 'RULE_FORBIDS');
  await rpc(fixture, 'GW_SimulateRefusal', 'RELAY1', true);
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', gate, 'STATE', false), 'DEVICE_REFUSED');
  await rpc(fixture, 'GW_SimulateRefusal', 'RELAY1', false);
  await until('the edge', async () => Number(await valueAt(fixture, 'sense/COUNT')) > 0);
  const wrong = { Authorization: `Basic ${btoa('owner:wrong')}` };
  await fetch(`http://127.0.0.1:${fixture.port}/api/`, { method: 'POST', headers: wrong, body: '{}' });

  const read = async () => (await fetch(`http://127.0.0.1:${fixture.port}/metrics`)).text();
  const shows = async (pattern: RegExp) => {
    await until(String(pattern), async () => pattern.test(await read()));
  };
  await shows(/\nstellwerk_forward_queue_messages\{target="bridge",priority="high"\} [1-9]/);
  await shows(/\nstellwerk_mqtt_messages_total\{instance="broker",direction="received",qos="[01]"\} [1-9]/);
  await shows(/\nstellwerk_driver_poll_duration_seconds_count\{instance="hall"\} [1-9]/);
  await shows(/\nstellwerk_state_fsync_seconds_count [1-9]/);
  await shows(/\nstellwerk_disk_written_bytes_total\{kind="state"\} \d/);
  await shows(/\nstellwerk_edge_to_push_seconds_count [1-9]/);
  await shows(/\nstellwerk_driver_errors_total\{instance="bridge",reason="NOT_CONNECTED"\} 1\n/);
  await shows(/\nstellwerk_archive_rows_total [1-9]/);
  const text = await read();
  const lines = text.split('\n');
  t.notMatch(text, /driver_errors_total\{instance="other"/, 'a rule is no error of the driver');
  for (const line of [
    'stellwerk_actions_total{instance="gate",result="ok"} 1',
    'stellwerk_actions_total{instance="gate",result="failed"} 1',
    'stellwerk_actions_total{instance="other",result="failed"} 1',
    'stellwerk_action_duration_seconds_count 3',
    'stellwerk_driver_errors_total{instance="gate",reason="DEVICE_REFUSED"} 1',
    'stellwerk_instance_reconnects_total{instance="gate"} 0',
    'stellwerk_input_edges_total{instance="sense",ident="COUNT"} 1',
    'stellwerk_input_edges_lost_total{instance="sense",ident="LOST"} 0',
    'stellwerk_mqtt_connected{instance="broker"} 1',
    'stellwerk_mqtt_connected{instance="bridge"} 0',
    'stellwerk_mqtt_messages_total{instance="broker",direction="sent",qos="1"} 1',
    'stellwerk_mqtt_messages_total{instance="bridge",direction="sent",qos="1"} 0',
    'stellwerk_forward_queue_capacity_bytes{target="bridge"} 4194304',
    'stellwerk_forward_sent_total{target="bridge",priority="high"} 0',
    'stellwerk_forward_acknowledged_total{target="bridge",priority="high"} 0',
    'stellwerk_forward_dropped_total{target="bridge",priority="high",reason="full"} 0',
    'stellwerk_variable_value{path="warm",unit="°C"} 21.5',
    'stellwerk_archive_write_errors_total 0',
    'stellwerk_auth_failures_total{reason="password"} 1',
    'stellwerk_ws_clients 1',
    'stellwerk_ws_coalesced_total 0',
    'stellwerk_ws_dropped_total 0',
  ])
    t.ok(lines.includes(line), line);
  t.match(text, /\nstellwerk_audit_events_total [1-9]/);

  const page = readFileSync(`${PACKAGE_ROOT}docs/use/monitoring.md`, 'utf8');
  const documented = [...page.matchAll(/^\| (`(?:stellwerk|process|nodejs)_.+?) \| (?:\w+)? ?\|/gm)].flatMap(
    ([, names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const types = lines.filter((one) => one.startsWith('# TYPE')).map((one) => one.split(' ')[2]);
  t.strictSame(types, [...new Set(types)], 'each family once');
  t.strictSame(types.toSorted(), documented.toSorted(), 'the page has each of them');
  const dashboard = readFileSync(`${PACKAGE_ROOT}docs/use/grafana-dashboard.json`, 'utf8');
  const alerts = readFileSync(`${PACKAGE_ROOT}docs/use/grafana.md`, 'utf8');
  const used = [...(dashboard + alerts).matchAll(/\b(?:stellwerk|process|nodejs)_\w+/g)].map(
    ([name]) => name,
  );
  t.ok(used.length > 10);
  for (const name of used)
    t.ok(
      types.includes(name.replace(/_(bucket|sum|count)$/, '')),
      `${name} of the dashboard or the alerts exists`,
    );
});
