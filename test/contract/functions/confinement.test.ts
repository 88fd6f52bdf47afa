import t from 'tap';
import { Fault, messageOf } from '../../../src/base/fault.js';
import type { Caller, Parameter } from '../../../src/device/declare.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { idOf, valueAt } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { message } from '../../../src/kernel/messages.js';
import { callOverWebSocket, openWebSocket, takeFrames } from '../../tools/client/message-stream.js';
import { validValue } from '../../tools/client/parameter-samples.js';
import { basicLine } from '../../tools/client/raw-http.js';
import { until } from '../../tools/until.js';

/** Contained in every text outside the area, and in nothing else. */
const SECRET = 'Zq9';
const START = 1_790_000_000;

const fixture = await startGateway(
  t,
  `${SIMULATED_CONFIG}tree:
  - category: Ground floor
    ident: ground
    children:
      - { variable: Lamp, ident: lamp, type: float }
      - { variable: Plain, ident: plain, type: integer, value: 7 }
      - { variable: Note, ident: note, type: string }
      - { instance: Pump, ident: pump, module: Relay, properties: { Line: RELAY1, Interlock: pumps } }
      - { instance: Fan, ident: fan, module: Relay, properties: { Line: RELAY2, Interlock: fans, Boot: active } }
      - { instance: Heater, ident: heater, module: Relay, properties: { Line: RELAY3, Interlock: heaters, Boot: active } }
      - { instance: Button, ident: button, module: Button, properties: { Line: BUTTON1, LongMs: 60000, Toggles: upper/${SECRET}nowhere } }
  - category: Upper floor
    ident: upper
    children:
      - { variable: Shown, ident: shown, type: float }
      - { instance: ${SECRET}pump, ident: ${SECRET}pump, module: Relay, properties: { Line: RELAY4, Interlock: pumps } }
      - { instance: ${SECRET}fan, ident: ${SECRET}fan, module: Relay, properties: { Line: RELAY99, Interlock: fans } }
      - { instance: ${SECRET}heater, ident: ${SECRET}heater, module: Relay, properties: { Line: RELAY5, Interlock: heaters, Boot: active } }
configurators:
  - { title: Ground floor, ident: wf, base: ground, password: tulip, mobile: true }
  - { title: ${SECRET}title, ident: wf2, base: upper, password: rose }
`,
);
const { registry, kernel } = fixture.gateway;
const { tree } = kernel;
const as = async (method: string, ...params: unknown[]) =>
  completeResult(registry.call(method, params, owner));
const [wf, wf2] = [await idOf(fixture, 'wf'), await idOf(fixture, 'wf2')];
const user: Caller = {
  role: 'webfront',
  user: 'webfront',
  remote: '10.0.0.9',
  configurator: wf,
  stream: { subscribe: () => undefined },
};
const [ground, upper] = [await idOf(fixture, 'ground'), await idOf(fixture, 'upper')];
const [lamp, plain, shown] = [
  await idOf(fixture, 'ground/lamp'),
  await idOf(fixture, 'ground/plain'),
  await idOf(fixture, 'upper/shown'),
];
const archive = [...tree.objectsOfType(1)].find(({ data }) => data.moduleName === 'Archive Control')?.id ?? 0;

/** Creates an object of that type below another. */
async function made(
  parent: number,
  name: string,
  ...[method, ...params]: [string, ...unknown[]]
): Promise<number> {
  const id = (await as(method, ...params)) as number;
  await as('SVC_SetName', id, name);
  await as('SVC_SetParent', id, parent);
  return id;
}

