import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { message } from '../../../src/kernel/messages.js';
import { textOf } from '../../law/sources.js';
import { callText, idOf, post, rpc, resultOrStatus, valueAt } from '../../tools/client/json-rpc.js';
import {
  SIMULATED_CONFIG,
  SAMPLE_TREE,
  startGateway,
  type GatewayFixture,
} from '../../tools/gateway/gateway-fixture.js';
import { openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

const VALUE_ACTION = '{3644F802-C152-464A-868A-242C2A3DEC5C}';
const TOGGLE_ACTION = '{B4E02384-0CA9-4D45-8AF3-34956B540207}';
const FRONTS = `configurators:
  - { title: Ground floor, ident: wf, base: ground_floor, password: tulip }
`;

/** Creates an event of a type with a name, below an object. */
async function event(fixture: GatewayFixture, type: number, parent: number): Promise<number> {
  const id = (await rpc(fixture, 'SVC_CreateEvent', type)) as number;
  await rpc(fixture, 'SVC_SetParent', id, parent);
  return id;
}

const nextRun = async (fixture: GatewayFixture, id: number) =>
  ((await rpc(fixture, 'SVC_GetEvent', id)) as { NextRun: number }).NextRun;

t.test('a button press triggers an event; its script switches the relay and sees the cause', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const button = await idOf(fixture, 'ground_floor/hall_button/STATE');
  const relay = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  const id = await event(fixture, 0, button);
  await rpc(fixture, 'SVC_SetEventTrigger', id, 4, button);
  await rpc(fixture, 'SVC_SetEventTriggerValue', id, true);
  await rpc(
    fixture,
    'SVC_SetEventScript',
    id,
    `if (EVENT === ${id} && SENDER === 'Variable' && VALUE === true && OLDVALUE === false && TARGET === VARIABLE) {
      RequestAction(${relay}, true);
      SetValue(${setpoint}, 5);
    }`,
  );
  await rpc(fixture, 'SVC_SetEventActive', id, true);
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await until('the script to have ended', async () => (await rpc(fixture, 'GetValue', setpoint)) === 5);
  t.equal(await valueAt(fixture, 'ground_floor/hall_relay/STATE'), true);
  t.equal(await valueAt(fixture, 'ground_floor/hall_sense/STATE'), true, 'the line that it is wired to');
  t.strictSame(await rpc(fixture, 'SVC_GetVariableEventList', button), [id]);
  const audit = (await rpc(fixture, 'GW_GetAudit', 100)) as { Method: string; User: string }[];
  t.ok(audit.some(({ Method, User }) => Method === 'RequestAction' && User === 'script'));
  t.notOk(
    audit.some(({ Method }) => Method === 'SetValue'),
    'values set by scripts are not audited each time',
  );
});

t.test('an action runs in the same iteration, and its failure is logged with the event’s id', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const button = await idOf(fixture, 'ground_floor/hall_button/STATE');
  const relay = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  const [toggles, fails] = [await event(fixture, 0, relay), await event(fixture, 0, button)];
  for (const id of [toggles, fails]) {
    await rpc(fixture, 'SVC_SetEventTrigger', id, 4, button);
    await rpc(fixture, 'SVC_SetEventTriggerValue', id, true);
    await rpc(fixture, 'SVC_SetEventTriggerSubsequentExecution', id, false);
    await rpc(fixture, 'SVC_SetEventAction', id, TOGGLE_ACTION, {});
    await rpc(fixture, 'SVC_SetEventActive', id, true);
  }
  const press = async (isPressed: boolean) => rpc(fixture, 'GW_SimulateLine', 'BUTTON1', isPressed);
  for (const expected of [true, false]) {
    await press(true);
    await until('the relay to follow', async () => (await rpc(fixture, 'GetValue', relay)) === expected);
    await press(false);
    await until('the button to be released', async () => (await rpc(fixture, 'GetValue', button)) === false);
  }
  await until('the failure in the log', () => fixture.log.some((line) => line.includes(`event #${fails} (`)));
});

