import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const UPDATE = messageNumber.VM_UPDATE;
const START = 1_700_000_000;

t.test('SetValue converts to the type that GetValue returns (decision 6, §5)', async (t) => {
  await using fixture = new FunctionFixture();
  const ids: number[] = [];
  for (const type of [0, 1, 2, 3]) ids.push((await fixture.call('SVC_CreateVariable', type)) as number);
  for (const [type, given, stored] of [
    [0, 'False', false],
    [0, '1', true],
    [0, 0, false],
    [1, 23.5, 24],
    [1, -2.5, -3],
    [1, 2.4, 2],
    [1, '3.0', 3],
    [1, '-3.5', -4],
    [1, true, 1],
    [1, 2 ** 53 - 1, 2 ** 53 - 1],
    [2, 3, 3],
    [2, '1e-3', 0.001],
    [2, false, 0],
    [3, 20.5, '20.5'],
    [3, true, 'true'],
    [3, 'ä€😀\n', 'ä€😀\n'],
  ] as const) {
    t.equal(await fixture.call('SetValue', ids[type], given), true);
    t.equal(await fixture.call('GetValue', ids[type]), stored, `${JSON.stringify(given)} for type ${type}`);
  }
  for (const [type, empty] of [false, 0, 0, ''].entries()) {
    await fixture.call('SetValue', ids[type], null);
    t.equal(await fixture.call('GetValue', ids[type]), empty, `null for type ${type}`);
  }
});

t.test('ambiguous values fail with −32602 and change nothing', async (t) => {
  await using fixture = new FunctionFixture();
  const start = [true, 7, 7.5, 'seven'];
  const rejected: unknown[][] = [
    [2, -1, 'yes', '', 'truee', [], {}],
    ['seven', '', '7x', '0x7', [7], {}, 2 ** 53, '9007199254740993', '1e400'],
    ['seven', '', 'NaN', 'Infinity', '1e400', '9007199254740993', ' -9007199254740993 ', [], {}],
    [[], {}, ['x']],
  ];
  for (const [type, values] of rejected.entries()) {
    const id = (await fixture.call('SVC_CreateVariable', type)) as number;
    await fixture.call('SetValue', id, start[type]);
    const { counter } = fixture.kernel.changes;
    for (const value of values)
      await t.rejects(
        fixture.call('SetValue', id, value),
        { code: 'CANNOT_CONVERT', rpc: -32602, message: /^Cannot auto-convert value for parameter Value \(/ },
        `${JSON.stringify(value)} for type ${type}`,
      );
    t.equal(await fixture.call('GetValue', id), start[type]);
    t.equal(fixture.kernel.changes.counter, counter, 'no message is sent');
  }
  const text = (await fixture.call('SVC_CreateVariable', 3)) as number;
  await t.rejects(fixture.call('SetValueString', text, 'x'.repeat(1024 * 1024)), { code: 'TEXT_TOO_LONG' });
  for (const method of ['GetValue', 'GetValueFormatted', 'HasAction'])
    await t.rejects(fixture.call(method, 12), {
      code: 'NOT_OF_TYPE',
      message: 'Variable #12 does not exist',
    });
  await t.rejects(fixture.call('SetValue', 0, 1), { code: 'NOT_OF_TYPE' }, 'the root is no variable');
  await t.rejects(fixture.call('SetValue', text), { code: 'PARAMETER_COUNT' });
});

t.test('typed getters and setters accept variables of their type only', async (t) => {
  await using fixture = new FunctionFixture();
  const words = ['Boolean', 'Integer', 'Float', 'String'];
  const values = [true, 3, 3, '3'];
  const ids: number[] = [];
  for (const type of words.keys()) ids.push((await fixture.call('SVC_CreateVariable', type)) as number);
  for (const [type, word] of words.entries()) {
    for (const [other, id] of ids.entries()) {
      const set = fixture.call(`SetValue${word}`, id, values[type]);
      const get = () => fixture.call(`GetValue${word}`, id);
      if (other === type) {
        t.equal(await set, true);
        t.equal(await get(), values[type]);
        continue;
      }
      await t.rejects(set, { code: 'VARIABLE_TYPE', message: /variable type does not match/ });
      await t.rejects(get(), { code: 'VARIABLE_TYPE' });
    }
    await t.rejects(fixture.call(`SetValue${word}`, ids[type], null), {
      code: 'PARAMETER_TYPE',
      rpc: -32602,
    });
  }
});

t.test('every write sets VariableUpdated, another value sets VariableChanged', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateVariable', 1)) as number;
  t.match(await fixture.call('SVC_GetVariable', id), { VariableUpdated: 0, VariableChanged: 0 });
  t.strictSame(await fixture.messagesOfCall('SetValue', id, 5), [[id, UPDATE, [5, true, 0, START, 0, 0]]]);
  fixture.clock.advance(60_000);
  t.strictSame(await fixture.messagesOfCall('SetValue', id, 5), [
    [id, UPDATE, [5, false, 5, START + 60, START, START]],
  ]);
  fixture.clock.advance(60_000);
  const now = START + 120;
  t.strictSame(await fixture.messagesOfCall('SetValue', id, 6), [
    [id, UPDATE, [6, true, 5, now, START + 60, START]],
  ]);
  t.match(await fixture.call('SVC_GetVariable', id), { VariableUpdated: now, VariableChanged: now });
});

