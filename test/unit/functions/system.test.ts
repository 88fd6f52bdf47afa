import t from 'tap';
import { snapshotFunctions } from '../../../src/functions/tree/snapshot.js';
import { schemaViolation, completeResult } from '../../tools/client/result-schema.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

interface Snapshot {
  readonly objects: Record<string, { name: string; parentID: number; data: Record<string, unknown> }>;
  readonly profiles: Record<string, { associations: unknown[] }>;
  readonly timestamp: number;
}

t.test('facts about the program and the machine', async (t) => {
  await using fixture = new FunctionFixture();
  for (const [name, fact] of Object.entries({
    SVC_GetKernelVersion: '7.0',
    GW_GetVersion: 'test',
    SVC_GetKernelRevision: 'test',
    SVC_GetKernelDate: 1_690_000_000,
    SVC_GetKernelDir: '/var/lib/stellwerk/',
    SVC_GetKernelDirEx: '/usr/lib/stellwerk/',
    SVC_GetKernelStartTime: 1_700_000_000,
    SVC_GetKernelRunlevel: 10101,
    SVC_GetKernelPlatform: 'Linux 6.12.1',
    SVC_GetKernelArchitecture: 'x86_64',
  }))
    t.equal(await fixture.call(name), fact, name);
  t.equal(await fixture.call('SVC_GetLogDir'), '/var/log/stellwerk/');
  t.equal(await fixture.call('SVC_GetSystemLanguage'), 'en_US');
  t.equal(await fixture.call('SVC_GetLimitVariables'), 950_000);
  t.equal(await fixture.call('SVC_GetInstanceMessageQueueSize'), 0);
  t.strictSame(await fixture.call('SVC_GetInstanceMessageStatistics'), []);
  await t.rejects(fixture.call('SVC_GetKernelVersion', 1), {
    message: 'Wrong parameter count for SVC_GetKernelVersion(): it takes no parameters',
  });
});

t.test('a log message is published to clients', async (t) => {
  await using fixture = new FunctionFixture();
  t.strictSame(await fixture.messagesOfCall('SVC_LogMessage', 'Boiler', 'ä "quoted"'), [
    [0, messageNumber.KL_CUSTOM, ['Boiler', 'ä "quoted"', 1_700_000_000]],
  ]);
  await t.rejects(fixture.call('SVC_LogMessage', '', 'x'.repeat(20_000)), { code: 'TEXT_TOO_LONG' });
});

t.test('health and reload are requested from the process, and a subscription from the stream', async (t) => {
  await using fixture = new FunctionFixture();
  t.strictSame(await fixture.call('GW_GetHealth'), { State: 'ok', Checks: [] });
  t.strictSame(await fixture.call('GW_ReloadConfiguration'), {
    Applied: [],
    NeedsRestart: [],
    Problems: [],
    CodedProblems: [],
  });
  const requests: unknown[] = [];
  const stream = { subscribe: (...narrowed: unknown[]) => void requests.push(narrowed) };
  const subscribe = async (...params: unknown[]) =>
    fixture.registry.call('GW_Subscribe', params, { ...owner, stream });
  t.equal(await subscribe([12_345], [10_603]), true);
  t.equal(await subscribe([]), true);
  t.strictSame(requests, [
    [[12_345], [10_603]],
    [[], []],
  ]);
  for (const params of [['x'], [['x']], [[1.5]], [{}], [[1], ['x']], [[null]]])
    await t.rejects(subscribe(...params), { code: 'PARAMETER_TYPE' }, JSON.stringify(params));
  await t.rejects(fixture.call('GW_Subscribe', []), { code: 'NOT_ALLOWED' }, 'over HTTP');
});

t.test('options have limits, immediate effect, and are saved', async (t) => {
  await using fixture = new FunctionFixture();
  const names = (await fixture.call('SVC_GetOptionList')) as string[];
  t.ok(names.includes('SaveInterval') && names.includes('ScriptTimeLimit'));
  for (const name of names)
    t.match(await fixture.call('SVC_GetOptionEx', name), { Name: name, Description: /./ });
  t.equal(await fixture.call('SVC_SetOption', 'SaveInterval', '60'), true);
  t.equal(await fixture.call('SVC_SetOption', 'SaveInterval', 60.0), true);
  t.strictSame(fixture.saved, [['SaveInterval', 60]], 'an unchanged option is not saved again');
  t.match(await fixture.call('SVC_GetOptionEx', 'SaveInterval'), {
    Value: 60,
    Default: 10,
    Minimum: 1,
    Maximum: 3600,
  });
  for (const [value, code] of [
    [0, 'PARAMETER_BOUNDS'],
    [3601, 'PARAMETER_BOUNDS'],
    [1.5, 'PARAMETER_TYPE'],
    ['x', 'PARAMETER_TYPE'],
    [null, 'PARAMETER_TYPE'],
    [true, 'PARAMETER_TYPE'],
  ] as const)
    await t.rejects(fixture.call('SVC_SetOption', 'SaveInterval', value), { code, rpc: -32602 });
  for (const [method, ...params] of [['GetOption'], ['GetOptionEx'], ['SetOption', 1]] as const)
    for (const name of ['Nothing', 'constructor', ''])
      await t.rejects(fixture.call(`SVC_${method}`, name, ...params), { code: 'OPTION_MISSING' });
  t.equal(await fixture.call('SVC_GetOption', 'SaveInterval'), 60);
});