t.test('cyclic events run, are reported, and exist after a restart', async (t) => {
  const directory = await tempDirectory(t);
  const clock = new ManualClock(new Date(2026, 2, 28, 5, 59, 30).getTime());
  const first = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { directory, clock });
  const setpoint = await idOf(first, 'ground_floor/setpoint');
  const blind = await idOf(first, 'upper_floor/blind');
  const socket = await openWebSocket(first);
  const daily = await event(first, 1, blind);
  await rpc(first, 'SVC_SetEventCyclicTimeFrom', daily, 6, 0, 0);
  await rpc(first, 'SVC_SetEventAction', daily, VALUE_ACTION, { VALUE: 50 });
  const plan = await event(first, 2, setpoint);
  await rpc(first, 'SVC_SetEventScheduleActionEx', plan, 1, 'Warm', 0xff0000, VALUE_ACTION, { VALUE: 21 });
  await rpc(first, 'SVC_SetEventScheduleActionEx', plan, 2, 'Cool', 0x0000ff, VALUE_ACTION, { VALUE: 16 });
  await rpc(first, 'SVC_SetEventScheduleGroup', plan, 1, 127);
  await rpc(first, 'SVC_SetEventScheduleGroupPoint', plan, 1, 1, 6, 0, 0, 1);
  await rpc(first, 'SVC_SetEventScheduleGroupPoint', plan, 1, 2, 6, 40, 0, 2);
  for (const id of [daily, plan]) await rpc(first, 'SVC_SetEventActive', id, true);
  const six = new Date(2026, 2, 28, 6).getTime() / 1000;
  await until('both to be scheduled', async () => (await nextRun(first, plan)) === six);
  t.equal(await nextRun(first, daily), six);
  clock.advance(30_000);
  await until('the heating', async () => (await rpc(first, 'GetValue', setpoint)) === 21);
  await until('the blind', async () => (await rpc(first, 'GetValue', blind)) === 50);
  const ofDaily: unknown[] = [];
  for (let last = 0; last !== six;) {
    const [frame] = await takeFrames(socket, 1);
    if (frame?.SenderID !== daily) continue;
    ofDaily.push(frame.Message);
    if (frame.Message === message.EM_UPDATE) last = Number(frame.Data[0]);
  }
  t.strictSame(ofDaily.slice(0, 2), [message.OM_REGISTER, message.EM_CREATE]);
  t.equal(ofDaily.at(-1), message.EM_UPDATE);
  const before = (await rpc(first, 'SVC_GetEvent', plan)) as object;
  await socket[Symbol.asyncDispose]();
  await first.gateway.close();

  // In the night in between daylight saving time begins.
  const second = await startGateway(t, undefined, { directory, clock });
  await until('it to be rescheduled', async () => (await nextRun(second, daily)) > 0);
  t.equal(await nextRun(second, daily), new Date(2026, 2, 29, 6).getTime() / 1000);
  await until('the schedule', async () => (await nextRun(second, plan)) > 0);
  t.strictSame(await rpc(second, 'SVC_GetEvent', plan), before, 'with its last and its next run');
  clock.advance(new Date(2026, 2, 28, 6, 40).getTime() - clock.nowMs());
  await until('the heating', async () => (await rpc(second, 'GetValue', setpoint)) === 16);
  t.match(await rpc(second, 'SVC_GetEvent', plan), { LastActionID: 2 });
});

