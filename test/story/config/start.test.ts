import t from 'tap';
import { callText, idOf, post, replyIn, rpc, valueAt, type ApiAddress } from '../../tools/client/json-rpc.js';
import { ownerLine } from '../../tools/gateway/api-fixture.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

/** Instances whose variables are configured, with a profile each. */
const devices = (profile: string, type = 'float') => `tree:
  - instance: Broker
    ident: broker
    module: MQTT Client
    properties: { Url: "mqtt://127.0.0.1:1" }
    children:
      - instance: Plug
        ident: plug
        module: MQTT Device
        properties: { Topics: [{ Ident: POWER, Type: ${type}, StateTopic: p, Profile: ${profile} }] }
  - instance: Wire
    ident: wire
    module: Virtual I/O
    children:
      - instance: Meter
        ident: meter
        module: Serial Device
        properties: { Rules: [{ Pattern: "^T=(.*)$", Ident: TEMP, Type: ${type}, Profile: ${profile} }] }
`;

interface Check {
  readonly Name: string;
  readonly State: string;
  readonly Text: string;
}

async function checkOf(fixture: ApiAddress, name: string): Promise<string> {
  const { Checks } = (await rpc(fixture, 'GW_GetHealth')) as { Checks: Check[] };
  const found = Checks.find(({ Name }) => Name === name);
  return `${found?.State}: ${found?.Text}`;
}

const restarted = async (t: Parameters<typeof startGateway>[0], fixture: GatewayFixture, yaml?: string) => {
  await fixture.gateway.close();
  return startGateway(t, yaml, { directory: fixture.directory });
};

const profileOf = async (fixture: ApiAddress, path: string) => {
  const shown = (await rpc(fixture, 'SVC_GetVariable', await idOf(fixture, path))) as {
    VariableProfile: string;
  };
  return shown.VariableProfile;
};

