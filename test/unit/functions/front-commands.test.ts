import t from 'tap';
import { Fault } from '../../../src/base/fault.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { snapshotOf } from '../../tools/client/replica.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const [FRONT, OTHER] = [50_001, 50_002];
const KEY = 'a-key_0123456789';

/** An area with a set point, a note and a variable with a script; a set point outside. */
async function areaFixture() {
  const fixture = new FunctionFixture();
  const made = async (parent: number, method: string, ...params: unknown[]) => {
    const id = (await fixture.call(method, ...params)) as number;
    await fixture.call('SVC_SetParent', id, parent);
    return id;
  };
  const area = await made(0, 'SVC_CreateCategory');
  const [setPoint, note, lamp, outside] = [
    await made(area, 'SVC_CreateVariable', 2),
    await made(area, 'SVC_CreateVariable', 3),
    await made(area, 'SVC_CreateVariable', 0),
    await made(0, 'SVC_CreateVariable', 2),
  ];
  const script = await made(0, 'SVC_CreateScript', 0);
  await fixture.call('SVC_SetVariableCustomAction', lamp, script);
  await fixture.call('SVC_CreateVariableProfile', 'Room', 2);
  await fixture.call('SVC_SetVariableProfileValues', 'Room', 5, 30, 0.1);
  await fixture.call('SVC_SetVariableCustomProfile', setPoint, 'Room');
  const card = { icon: '', position: 1, editable: false, passwordRequired: true, mobile: false };
  for (const id of [FRONT, OTHER]) fixture.configurators.push({ ...card, id, title: 'House', baseId: area });
  const asFront = (method: string, ...params: unknown[]) =>
    fixture.callAsWebFront(FRONT, method, FRONT, ...params);
  const execute = (id: number, value: unknown) => asFront('WFC_Execute', 0, id, value);
  const keyed = (id: number, value: unknown, key = KEY) => asFront('WFC_ExecuteKeyed', id, value, key);
  const outcome = (key = KEY) => asFront('WFC_GetOutcome', key);
  return { fixture, setPoint, note, lamp, outside, script, asFront, execute, keyed, outcome };
}

t.test('residents cannot operate what the owner has disabled', async (t) => {
  const { fixture, setPoint, lamp, execute } = await areaFixture();
  await using _ = fixture;
  await fixture.call('GW_SetResidentAccess', setPoint, 'set');
  for (const [id, value] of [
    [setPoint, 21],
    [lamp, true],
  ] as const) {
    await execute(id, value);
    await fixture.call('SVC_SetDisabled', id, true);
    await t.rejects(execute(id, value), { code: 'NOT_ALLOWED' });
    await fixture.call('RequestAction', lamp, false);
    await fixture.call('SVC_SetDisabled', id, false);
    await execute(id, value);
  }
});

t.test('residents set a variable without an action if the owner allows it', async (t) => {
  const { fixture, setPoint, note, outside, execute } = await areaFixture();
  await using _ = fixture;
  await t.rejects(execute(setPoint, 21), { code: 'ACTION_INVALID' });
  t.strictSame(await fixture.messagesOfCall('GW_SetResidentAccess', setPoint, 'set'), [
    [setPoint, messageNumber.GW_RESIDENTS, ['set']],
  ]);
  t.strictSame(await fixture.messagesOfCall('GW_SetResidentAccess', setPoint, 'set'), [], 'no change');
  t.match(snapshotOf(fixture.kernel)[`ID${setPoint}`]?.data, { residents: 'set' });
  t.equal(await execute(setPoint, '21.5'), '');
  t.equal(await fixture.call('GetValue', setPoint), 21.5);
  t.match(fixture.audit.at(-1), { role: 'webfront', method: 'WFC_Execute', ok: true });
  await fixture.call('GW_SetResidentAccess', outside, 'set');
  await t.rejects(execute(outside, 1), { code: 'ACCESS_DENIED' }, 'only in its area');
  await fixture.call('GW_SetResidentAccess', note, 'set');
  await execute(note, '<b>milk</b>');
  t.equal(await fixture.call('GetValue', note), '<b>milk</b>');
  t.strictSame(await fixture.messagesOfCall('GW_SetResidentAccess', note, 'none'), [
    [note, messageNumber.GW_RESIDENTS, ['none']],
  ]);
  t.notOk('residents' in (snapshotOf(fixture.kernel)[`ID${note}`]?.data ?? {}));
  await t.rejects(execute(note, 'bread'), { code: 'ACTION_INVALID' });
});