t.test('a web front sees its events, and nothing outside its area', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE + FRONTS);
  const ground = await idOf(fixture, 'ground_floor');
  const blind = await idOf(fixture, 'upper_floor/blind');
  const front = await idOf(fixture, 'wf');
  const id = await event(fixture, 0, ground);
  const plan = await event(fixture, 2, ground);
  await rpc(fixture, 'SVC_SetEventTrigger', id, 1, blind);
  await rpc(fixture, 'SVC_SetEventScript', id, `SetValue(${blind}, 1)`);
  await rpc(fixture, 'SVC_SetEventCondition', id, 0, 0, 0);
  await rpc(fixture, 'SVC_SetEventConditionVariableRule', id, 0, 1, blind, 0, 7);
  await rpc(fixture, 'SVC_SetEventScheduleAction', plan, 1, 'Down', -1, `RequestAction(${blind}, 100)`);
  const tulip = [basicLine('webfront', 'tulip')];
  const shown = (await post(fixture, callText('WFC_GetSnapshot', [front]), tulip)).body;
  t.match(shown, `"ID${id}"`);
  t.match(shown, '"name":"Down"');
  t.notMatch(shown, new RegExp(`\\b(?:ID)?${blind}\\b`));
  for (const method of [
    'SVC_GetEvent',
    'GW_GetEventDecisions',
    'SVC_SetEventActive',
    'SVC_RunAction',
    'SVC_IsConditionPassing',
  ])
    t.equal(resultOrStatus(await post(fixture, callText(method, [id]), tulip)), 'ACCESS_DENIED', method);
});

t.test('the examples of the page work with the sample that make run starts', async (t) => {
  const sample = textOf('docs/start/sample/gateway.yaml').replace('port: 3777', 'port: 0');
  const fixture = await startGateway(t, sample);
  const scripts = [...textOf('docs/use/events.md').matchAll(/```js\n([^]*?)```/g)].map(
    ([, text = '']) => text,
  );
  t.ok(scripts.length >= 4);
  const printed: unknown[] = [];
  for (const text of scripts) printed.push(await rpc(fixture, 'SVC_RunScriptTextWait', text));
  t.strictSame(printed, ['', '', '', 'true', 'INACTIVE 0']);
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await until('one degree more', async () => (await rpc(fixture, 'GetValue', setpoint)) === 22.5);
  const plans = (await rpc(fixture, 'SVC_GetEventListByType', 2)) as number[];
  const timed = [...plans, ...((await rpc(fixture, 'SVC_GetEventListByType', 1)) as number[])];
  t.equal(timed.length, 2);
  for (const id of timed) await until('it to be scheduled', async () => (await nextRun(fixture, id)) > 0);
});

t.test('events are configured in gateway.yaml, and applied by a reload', async (t) => {
  const clock = new ManualClock(new Date(2026, 2, 27, 5, 59, 30).getTime());
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE, { clock });
  await fixture.configure(`${SIMULATED_CONFIG}${SAMPLE_TREE}  - event: Light by the button
    ident: by_button
    trigger: { variable: ground_floor/hall_button/STATE, on: value, value: true, subsequent: false }
    action: { name: Toggle, target: ground_floor/hall_relay/STATE }
  - event: Blind in the morning
    ident: morning
    cyclic: { at: "06:00", days: [friday] }
    action: { name: Set a variable, target: upper_floor/blind, value: 40 }
`);
  t.match(await rpc(fixture, 'GW_ReloadConfiguration'), { Problems: [] });
  const relay = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  await rpc(fixture, 'GW_SimulateLine', 'BUTTON1', true);
  await until('the relay to follow', async () => {
    clock.advance(5);
    return rpc(fixture, 'GetValue', relay);
  });
  const morning = await idOf(fixture, 'morning');
  await until('it to be scheduled', async () => (await nextRun(fixture, morning)) > 0);
  clock.advance(30_000);
  const blind = await idOf(fixture, 'upper_floor/blind');
  await until('the blind', async () => (await rpc(fixture, 'GetValue', blind)) === 40);
  t.match(await rpc(fixture, 'GW_GetEventDecisions', morning), {
    State: 'READY',
    Decisions: [{ Trigger: 'TIME', Outcome: 'RAN' }],
  });
  t.match(await rpc(fixture, 'SVC_GetEvent', morning), {
    EventActive: true,
    NextRun: new Date(2026, 3, 3, 6).getTime() / 1000,
  });
});
