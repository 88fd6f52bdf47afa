import t from 'tap';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const VALUE_ACTION = '{3644F802-C152-464A-868A-242C2A3DEC5C}';
const TEXT_ACTION = '{346AA8C1-30E0-1663-78EF-93EFADFAC650}';
const SCRIPT_ACTION = '{7938A5A2-0981-5FE0-BE6C-8AA610D654EB}';
const SET_ACTION = '{516818A2-E497-4A84-B7C4-94CB9C745FD1}';
const TOGGLE_ACTION = '{B4E02384-0CA9-4D45-8AF3-34956B540207}';

/** Enough iterations of the event loop for an event to run. */
async function settled(): Promise<void> {
  for (let n = 0; n < 8; n++) await yieldToEventLoop();
}

async function make(fixture: FunctionFixture, method: string, ...params: unknown[]): Promise<number> {
  return (await fixture.call(method, ...params)) as number;
}

t.test('actions are listed, described and executed', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const state = fixture.idOf(lamp, 'STATE');
  const own = await make(fixture, 'SVC_CreateVariable', 1);
  const script = await make(fixture, 'SVC_CreateScript', 0);
  const names = async (method: string, ...params: unknown[]) =>
    (JSON.parse((await fixture.call(method, ...params)) as string) as { actionID: string }[]).map(
      ({ actionID }) => actionID,
    );
  const all = [TEXT_ACTION, SCRIPT_ACTION, VALUE_ACTION, SET_ACTION, TOGGLE_ACTION];
  t.strictSame(await names('SVC_GetActions'), all);
  const fitting = (id: number, environment: string, withDefault: boolean) =>
    names('SVC_GetActionsByEnvironment', id, environment, withDefault);
  t.strictSame(await fitting(state, 'Default', false), [TEXT_ACTION, VALUE_ACTION, TOGGLE_ACTION]);
  t.strictSame(await fitting(own, '', false), [TEXT_ACTION, VALUE_ACTION, SET_ACTION]);
  t.strictSame(
    await fitting(script, 'Elsewhere', true),
    [TEXT_ACTION, SCRIPT_ACTION],
    'and those of Default',
  );
  t.strictSame(await fitting(script, 'Elsewhere', false), [], 'no action is for that environment alone');
  for (const none of [0, -1]) t.strictSame(await fitting(none, 'Default', false), [TEXT_ACTION]);
  await t.rejects(fixture.call('SVC_GetActionsByEnvironment', 4711, '', true), { code: 'OBJECT_MISSING' });
  t.equal(await fixture.call('SVC_ActionExists', VALUE_ACTION.toLowerCase()), true);
  t.equal(await fixture.call('SVC_ActionExists', '{NO}'), false);

  const wait = async (id: string, parameters: object) => fixture.call('SVC_RunActionWait', id, parameters);
  const there = { PARENT: 0, ENVIRONMENT: 'Default' };
  t.equal(await wait(VALUE_ACTION, { TARGET: state, VALUE: true, ...there }), '');
  t.equal(await fixture.call('GetValue', state), true, 'the lamp was switched');
  await wait(TOGGLE_ACTION, { TARGET: state });
  t.equal(await fixture.call('GetValue', state), false);
  await wait(VALUE_ACTION, { TARGET: own, VALUE: '7' });
  t.equal(await fixture.call('GetValue', own), 7, 'without an action behind it: it is set');
  await wait(SET_ACTION, { TARGET: own, VALUE: 8 });
  t.equal(await fixture.call('GetValue', own), 8);
  t.equal(await wait(TEXT_ACTION, { SCRIPT: 'print(TARGET)', TARGET: own }), `ran with {"TARGET":${own}}`);
  t.equal(await wait(SCRIPT_ACTION, { TARGET: script }), `ran with {"TARGET":${script}}`);
  t.match(fixture.scripts.runs, [{ text: 'print(TARGET)', sender: 'RunAction' }, { id: script }]);
  for (const [code, id, parameters] of [
    ['ACTION_MISSING', '{NO}', {}],
    ['ACTION_MISSING', '', {}],
    ['PARAMETER_TYPE', TEXT_ACTION, {}],
    ['PARAMETER_TYPE', TEXT_ACTION, { SCRIPT: 7 }],
    ['PARAMETER_TYPE', TEXT_ACTION, { SCRIPT: '', VALUES: 7 }],
    ['PARAMETER_TYPE', VALUE_ACTION, { VALUE: 1 }],
    ['PARAMETER_TYPE', VALUE_ACTION, { VALUE: [], TARGET: own }],
    ['PARAMETER_TYPE', VALUE_ACTION, [1]],
    ['NOT_OF_TYPE', VALUE_ACTION, { VALUE: 1, TARGET: script }],
    ['CANNOT_CONVERT', VALUE_ACTION, { VALUE: 'warm', TARGET: own }],
    ['NOT_OF_TYPE', SCRIPT_ACTION, { TARGET: own }],
    ['READ_ONLY', SET_ACTION, { VALUE: true, TARGET: state }],
    ['VARIABLE_TYPE', TOGGLE_ACTION, { TARGET: own }],
  ] as const)
    await t.rejects(
      fixture.call('SVC_RunActionWait', id, parameters),
      { code },
      `${id} ${JSON.stringify(parameters)}`,
    );

  t.equal(await fixture.call('SVC_RunAction', VALUE_ACTION, { TARGET: own, VALUE: 9 }), true);
  await settled();
  t.equal(await fixture.call('GetValue', own), 9);
  t.equal(await fixture.call('SVC_RunAction', SET_ACTION, { TARGET: state, VALUE: true }), true);
  await settled();
  t.match(fixture.errors, [/cannot be written/], 'its failure is logged');

  const code = (id: string, parameters: object) => fixture.call('SVC_GetActionReadableCode', id, parameters);
  t.equal(await code(VALUE_ACTION, { TARGET: own, VALUE: 'a"b' }), `RequestAction(${own}, "a\\"b");`);
  t.equal(await code(SET_ACTION, { TARGET: own, VALUE: 1 }), `SetValue(${own}, 1);`);
  t.equal(await code(TEXT_ACTION, { SCRIPT: 'print(1)' }), 'print(1)');
  t.equal(await code(SCRIPT_ACTION, { TARGET: script }), `SVC_RunScript(${script});`);
  t.equal(await code(TOGGLE_ACTION, { TARGET: own }), `RequestAction(${own}, !GetValue(${own}));`);
  t.match(JSON.parse((await fixture.call('SVC_GetActionForm', VALUE_ACTION, { VALUE: 3 })) as string), [
    { name: 'TARGET', type: 'SelectObject', value: null },
    { name: 'VALUE', type: 'SelectValue', value: 3 },
  ]);
  t.match(JSON.parse((await fixture.call('SVC_GetActionForm', TEXT_ACTION, [])) as string), [
    { name: 'SCRIPT', type: 'ScriptEditor', value: null },
    { name: 'TARGET', type: 'SelectObject', value: null },
  ]);
  await t.rejects(fixture.call('SVC_GetActionForm', TEXT_ACTION, { SCRIPT: 7 }), { code: 'PARAMETER_TYPE' });
});