t.test('a missing profile does not prevent the start, and is reported until it is corrected', async (t) => {
  const first = await startGateway(t, SIMULATED_CONFIG + devices('~Wat'));
  const messages = /Plug \(#\d+\): .*Topics\[0\]\.Profile: there is no profile ~Wat/;
  const other = /Meter \(#\d+\): .*Rules\[0\]\.Profile: there is no profile ~Wat/;
  const health = await checkOf(first, 'devices');
  t.match(health, messages);
  t.match(health, other);
  t.equal(await profileOf(first, 'broker/plug/POWER'), '');

  const fixture = await restarted(t, first);
  t.match(await checkOf(fixture, 'devices'), messages, 'nor the next start');
  await fixture.configure(SIMULATED_CONFIG + devices('~Temperature'));
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
  t.equal(await profileOf(fixture, 'broker/plug/POWER'), '~Temperature');
  t.notMatch(await checkOf(fixture, 'devices'), /~Wat/);

  const plug = await idOf(fixture, 'broker/plug');
  const topics = [{ Ident: 'POWER', Type: 'float', StateTopic: 'p', Profile: '~Switch' }];
  await rpc(fixture, 'SVC_SetProperty', plug, 'Topics', JSON.stringify(topics));
  t.equal(await rpc(fixture, 'SVC_ApplyChanges', plug), true);
  const type = /Topics\[0\]\.Profile: the profile ~Switch is of type boolean, and POWER is of type float/;
  t.match(await checkOf(fixture, 'devices'), type);
  const again = await restarted(t, fixture);
  t.match(await checkOf(again, 'devices'), type);
});

t.test('deleting the profile of an instance’s variable does not prevent the next start', async (t) => {
  const first = await startGateway(t, `${SIMULATED_CONFIG}tree: []\n`);
  await rpc(first, 'SVC_CreateVariableProfile', 'Mine', 2);
  await first.configure(SIMULATED_CONFIG + devices('Mine'));
  t.match(await rpc(first, 'GW_ReloadConfiguration'), { Problems: [] });
  t.equal(await profileOf(first, 'wire/meter/TEMP'), 'Mine');
  await rpc(first, 'SVC_DeleteVariableProfile', 'Mine');
  t.equal(await profileOf(first, 'wire/meter/TEMP'), '');
  const messages = /Rules\[0\]\.Profile: there is no profile Mine/;
  t.match(await checkOf(first, 'devices'), messages);
  const fixture = await restarted(t, first);
  t.match(await checkOf(fixture, 'devices'), messages);
  await rpc(fixture, 'SVC_CreateVariableProfile', 'Mine', 2);
  t.equal(await profileOf(fixture, 'wire/meter/TEMP'), 'Mine');
});

t.test('a changed type in the file changes the variable, which keeps its id', async (t) => {
  const fixture = await startGateway(
    t,
    SIMULATED_CONFIG + devices('~Temperature').replaceAll('~Temperature', '""'),
  );
  const id = await idOf(fixture, 'wire/meter/TEMP');
  const wire = await idOf(fixture, 'wire');
  const push = async (fixture: ApiAddress, text: string) => rpc(fixture, 'VIO_PushText', wire, text);
  const isValue = (fixture: ApiAddress, value: number | string) =>
    until(`TEMP is ${value}`, async () => (await valueAt(fixture, 'wire/meter/TEMP')) === value);
  await push(fixture, 'T=21.5\r\n');
  await isValue(fixture, 21.5);
  await fixture.configure(SIMULATED_CONFIG + devices('""', 'string'));
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
  t.equal(await idOf(fixture, 'wire/meter/TEMP'), id);
  t.equal(await valueAt(fixture, 'wire/meter/TEMP'), '');
  await push(fixture, 'T=warm\r\n');
  await isValue(fixture, 'warm');
  const again = await restarted(t, fixture, SIMULATED_CONFIG + devices('""', 'integer'));
  t.equal(await valueAt(again, 'wire/meter/TEMP'), 0);
  await push(again, 'T=22\r\n');
  await isValue(again, 22);
});

t.test('an ident that every instance has is rejected as a variable of a device', async (t) => {
  const fixture = await startGateway(
    t,
    SIMULATED_CONFIG + devices('~Temperature').replace('POWER', 'STATUS'),
  );
  const messages = /Plug \(#\d+\): the ident STATUS is reserved/;
  t.match(await checkOf(fixture, 'devices'), messages);
  t.match(await valueAt(fixture, 'broker/plug/STATUS'), /^closed .*reserved/);
  const again = await restarted(t, fixture);
  t.match(await checkOf(again, 'devices'), messages);
});

t.test('health lists differences from the file after a reload', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + devices('~Temperature'));
  await fixture.configure(`${SIMULATED_CONFIG}tree: [{ categroy: x, ident: y }]\n`);
  const failed = replyIn(await post(fixture, callText('GW_ReloadConfiguration', []), [ownerLine]));
  t.equal(failed.error?.data.code, 'CONFIGURATION_INVALID');
  t.match(
    await checkOf(fixture, 'configuration'),
    /^failed: .*would not start with this file: .*tree\[0\]: an entry has/,
  );
  const other = devices('~Temperature')
    .replace('module: Virtual I/O', 'module: Client Socket\n    properties: { Host: localhost, Port: 1 }')
    .replace('Meter', 'Gauge');
  await fixture.configure(SIMULATED_CONFIG + other);
  const messages =
    /gateway.yaml:\d+:\d+: tree: wire: its module is Virtual I\/O; .*differ from the file in Host, Port$/;
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [messages] });
  t.match(await checkOf(fixture, 'configuration'), /^warning: .*tree: wire: /);
  t.equal(
    await rpc(fixture, 'SVC_GetName', await idOf(fixture, 'wire/meter')),
    'Gauge',
    'the entries below it are applied',
  );
  await fixture.configure(SIMULATED_CONFIG + devices('~Temperature'));
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
  t.match(await checkOf(fixture, 'configuration'), /^ok/);
});

t.test('configured intervals of writing apply until an option replaces them', async (t) => {
  const yaml = `${SIMULATED_CONFIG}store: { valuesEveryS: 300, recordsEveryS: 200 }\n`;
  const first = await startGateway(t, yaml);
  t.equal(await rpc(first, 'SVC_GetOption', 'SaveInterval'), 300);
  t.equal(await rpc(first, 'SVC_GetOption', 'ArchiveInterval'), 200);
  // 5 is the default: it is stored nevertheless.
  t.equal(await rpc(first, 'SVC_SetOption', 'ArchiveInterval', 5), true);
  const second = await restarted(t, first, yaml);
  t.equal(await rpc(second, 'SVC_GetOption', 'ArchiveInterval'), 5);
  t.equal(await rpc(second, 'SVC_GetOption', 'SaveInterval'), 300);
});