t.test('RequestAction fails if the device rejects the value, and the variable does not change', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const [state, level] = [fixture.idOf(lamp, 'STATE'), fixture.idOf(lamp, 'LEVEL')];
  t.equal(await fixture.call('HasAction', state), true);
  t.equal(await fixture.call('RequestAction', state, 'true'), true);
  t.equal(await fixture.call('GetValue', state), true);
  t.equal(await fixture.call('RequestActionEx', level, 41.5, 'Panel'), true);
  t.equal(await fixture.call('SVC_RequestAction', lamp, 'STATE', 0), true);
  t.equal(await fixture.call('HW_WriteValueInteger', lamp, 'LEVEL', '43'), true);
  t.strictSame([await fixture.call('GetValue', state), await fixture.call('GetValue', level)], [false, 43]);
  await t.rejects(fixture.call('RequestAction', level, 101), { code: 'DEVICE_REFUSED', rpc: -32603 });
  t.equal(await fixture.call('GetValue', level), 43);
  for (const call of [
    fixture.call('RequestAction', state, null),
    fixture.call('RequestActionEx', level, null, ''),
    fixture.call('SVC_RequestAction', lamp, 'STATE', null),
    fixture.call('RequestAction', state, 'on'),
  ])
    await t.rejects(call, { code: 'CANNOT_CONVERT', rpc: -32602 }, 'null is a value for SetValue only');
  await t.rejects(fixture.call('SetValue', state, true), { code: 'READ_ONLY' }, 'only a report changes it');
  await t.rejects(fixture.call('SetValueBoolean', state, true), { code: 'READ_ONLY' });
  await t.rejects(fixture.call('HW_WriteValueBoolean', lamp, 'LEVEL', true), { code: 'VARIABLE_TYPE' });
  await t.rejects(fixture.call('HW_WriteValueFloat', lamp, 'LEVEL', 1.5), { code: 'VARIABLE_TYPE' });
  await t.rejects(fixture.call('HW_WriteValueString', lamp, 'NONE', ''), { code: 'IDENT_NOT_FOUND' });
  await t.rejects(fixture.call('HW_WriteValueBoolean', state, 'STATE', true), {
    message: `Instance #${state} does not exist`,
  });
  await t.rejects(fixture.call('HW_RequestStatus', lamp, 'NONE'), { code: 'IDENT_NOT_FOUND' });
  t.strictSame(await fixture.messagesOfCall('HW_RequestStatus', lamp, 'LEVEL'), [
    [level, UPDATE, [43, false, 43, START, START, START]],
  ]);
  t.strictSame(await fixture.call('HW_GetKnownDevices', lamp), [{ Address: 'L1' }]);
  t.strictSame(await fixture.call('HW_ReadServiceMessages', lamp), []);
  await fixture.call('SVC_DisconnectInstance', lamp);
  await t.rejects(fixture.call('RequestAction', state, true), { code: 'DEVICE_OFFLINE', retry: true });
  t.match(await fixture.call('HW_ReadServiceMessages', lamp), [
    { InstanceID: lamp, Code: 'CLOSED', Text: /connect/ },
  ]);
});

t.test('latencies of requests and reports have a last value and a maximum', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const level = fixture.idOf(lamp, 'LEVEL');
  const flow = async () => {
    const all = (await fixture.call('SVC_GetInstanceDataFlowStatistics')) as { InstanceID: number }[];
    return all.find(({ InstanceID }) => InstanceID === lamp);
  };
  const zeros = { TxDuration: 0, TxMaxDuration: 0, RxDuration: 0, RxMaxDuration: 0 };
  t.strictSame(await flow(), { InstanceID: lamp, ...zeros });
  let slowMs = 7;
  fixture.kernel.changes.listen(({ SenderID, Message }) => {
    if (SenderID === level && Message === UPDATE) fixture.clock.advance(slowMs);
  });
  await fixture.call('HW_WriteValueInteger', lamp, 'LEVEL', 5);
  const first = { TxDuration: 7, TxMaxDuration: 7, RxDuration: 7, RxMaxDuration: 7 };
  t.strictSame(await flow(), { InstanceID: lamp, ...first }, 'a consequence of the value is slow');
  slowMs = 2;
  await fixture.call('HW_RequestStatus', lamp, 'LEVEL');
  t.strictSame(await flow(), { InstanceID: lamp, ...first, TxDuration: 2, RxDuration: 2 });
});