t.test(
  'a snapshot is the tree at one moment, and the changes after it lead to the next (§2.2, §2.3)',
  async (t) => {
    await using fixture = new FunctionFixture();
    const id = (await fixture.call('SVC_CreateVariable', 3)) as number;
    await fixture.call('SVC_SetName', id, '"</script>\u2028');
    await fixture.call('SetValue', id, 'before');
    const pieces = await fixture.call('SVC_GetSnapshot');
    await fixture.call('SetValue', id, 'after');
    const other = (await fixture.call('SVC_CreateCategory')) as number;
    const snapshot = (await completeResult(pieces)) as Snapshot;
    t.match(snapshot.objects, {
      ID0: { name: 'stellwerk', parentID: 0, type: 0 },
      [`ID${id}`]: { name: '"</script>\u2028', parentID: 0, data: { type: 3, value: 'before' } },
    });
    t.notOk(`ID${other}` in snapshot.objects);
    t.ok('~Switch' in snapshot.profiles);
    const [declaration] = snapshotFunctions(fixture.ports);
    t.equal(declaration && schemaViolation(declaration, snapshot), undefined);
    const changes = (await completeResult(
      fixture.call('SVC_GetSnapshotChanges', snapshot.timestamp),
    )) as object[];
    t.match(changes, [
      {
        TimeStamp: snapshot.timestamp + 1,
        SenderID: id,
        Message: messageNumber.VM_UPDATE,
        Data: ['after', true, 'before'],
      },
      { SenderID: other, Message: messageNumber.OM_REGISTER, Data: [0] },
      { SenderID: 0, Message: messageNumber.OM_CHILDADDED, Data: [other] },
    ]);
    const now = fixture.kernel.changes.counter;
    t.strictSame(await completeResult(fixture.call('SVC_GetSnapshotChanges', now)), []);
    t.strictSame(await completeResult(fixture.call('SVC_GetSnapshotChanges', 0)), [
      { TimeStamp: now, SenderID: 0, Message: 0, Data: [] },
    ]);
    for (const lost of [1, -1, now + 1, 2 ** 53 - 1])
      await t.rejects(
        fixture.call('SVC_GetSnapshotChanges', lost),
        { code: 'CHANGES_LOST', rpc: -32603 },
        `${lost}`,
      );
  },
);

t.test('scripts are created, edited and run with parameters, by id or as a text', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateScript', 0)) as number;
  for (const type of [1, 2])
    await t.rejects(
      fixture.call('SVC_CreateScript', type),
      { code: 'NOT_SUPPORTED' },
      'no flows, no workflows',
    );
  t.match(await fixture.call('SVC_GetScript', id), {
    ScriptID: id,
    ScriptType: 0,
    ScriptFile: `${id}.js`,
    ScriptExecuted: 0,
    ScriptIsBroken: false,
  });
  t.equal(await fixture.call('SVC_GetScriptFile', id), `${id}.js`);
  await fixture.call('SVC_SetScriptContent', id, 'print("ä")');
  t.equal(await fixture.call('SVC_GetScriptContent', id), 'print("ä")');
  t.strictSame(await fixture.messagesOfCall('SVC_SetScriptFile', id, 'hall.js'), [
    [id, messageNumber.SM_CHANGEFILE, ['hall.js']],
  ]);
  t.equal(await fixture.call('SVC_GetScriptIDByFile', 'hall.js'), id);
  await t.rejects(fixture.call('SVC_GetScriptIDByFile', `${id}.js`), { code: 'NAME_NOT_FOUND' });
  t.equal(await fixture.call('SVC_RunScript', id), true);
  t.equal(await fixture.call('SVC_RunScriptEx', id, { A: 1 }), true);
  t.equal(await fixture.call('SVC_RunScriptWait', id), 'ran with {}');
  t.equal(await fixture.call('SVC_RunScriptWaitEx', id, { A: [1, 'b'] }), 'ran with {"A":[1,"b"]}');
  t.equal(await fixture.call('SVC_RunScriptWaitEx', id, []), 'ran with {}', 'an empty map of PHP');
  t.equal(await fixture.call('SVC_RunScriptText', 'print(1)'), true);
  t.equal(await fixture.call('SVC_RunScriptTextEx', 'print(A)', { A: 1 }), true);
  t.equal(await fixture.call('SVC_RunScriptTextWait', 'print(1)'), 'ran with {}');
  t.equal(await fixture.call('SVC_RunScriptTextWaitEx', 'print(A)', { A: 1 }), 'ran with {"A":1}');
  t.ok(fixture.scripts.runs.every(({ sender, caller }) => sender === 'RunScript' && caller.user !== ''));
  await t.rejects(fixture.call('SVC_RunScriptEx', id, [1]), { code: 'PARAMETER_TYPE', rpc: -32602 });
  for (const [method, ...params] of [
    ['SVC_RunScript'],
    ['SVC_RunScriptWait'],
    ['SVC_RunScriptWaitEx', {}],
    ['SVC_GetScript'],
    ['SVC_GetScriptContent'],
    ['SVC_DeleteScript', true],
  ] as const)
    await t.rejects(fixture.call(method, 12, ...params), { message: 'Script #12 does not exist' }, method);
});