/** One object of every type outside the area. */
async function secrets() {
  const secret = (word: string, ...call: [string, ...unknown[]]) => made(upper, `${SECRET}${word}`, ...call);
  const ids = {
    category: await secret('category', 'SVC_CreateCategory'),
    instance: await secret('instance', 'SVC_CreateInstance', 'MQTT Client'),
    variable: await secret('variable', 'SVC_CreateVariable', 3),
    number: await secret('number', 'SVC_CreateVariable', 2),
    script: await secret('script', 'SVC_CreateScript', 0),
    event: await secret('event', 'SVC_CreateEvent', 0),
    media: await secret('media', 'SVC_CreateMedia', 4),
    link: await secret('link', 'SVC_CreateLink'),
  };
  for (const [word, id] of Object.entries(ids)) {
    await as('SVC_SetIdent', id, `${SECRET}${word}ident`);
    await as('SVC_SetInfo', id, `${SECRET}${word}info`);
  }
  await as('SetValue', ids.variable, `${SECRET}value`);
  await as('SVC_CreateVariableProfile', `${SECRET}profile`, 2);
  await as('SVC_SetVariableProfileText', `${SECRET}profile`, `${SECRET}prefix`, `${SECRET}suffix`);
  await as('SVC_SetVariableCustomProfile', ids.number, `${SECRET}profile`);
  await as('SVC_SetLinkTargetID', ids.link, ids.variable);
  await as('SVC_SetScriptContent', ids.script, `print('')`);
  return ids;
}

const at = await secrets();
const missing =
  Array.from({ length: 50_000 }, (_one, n) => 10_000 + n).find((id) => tree.find(id) === undefined) ?? 0;

/** References between the area and the outside. */
async function ties() {
  await as('SVC_SetVariableCustomAction', lamp, at.script);
  await as('SVC_SetLinkTargetID', await made(ground, 'To what is shown', 'SVC_CreateLink'), shown);
  await as('SVC_SetLinkTargetID', await made(ground, 'To a link', 'SVC_CreateLink'), at.link);
  const device = await made(ground, 'Device', 'SVC_CreateInstance', 'MQTT Device');
  await as('SVC_ConnectInstance', device, at.instance);
  const event = await made(ground, 'Event', 'SVC_CreateEvent', 0);
  await as('SVC_SetEventTrigger', event, 1, at.number);
  const chart = await made(ground, 'Chart', 'SVC_CreateMedia', 4);
  const datasets = [lamp, at.number, missing, at.category, shown].map((variableID) => ({ variableID }));
  const content = { datasets, axes: [{ profile: `${SECRET}profile`, side: 'left' }] };
  await as('SVC_SetMediaContent', chart, Buffer.from(JSON.stringify(content)).toString('base64'));
  for (const id of [lamp, at.number, shown]) {
    await as('AC_SetLoggingStatus', archive, id, true);
    await as('AC_AddLoggedValues', archive, id, [{ TimeStamp: START, Value: 3 }]);
  }
  await as('WFC_AddItem', wf, 'home', 'Category', '{}', '');
  await as('WFC_AddItem', wf2, `${SECRET}item`, 'Category', '{}', '');
  return { device, event, chart };
}

const tied = await ties();
const inside = new Set([...tree.all()].filter(({ id }) => isInside(id)).map(({ id }) => id)).add(shown);
/** Known from the path of a visible object, or from the configurator’s password. */
const named = new Set([0, upper, wf]);

function isInside(id: number): boolean {
  for (let object = tree.find(id) ?? null; object !== null; object = object.parent)
    if (object.id === ground) return true;
  return false;
}

const outside = [...tree.all()].map(({ id }) => id).filter((id) => !inside.has(id));
const functions = registry
  .all()
  .filter(
    ({ access, unsupported: nothing }) =>
      (access === 'webfront' || access === 'socket') && nothing === undefined,
  );

/** A value for each parameter with which the call succeeds. */
const given: Readonly<Record<string, unknown>> = {
  InstanceID: wf,
  ObjectID: lamp,
  VariableID: lamp,
  CategoryID: ground,
  TargetID: plain,
  StartTime: START,
  Limit: 10,
  Width: 320,
  Height: 200,
  Token: 'token',
  Provider: 'provider',
  DeviceID: 'device',
  Key: 'key-of-a-command',
  Visibility: [],
};
const fit = (parameter: Parameter) => given[parameter.name] ?? validValue(parameter);