t.test(
  'a custom action overrides the standard one: 0 standard, 1 none, otherwise a script or instance',
  async (t) => {
    await using fixture = new FunctionFixture();
    const state = fixture.idOf(await fixture.lamp(), 'STATE');
    const plain = (await fixture.call('SVC_CreateVariable', 2)) as number;
    t.equal(await fixture.call('HasAction', plain), false);
    await t.rejects(fixture.call('RequestAction', plain, 1), {
      code: 'ACTION_INVALID',
      message: 'Action is invalid',
    });
    await fixture.call('SVC_SetVariableCustomAction', state, 1);
    t.equal(await fixture.call('HasAction', state), false);
    await t.rejects(fixture.call('RequestAction', state, true), { code: 'ACTION_INVALID' });
    const script = (await fixture.call('SVC_CreateScript', 0)) as number;
    await fixture.call('SVC_SetVariableCustomAction', state, script);
    await fixture.call('SVC_SetVariableCustomAction', plain, script);
    t.equal(await fixture.call('HasAction', state), true);
    await fixture.call('RequestAction', state, 1);
    await fixture.call('RequestActionEx', plain, '2.5', 'Panel');
    t.match(fixture.scripts.runs, [
      { id: script, parameters: { VARIABLE: state, VALUE: true }, sender: 'Action' },
      { id: script, parameters: { VARIABLE: plain, VALUE: 2.5 }, sender: 'Panel' },
    ]);
    t.equal(await fixture.call('GetValue', plain), 0, 'the script must set it');
    for (const target of [2, plain, 12, -1])
      await t.rejects(fixture.call('SVC_SetVariableCustomAction', plain, target), { code: 'ACTION_INVALID' });
    await fixture.call('SVC_SetVariableCustomAction', state, 0);
    await fixture.call('RequestAction', state, true);
    t.equal(await fixture.call('GetValue', state), true);
  },
);

t.test('several values are set all or none, several actions have one outcome each', async (t) => {
  await using fixture = new FunctionFixture();
  const lamp = await fixture.lamp();
  const [state, level] = [fixture.idOf(lamp, 'STATE'), fixture.idOf(lamp, 'LEVEL')];
  const a = (await fixture.call('SVC_CreateVariable', 1)) as number;
  const b = (await fixture.call('SVC_CreateVariable', 3)) as number;
  t.equal(
    await fixture.call('GW_SetValues', [
      [a, '4'],
      [b, 'x'],
      [a, 5],
    ]),
    true,
  );
  t.equal(await fixture.call('GW_SetValues', [[b, null]]), true);
  const { counter } = fixture.kernel.changes;
  for (const [pairs, code] of [
    [
      [
        [a, 9],
        [b, []],
      ],
      'CANNOT_CONVERT',
    ],
    [
      [
        [a, 9],
        [12, 1],
      ],
      'NOT_OF_TYPE',
    ],
    [
      [
        [a, 9],
        [state, true],
      ],
      'READ_ONLY',
    ],
    [[[a, 9], [b]], 'PARAMETER_TYPE'],
    [
      [
        [a, 9],
        ['b', 1],
      ],
      'PARAMETER_TYPE',
    ],
    [{ a: 1 }, 'PARAMETER_TYPE'],
  ] as const)
    await t.rejects(fixture.call('GW_SetValues', pairs), { code });
  t.equal(fixture.kernel.changes.counter, counter);
  t.strictSame(await fixture.call('GW_GetValues', [b, 12, a]), [
    { VariableID: b, Value: '', VariableUpdated: START, VariableChanged: START },
    { VariableID: 12, Error: { code: 'NOT_OF_TYPE', message: 'Variable #12 does not exist' } },
    { VariableID: a, Value: 5, VariableUpdated: START, VariableChanged: START },
  ]);
  t.match(
    await fixture.call('GW_RequestActions', [
      [state, true],
      [level, 200],
      [a, 1],
      [level, null],
    ]),
    [
      { VariableID: state, Success: true },
      { VariableID: level, Success: false, Error: { code: 'DEVICE_REFUSED' } },
      { VariableID: a, Success: false, Error: { code: 'ACTION_INVALID' } },
      { VariableID: level, Success: false, Error: { code: 'CANNOT_CONVERT' } },
    ],
  );
  const crowd = Array.from({ length: 1001 }, () => [a, 1]);
  await t.rejects(fixture.call('GW_RequestActions', crowd), { code: 'PARAMETER_BOUNDS' });
});
