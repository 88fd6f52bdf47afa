import t from 'tap';
import { textOf } from '../../law/sources.js';
import { callText, idOf, post, rpc, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, type GatewayFixture } from '../../tools/gateway/gateway-fixture.js';
import { callOverWebSocket, openWebSocket } from '../../tools/client/message-stream.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const GATE = `tree:
  - { instance: Gate opens, ident: opens, module: Relay, properties: { Line: RELAY1, Interlock: gate, DeadTimeMs: 50 } }
  - { instance: Gate closes, ident: closes, module: Relay, properties: { Line: RELAY2, Interlock: gate, DeadTimeMs: 50 } }
  - { instance: Opened, ident: opened, module: GPIO Input, properties: { Line: SENSE1 } }
  - { instance: Closed, ident: closed, module: GPIO Input, properties: { Line: SENSE2 } }
  - { instance: Pump, ident: pump, module: Relay, properties: { Line: RELAY3, MaxOnS: 0.2 } }
`;

const becomes = (fixture: GatewayFixture, path: string, expected: unknown) =>
  until(`${path} to be ${String(expected)}`, async () => (await valueAt(fixture, path)) === expected);

t.test(
  'an interlock applies to every kind of command, and the tree says why a command is rejected',
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + GATE);
    for (const ident of ['opens', 'closes', 'opened', 'closed'])
      await becomes(fixture, `${ident}/LINK`, 'online');
    const opens = await idOf(fixture, 'opens');
    const closes = await idOf(fixture, 'closes');
    const state = await idOf(fixture, 'closes/STATE');
    t.equal(await rpc(fixture, 'HW_WriteValueBoolean', opens, 'STATE', true), true);
    await becomes(fixture, 'opened/STATE', true);
    t.strictSame(
      [
        await rpc(fixture, 'HW_WriteValueBoolean', closes, 'STATE', true),
        await rpc(fixture, 'RequestAction', state, true),
      ],
      ['RULE_FORBIDS', 'RULE_FORBIDS'],
    );
    t.equal(await valueAt(fixture, 'closes/RULE'), 'interlock gate: another of the group is active');
    const { body } = await post(fixture, callText('RequestAction', [state, true]));
    t.match(JSON.parse(body), {
      error: { data: { code: 'RULE_FORBIDS', rule: 'INTERLOCK', untilMs: 0, group: 'gate' } },
    });
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        rpc(fixture, 'HW_WriteValueBoolean', n % 3 === 0 ? opens : closes, 'STATE', n % 2 === 0),
      ),
    );
    t.strictSame(
      outcomes.filter((one) => one !== true && one !== 'RULE_FORBIDS' && one !== 'DEVICE_REFUSED'),
      [],
      'concurrent commands: each is executed or rejected',
    );
    const both = [await valueAt(fixture, 'opens/STATE'), await valueAt(fixture, 'closes/STATE')];
    t.notSame(both, [true, true]);
  },
);

t.test('the example of the first light works: the button switches the light', async (t) => {
  const [yaml = ''] = [...textOf('docs/start/first-light.md').matchAll(/```yaml\n([^]*?)```/g)].map(
    ([, text]) => text,
  );
  const wired = yaml.replace('GPIO27, ActiveLow: true', 'RELAY1').replace('GPIO17', 'BUTTON1');
  t.match(wired, /RELAY1[^]*BUTTON1/);
  const fixture = await startGateway(t, SIMULATED_CONFIG + wired);
  for (const path of ['hall/light/LINK', 'hall/button/LINK']) await becomes(fixture, path, 'online');
  for (const isLit of [true, false]) {
    await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
    await becomes(fixture, 'hall/light/STATE', isLit);
    await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', false);
    await becomes(fixture, 'hall/button/STATE', false);
  }
  t.equal(await rpc(fixture, 'RequestAction', await idOf(fixture, 'hall/light/STATE'), true), true);
  await becomes(fixture, 'hall/light/STATE', true);
});

t.test('an output with MaxOnS switches off by itself', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + GATE);
  await becomes(fixture, 'pump/LINK', 'online');
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', await idOf(fixture, 'pump'), 'STATE', true), true);
  await becomes(fixture, 'pump/STATE', false);
  t.strictSame([await valueAt(fixture, 'pump/OFF_AT'), await valueAt(fixture, 'pump/PENDING')], [0, '']);
});

const BLIND = `tree:
  - { instance: Blind, ident: blind, module: Shutter, properties: { Up: RELAY4, Down: RELAY5, RunUpS: 0.5, RunDownS: 60, ReserveS: 0 } }
  - { instance: Up, ident: up, module: GPIO Input, properties: { Line: SENSE4 } }
  - { instance: Down, ident: down, module: GPIO Input, properties: { Line: SENSE5 } }