/** The reply to a web front’s user: the result, or the failure’s code and text. */
async function response(method: string, params: readonly unknown[]): Promise<string> {
  try {
    return JSON.stringify(await completeResult(registry.call(method, params, user)));
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return `${thrown.code} ${thrown.rpc}: ${thrown.message}`;
  }
}

await t.test('objects outside the area are treated as missing, and nothing happens', async (t) => {
  t.ok(
    functions.length >= 14 && outside.length >= 15,
    `${functions.length} functions, ${outside.length} objects`,
  );
  const { counter } = kernel.changes;
  const different: string[] = [];
  let calls = 0;
  for (const { name, parameters } of functions) {
    for (const [n, parameter] of parameters.entries()) {
      const isId = parameter.kind === 'integer' && parameter.name.endsWith('ID');
      if (!isId && parameter.kind !== 'array') continue;
      const messages = async (id: unknown) => {
        const params = parameters.map((one, m) => (m !== n ? fit(one) : isId ? id : [id]));
        return (await response(name, params)).replaceAll(new RegExp(`\\b${String(id)}\\b`, 'g'), '#');
      };
      const expected = await messages(missing);
      const isFree = ['ActionID', 'Messages'].includes(parameter.name);
      if (!isFree && !/^(OBJECT_MISSING|NOT_OF_TYPE|ACCESS_DENIED|PARAMETER_TYPE) /.test(expected))
        different.push(`${name} ${parameter.name}: ${expected}`);
      for (const id of outside) {
        // The root’s id is a false in lists of booleans.
        if ((n === 0 && id === wf) || (!isId && id === 0)) continue;
        // An item of a list is a number, or it is rejected before anything is searched.
        for (const form of isId ? [id, String(id), `${id}.0`] : [id]) {
          calls += 1;
          const reply = (await messages(form)).replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '#');
          if (reply !== expected)
            different.push(`${name} ${parameter.name}=${form}: ${reply} instead of ${expected}`);
        }
      }
    }
  }
  t.strictSame(different, []);
  t.ok(calls > 1000, `${calls} calls`);
  t.equal(kernel.changes.counter, counter, 'no message, so no change');
});

/**
 * Where a text contains something of the outside: ids or words. Message numbers, counters and colours are
 * excluded: an id may be equal to one.
 */
function leaks(text: string): string[] {
  const found = text.includes(SECRET)
    ? [text.slice(Math.max(0, text.indexOf(SECRET) - 80)).slice(0, 160)]
    : [];
  const bare = text.replaceAll(/"(TimeStamp|timestamp|Message|[Cc]olor)":-?\d+/g, '');
  const ids = new Set(outside.filter((id) => !named.has(id)).map(String));
  for (const [, id = ''] of bare.matchAll(/\b(?:ID)?(\d{5})\b/g))
    if (ids.has(id)) found.push(`${id}: ${bare.slice(Math.max(0, bare.indexOf(id) - 80)).slice(0, 160)}`);
  return found;
}

/** Every reply that a web front’s user gets with valid parameters. */
async function allAnswers(since: number): Promise<string[]> {
  const replies: string[] = [];
  for (const { name, parameters } of functions) {
    const kinds = parameters.some((one) => one.name === 'ObjectID') ? [lamp, shown, tied.chart] : [0];
    for (const ObjectID of kinds)
      for (const TimeSpan of parameters.some((one) => one.name === 'TimeSpan') ? [0, 1, 2, 3, 4, 5] : [0]) {
        const own: Record<string, unknown> = { ObjectID, TimeSpan, LastTimeStamp: since };
        const params = parameters.map((one) => own[one.name] ?? fit(one));
        replies.push(`${name} ${await response(name, params)}`);
      }
  }
  return replies;
}