t.test('an action rejects a value beyond the range of the profile and executes nothing', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const level = fixture.idOf(lamp, 'LEVEL');
  await fixture.call('RequestAction', level, 1000).catch(() => undefined);
  await fixture.call('SVC_CreateVariableProfile', 'Half', 1);
  await fixture.call('SVC_SetVariableCustomProfile', level, 'Half');
  t.equal(await fixture.call('RequestAction', level, 60), true, 'equal limits are no limits');
  await fixture.call('SVC_SetVariableProfileValues', 'Half', 10, 50, 1);
  const text =
    'Cannot auto-convert value for parameter Value (51 is not within 10 to 50, the range of profile Half)';
  for (const [method, ...params] of [
    ['RequestAction', level, 51],
    ['RequestAction', level, '51'],
    ['RequestActionEx', level, 50.6, 'Test'],
    ['SVC_RequestAction', lamp, 'LEVEL', 51],
  ] as const)
    await t.rejects(fixture.call(method, ...params), { code: 'CANNOT_CONVERT', message: text }, method);
  t.match(await fixture.call('GW_RequestActions', [[level, 9]]), [
    { Success: false, Error: { code: 'CANNOT_CONVERT' } },
  ]);
  t.equal(await fixture.call('GetValue', level), 60, 'nothing was executed');
  for (const value of [10, 50, 49.6]) t.equal(await fixture.call('RequestAction', level, value), true);
  const script = await make(fixture, 'SVC_CreateScript', 0);
  const own = await make(fixture, 'SVC_CreateVariable', 2);
  await fixture.call('SVC_SetVariableCustomAction', own, script);
  await fixture.call('SVC_SetVariableCustomProfile', own, '~Temperature');
  await t.rejects(fixture.call('RequestAction', own, 71), { code: 'CANNOT_CONVERT' });
  t.equal(fixture.scripts.runs.length, 0);
  await fixture.call('RequestAction', own, 70);
  t.equal(fixture.scripts.runs.length, 1);
});

t.test('the action of an event replaces its script, and a script replaces the action', async (t) => {
  await using fixture = new FunctionFixture();
  const event = await make(fixture, 'SVC_CreateEvent', 1);
  await fixture.call('SVC_SetEventScript', event, 'x');
  await fixture.call('SVC_SetEventAction', event, SCRIPT_ACTION, []);
  t.match(await fixture.call('SVC_GetEvent', event), { EventScript: '', EventActionID: SCRIPT_ACTION });
  await fixture.call('SVC_SetEventScript', event, 'y');
  t.match(await fixture.call('SVC_GetEvent', event), { EventScript: 'y', EventActionID: '' });
  await fixture.call('SVC_SetEventAction', event, '', {});
  t.match(await fixture.call('SVC_GetEvent', event), { EventScript: '', EventActionID: '' });
  await t.rejects(fixture.call('SVC_SetEventAction', event, '{NO}', {}), { code: 'ACTION_MISSING' });
  await t.rejects(fixture.call('SVC_SetEventScript', event, 'x'.repeat(70_000)), { code: 'TEXT_TOO_LONG' });
  const audited = JSON.stringify(fixture.audit);
  t.match(audited, '(1 characters)');
  t.notMatch(audited, 'xxx', 'a script’s text may contain a secret');
});