`;

t.test(
  'a shutter learns its position, and keeps it over a restart; its motor never runs without the gateway',
  async (t) => {
    const first = await startGateway(t, SIMULATED_CONFIG + BLIND);
    for (const ident of ['blind', 'up', 'down']) await becomes(first, `${ident}/LINK`, 'online');
    t.strictSame([await valueAt(first, 'blind/KNOWN'), await valueAt(first, 'blind/POSITION')], [false, 50]);
    const act = async (fixture: GatewayFixture, ident: string, value: number) =>
      rpc(fixture, 'RequestAction', await idOf(fixture, `blind/${ident}`), value);
    t.equal(await act(first, 'MOVE', 0), true);
    await becomes(first, 'blind/KNOWN', true);
    await becomes(first, 'blind/MOVE', 2);
    t.strictSame([await valueAt(first, 'blind/POSITION'), await valueAt(first, 'up/STATE')], [0, false]);
    await first.gateway.close();

    const second = await startGateway(t, undefined, { directory: first.directory });
    for (const ident of ['blind', 'down']) await becomes(second, `${ident}/LINK`, 'online');
    t.strictSame([await valueAt(second, 'blind/KNOWN'), await valueAt(second, 'blind/POSITION')], [true, 0]);
    t.equal(await act(second, 'POSITION', 101), 'CANNOT_CONVERT');
    t.equal(await act(second, 'POSITION', 50), true);
    await becomes(second, 'down/STATE', true);
    t.equal(await valueAt(second, 'blind/MOVE'), 4);
    t.equal(await rpc(second, 'SVC_ApplyChanges', await idOf(second, 'blind')), true);
    await becomes(second, 'down/STATE', false);
    await second.gateway.close();
  },
);

const YARD = `configurators:
  - { title: Yard, ident: front, base: yard, password: tulip }
tree:
  - category: Yard
    ident: yard
    children:
      - { instance: Gate opens, ident: opens, module: Relay, properties: { Line: RELAY1, Interlock: gate } }
      - { instance: Gate closes, ident: closes, module: Relay, properties: { Line: RELAY2, Interlock: gate } }
      - { instance: Closed, ident: closed, module: GPIO Input, properties: { Line: SENSE2 } }
      - { instance: Button, ident: button, module: Button, properties: { Line: BUTTON1, Toggles: yard/closes } }
      - { variable: Command, ident: command, type: boolean }
`;

t.test('a rule applies to calls, sockets, pages, scripts, actions and buttons', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + YARD);
  for (const ident of ['opens', 'closes', 'closed', 'button'])
    await becomes(fixture, `yard/${ident}/LINK`, 'online');
  const closes = await idOf(fixture, 'yard/closes');
  const state = await idOf(fixture, 'yard/closes/STATE');
  const command = await idOf(fixture, 'yard/command');
  const front = await idOf(fixture, 'front');
  const script = await rpc(fixture, 'SVC_CreateScript', 0);
  await rpc(fixture, 'SVC_SetScriptContent', script, `RequestAction(${state}, true)`);
  await rpc(fixture, 'SVC_SetVariableCustomAction', command, script);
  await using socket = await openWebSocket(fixture);
  const opens = await idOf(fixture, 'yard/opens');
  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', opens, 'STATE', true), true);

  const said = async (method: string, ...params: unknown[]) =>
    (await post(fixture, callText(method, params))).body;
  const page = [basicLine('webfront', 'tulip')];
  const commands: Record<string, () => Promise<unknown>> = {
    'a call': () => said('HW_WriteValueBoolean', closes, 'STATE', true),
    'an action': () => said('RequestAction', state, true),
    'an action with its sender': () => said('RequestActionEx', state, true, 'Voice'),
    'an action by ident': () => said('SVC_RequestAction', closes, 'STATE', true),
    'many actions': () => said('GW_RequestActions', [[state, true]]),
    'a socket': () => callOverWebSocket(socket, 'RequestAction', [state, true]),
    'a page': async () => (await post(fixture, callText('WFC_Execute', [front, 0, state, true]), page)).body,
    'a script': () => said('SVC_RunScriptTextWait', `HW_WriteValueBoolean(${closes}, 'STATE', true)`),
    'an action by script': () => said('RequestAction', command, true),
  };
  for (const [name, send] of Object.entries(commands))
    t.match(
      JSON.stringify(await send()),
      `interlock gate: ${name === 'a page' ? 'another of the group' : 'Gate opens'} is active`,
      name,
    );
  t.strictSame(
    [await rpc(fixture, 'SetValue', state, true), await rpc(fixture, 'GW_SetValues', [[state, true]])],
    ['READ_ONLY', 'READ_ONLY'],
    'and only the device sets what is reported',
  );
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  const problems = async () =>
    JSON.stringify(await rpc(fixture, 'HW_ReadServiceMessages', await idOf(fixture, 'yard/button')));
  await until('the button to be rejected', async () => (await problems()).includes('interlock gate'));
  t.strictSame(
    [await valueAt(fixture, 'yard/closed/STATE'), await valueAt(fixture, 'yard/closed/COUNT')],
    [false, 0],
  );

  t.equal(await rpc(fixture, 'HW_WriteValueBoolean', opens, 'STATE', false), true);
  t.equal(await rpc(fixture, 'RequestAction', command, true), true, 'it works once the rule permits it');
  t.equal(await valueAt(fixture, 'yard/closes/STATE'), true);
});