t.test('the profile gives the range and the step of what residents set', async (t) => {
  const { fixture, setPoint, execute } = await areaFixture();
  await using _ = fixture;
  await fixture.call('GW_SetResidentAccess', setPoint, 'set');
  for (const wrong of [4.9, 30.1, 'warm', null, {}, []])
    await t.rejects(execute(setPoint, wrong), { code: 'CANNOT_CONVERT' }, JSON.stringify(wrong));
  t.equal(await fixture.call('GetValue', setPoint), 0, 'nothing was set');
  for (const [value, nearest] of [
    [20.4 + 1e-13, 20.4],
    [20.44, 20.4],
    [20.46, 20.5],
    [30, 30],
    [5, 5],
  ] as const) {
    await execute(setPoint, value);
    t.equal(await fixture.call('GetValue', setPoint), nearest);
  }
  await fixture.call('SVC_SetVariableProfileValues', 'Room', 0, 0, 4);
  await execute(setPoint, -7);
  t.equal(await fixture.call('GetValue', setPoint), -8, 'a step without a range counts from 0');
  await fixture.call('SVC_SetVariableProfileValues', 'Room', 0, 10, 4);
  await execute(setPoint, 9.9);
  t.equal(await fixture.call('GetValue', setPoint), 8, 'no step exceeds the range');
});