await t.test('no reply discloses anything outside the area', async (t) => {
  for (const leak of [`{"ID${at.number}":1}`, `[${at.script}]`, `"a ${SECRET}"`])
    t.equal(leaks(leak).length, 1, `${leak} would be found`);
  const replies = await allAnswers(kernel.changes.counter);
  t.strictSame(replies.flatMap(leaks), []);
  const rejected = replies.filter((one) => /^\w+ [A-Z_]+ -\d+:/.test(one)).map((one) => one.slice(0, 60));
  t.strictSame(rejected, [`WFC_Execute ACTION_INVALID -32603: Action is invalid`], 'all others are executed');
  const snapshot = replies.find((one) => one.startsWith('WFC_GetSnapshot ')) ?? '';
  for (const id of [lamp, shown, tied.event, tied.chart, tied.device])
    t.ok(snapshot.includes(`"ID${id}"`), `${id} is in it`);
  const chart = await response('WFC_FetchChartData', [wf, tied.chart, START, 1, 2]);
  const datasets = JSON.parse(chart) as { VariableID: number; Points: object[] }[];
  t.strictSame(
    datasets.map(({ VariableID, Points }) => [VariableID, Points.length]),
    [
      [lamp, 1],
      [shown, 1],
    ],
    'of a chart, the part in the area',
  );
});

await t.test('nor do texts and failures of devices and scripts', async (t) => {
  const since = kernel.changes.counter;
  const seen = (path: string, text: RegExp) =>
    until(`${path} to be ${String(text)}`, async () => text.test(String(await valueAt(fixture, path))));
  const rival = await idOf(fixture, `upper/${SECRET}pump`);
  await seen(`upper/${SECRET}pump/LINK`, /online/);
  await seen('ground/fan/PENDING', /^on when all of interlock fans are open/);
  await as('HW_WriteValueBoolean', rival, 'STATE', true);
  await as('SVC_SetScriptContent', at.script, `SetValue(${at.variable}, true); throw Error('${SECRET}')`);
  const execute = async (path: string) => response('WFC_Execute', [wf, 0, await idOf(fixture, path), true]);
  t.strictSame(
    [await execute('ground/pump/STATE'), await execute('ground/fan/STATE'), await execute('ground/lamp')],
    [
      'RULE_FORBIDS -32603: The rule forbids it: interlock pumps: another of the group is active',
      'RULE_FORBIDS -32603: The rule forbids it: interlock fans: another of the group is not open, so it may be active; see its STATUS',
      'SCRIPT_FAILED -32603: The script failed; the log has the details',
    ],
  );
  const pump = await idOf(fixture, 'ground/pump');
  const owners = await as('HW_WriteValueBoolean', pump, 'STATE', true).catch(messageOf);
  t.match(owners, new RegExp(`interlock pumps: ${SECRET}pump is active`), 'the owner sees which');
  await seen('ground/pump/RULE', /another of the group is active/);
  await seen('ground/heater/STATUS', /Boot is active here and at others/);
  await seen('ground/button/LINK', /online/);
  for (const active of [false, true]) {
    await as('GW_SimulateBounce', 'BUTTON1', active, 0, 1, 7);
    await seen('ground/button/STATE', new RegExp(String(active)));
  }
  await seen('ground/button/STATUS', /Toggles: there is no boolean variable or switch at its path/);
  t.match(await as('HW_ReadServiceMessages', await idOf(fixture, 'ground/button')), [
    { Text: new RegExp(`no boolean variable or switch at upper/${SECRET}nowhere`) },
  ]);
  await as('SVC_SetScriptContent', at.script, '');
  const replies = await allAnswers(since);
  t.ok(
    replies.some((one) => /^WFC_GetSnapshotChanges .*no boolean variable or switch at its path/.test(one)),
  );
  t.strictSame(replies.flatMap(leaks), []);
});