t.test('an action has precedence, and a variable of a device cannot be opened to residents', async (t) => {
  const { fixture, lamp, execute } = await areaFixture();
  await using _ = fixture;
  await fixture.call('GW_SetResidentAccess', lamp, 'set');
  t.match(await execute(lamp, true), /^ran with/);
  t.equal(await fixture.call('GetValue', lamp), false);
  const state = fixture.idOf(await fixture.lamp(), 'STATE');
  await t.rejects(fixture.call('GW_SetResidentAccess', state, 'set'), { code: 'READ_ONLY' });
  await t.rejects(fixture.call('GW_SetResidentAccess', lamp, 'read'), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(fixture.call('GW_SetResidentAccess', 12, 'set'), { code: 'NOT_OF_TYPE' });
});

t.test('a command with a key is executed once, and its outcome can be read', async (t) => {
  const { fixture, lamp, keyed, outcome } = await areaFixture();
  await using _ = fixture;
  const { runs } = fixture.scripts;
  const release = Promise.withResolvers<void>();
  const { run } = fixture.scripts;
  fixture.scripts.run = async (options) => {
    fixture.scripts.start(options);
    await release.promise;
    return '';
  };
  t.strictSame(await outcome(), { State: 'unknown', Code: '', Text: '', Details: {} });
  const calls = [keyed(lamp, true), keyed(lamp, true)];
  t.strictSame(await outcome(), { State: 'running', Code: '', Text: '', Details: {} });
  release.resolve();
  t.strictSame(await Promise.all(calls), [true, true]);
  t.equal(await keyed(lamp, true), true, 'repeated after the end');
  t.equal(runs.length, 1);
  t.strictSame(await outcome(), { State: 'done', Code: '', Text: '', Details: {} });
  await t.rejects(keyed(lamp, false), { code: 'KEY_USED' }, 'another value');
  fixture.scripts.run = run;
  t.equal(await fixture.callAsWebFront(OTHER, 'WFC_ExecuteKeyed', OTHER, lamp, true, KEY), true);
  t.equal(runs.length, 2, 'the key of another configurator is another one');
  t.match(runs.at(-1), { sender: 'WebFront', caller: { configurator: OTHER } });
});

t.test('the outcome of a failed command has its code and its text, and it is not repeated', async (t) => {
  const { fixture, setPoint, lamp, outside, keyed, outcome } = await areaFixture();
  await using _ = fixture;
  await fixture.call('GW_SetResidentAccess', setPoint, 'set');
  await t.rejects(keyed(setPoint, 99), { code: 'CANNOT_CONVERT' });
  await t.rejects(keyed(setPoint, 99), { code: 'CANNOT_CONVERT' });
  t.match(await outcome(), { State: 'failed', Code: 'CANNOT_CONVERT', Text: /within 5 to 30/ });
  await t.rejects(keyed(outside, 1, 'key-outside'), { code: 'ACCESS_DENIED' });
  t.match(await outcome('key-outside'), { State: 'unknown' });
  fixture.scripts.run = () => Promise.reject(new Error('private'));
  await t.rejects(keyed(lamp, true, 'key-of-lamp'), { code: 'INTERNAL' });
  t.match(await outcome('key-of-lamp'), { State: 'failed', Code: 'INTERNAL', Text: /^Internal error/ });
  fixture.scripts.run = () =>
    Promise.reject(
      new Fault('SCRIPT_FAILED', 'at secret.js:1', {
        general: 'The script failed',
        details: { rule: 'MIN_ON' },
      }),
    );
  await t.rejects(keyed(lamp, true, 'key-of-script'), { message: 'The script failed' });
  t.match(await outcome('key-of-script'), { Text: 'The script failed', Details: { rule: 'MIN_ON' } });
  t.match(await fixture.call('WFC_GetOutcome', FRONT, 'key-of-script'), { Text: 'at secret.js:1' });
  await t.rejects(fixture.call('WFC_GetOutcome', 12, KEY), { code: 'NOT_OF_TYPE' });
});

t.test('keys are checked, and kept for 5 minutes and 64 commands', async (t) => {
  const { fixture, setPoint, lamp, keyed, outcome } = await areaFixture();
  await using _ = fixture;
  await fixture.call('GW_SetResidentAccess', setPoint, 'set');
  for (const wrong of ['', 'short-7', 'x'.repeat(65), 'with space', 'with/slash', 'ümlaut-key'])
    await t.rejects(keyed(setPoint, 20, wrong), { code: 'PARAMETER_BOUNDS' }, wrong);
  await keyed(setPoint, 20);
  fixture.clock.advance(299_000);
  t.match(await outcome(), { State: 'done' });
  fixture.clock.advance(2_000);
  t.match(await outcome(), { State: 'unknown' });
  for (let n = 0; n < 65; n++) await keyed(setPoint, 20, `command-${n}`);
  t.match(await outcome('command-0'), { State: 'unknown' });
  t.match(await outcome('command-1'), { State: 'done' });
  const release = Promise.withResolvers<string>();
  fixture.scripts.run = () => release.promise;
  const running = Array.from({ length: 64 }, (_one, n) => keyed(lamp, true, `running-${n}`));
  await t.rejects(keyed(setPoint, 20), { code: 'BUSY' }, 'no running command is forgotten');
  t.match(await outcome('running-0'), { State: 'running' });
  release.resolve('');
  await Promise.all(running);
});

t.test('a front limits its own changes to objects of its area', async (t) => {
  const { fixture, setPoint, outside, script } = await areaFixture();
  await using _ = fixture;
  const requests: unknown[] = [];
  const stream = { subscribe: (...limits: unknown[]) => void requests.push(limits) };
  const caller = { role: 'webfront', user: 'webfront', remote: '10.0.0.9', configurator: FRONT } as const;
  const subscribe = async (...params: unknown[]) =>
    fixture.registry.call('GW_Subscribe', params, { ...caller, stream });
  t.equal(await subscribe([setPoint, FRONT], [messageNumber.VM_UPDATE]), true);
  t.equal(await subscribe([]), true);
  t.strictSame(requests, [
    [[setPoint, FRONT], [messageNumber.VM_UPDATE], [FRONT, 0]],
    [[], [], [FRONT, 0]],
  ]);
  for (const id of [outside, script, OTHER, 0, 12])
    await t.rejects(subscribe([setPoint, id]), {
      code: 'OBJECT_MISSING',
      message: `Object #${id} does not exist`,
    });
  t.equal(requests.length, 2);
  await t.rejects(fixture.callAsWebFront(FRONT, 'GW_Subscribe', []), { code: 'NOT_ALLOWED' }, 'over HTTP');
});