/** Makes every change that an owner can make, outside the area and to references into it. */
async function stir(): Promise<void> {
  for (const id of Object.values(at)) {
    for (const [method, value] of [
      ['SVC_SetName', `${SECRET}again`],
      ['SVC_SetInfo', `${SECRET}again`],
      ['SVC_SetIcon', `${SECRET}icon`],
      ['SVC_SetHidden', true],
      ['SVC_SetDisabled', true],
      ['GW_SetPublishRule', 'none'],
      ['SVC_SetPosition', 5],
    ] as const)
      await as(method, id, value);
    await as('SVC_SetParent', id, id === at.category ? 0 : at.category);
  }
  await as('SetValue', at.variable, `${SECRET}new`);
  await as('SetValue', at.number, 5);
  await as('SVC_SetVariableProfileText', `${SECRET}profile`, `${SECRET}p`, `${SECRET}s`);
  await as('SVC_SetVariableCustomAction', lamp, 0);
  await as('SVC_SetVariableCustomAction', lamp, at.script);
  await as('SVC_DisconnectInstance', tied.device);
  await as('SVC_ConnectInstance', tied.device, at.instance);
  await as('SVC_SetProperty', tied.device, 'Topics', [
    { Ident: 'A', Type: 'string', StateTopic: `${SECRET}topic` },
  ]);
  await as('SVC_ApplyChanges', tied.device);
  await as('SVC_SetEventTrigger', tied.event, 0, at.variable);
  await as('SVC_SetEventTriggerValue', tied.event, `${SECRET}value`);
  await as('SVC_SetEventScript', tied.event, `// ${SECRET}`);
  await as('SVC_SetEventCondition', tied.event, 0, 0, 0);
  await as('SVC_SetEventConditionVariableRule', tied.event, 0, 1, at.variable, 0, `${SECRET}rule`);
  await as('SVC_SetMediaContent', at.media, Buffer.from(SECRET).toString('base64'));
  await as('SVC_RunScriptWait', at.script);
  await as('WFC_SendPopup', wf2, `${SECRET}popup`, '');
  await as('WFC_OpenCategory', wf2, at.category).catch(() => undefined);
  await as('SVC_DeleteEvent', at.event);
  await as('SVC_DeleteLink', at.link);
}

await t.test('nor do messages that a web front receives, nor its later calls', async (t) => {
  const since = kernel.changes.counter;
  await using socket = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  await stir();
  await as('SetValue', await idOf(fixture, 'ground/note'), 'the end');
  t.equal(await valueAt(fixture, 'ground/note'), 'the end');
  const frames: string[] = [];
  for (;;) {
    const [frame] = await takeFrames(socket, 1);
    frames.push(JSON.stringify(frame));
    if (frame?.Data[0] === 'the end') break;
  }
  t.ok(frames.length > 3, `${frames.length} frames`);
  t.strictSame(frames.flatMap(leaks), []);
  t.strictSame((await allAnswers(since)).flatMap(leaks), []);
  await using late = await openWebSocket(fixture, `/wfc/${wf}/api/?since=${since}`, [
    basicLine('webfront', 'tulip'),
  ]);
  await as('SVC_SetName', lamp, 'the last');
  for (let isOver = false; !isOver;) {
    const [frame] = await takeFrames(late, 1);
    t.strictSame(leaks(JSON.stringify(frame)), []);
    isOver = frame?.Data[0] === 'the last';
  }
});

await t.test('a front limits its changes to a part of its area, and nothing else appears', async (t) => {
  await using socket = await openWebSocket(fixture, `/wfc/${wf}/api/`, [basicLine('webfront', 'tulip')]);
  const note = await idOf(fixture, 'ground/note');
  const subscribe = (...params: unknown[]) => callOverWebSocket(socket, 'GW_Subscribe', params);
  for (const id of [at.number, wf2, missing])
    t.match(await subscribe([note, id]), { data: { code: 'OBJECT_MISSING' } }, `${id}`);
  t.equal(await subscribe([note]), true);
  for (const id of [plain, at.number]) await as('SetValue', id, 9);
  await as('WFC_Reload', wf);
  await as('SetValue', note, 'the end of the part');
  t.strictSame(
    (await takeFrames(socket, 2)).map(({ SenderID, Message }) => [SenderID, Message]),
    [
      [wf, message.WF_RELOAD],
      [note, message.VM_UPDATE],
    ],
  );
  t.equal(await subscribe([]), true);
  await as('SetValue', plain, 8);
  t.equal((await takeFrames(socket, 1))[0]?.SenderID, plain);
});
