import t from 'tap';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

t.test('a new profile is empty, and each setter emits a message (§3.5, §5)', async (t) => {
  await using fixture = new FunctionFixture();
  t.strictSame(await fixture.messagesOfCall('SVC_CreateVariableProfile', 'Level', 1), [
    [0, messageNumber.PM_CREATE, ['Level', 1]],
  ]);
  t.strictSame(await fixture.call('SVC_GetVariableProfile', 'Level'), {
    ProfileName: 'Level',
    ProfileType: 1,
    Icon: '',
    Prefix: '',
    Suffix: '',
    MinValue: 0,
    MaxValue: 0,
    StepSize: 0,
    Digits: 0,
    IsReadOnly: false,
    Associations: [],
  });
  for (const [method, params, message] of [
    ['Text', ['<', ' %'], messageNumber.PM_CHANGETEXT],
    ['Values', [0, 255, 0.5], messageNumber.PM_CHANGEVALUES],
    ['Digits', [2], messageNumber.PM_CHANGEDIGITS],
    ['Icon', ['Bulb'], messageNumber.PM_CHANGEICON],
    ['Association', [10, 'low', '', -1], messageNumber.PM_ASSOCIATIONADDED],
    ['Association', [10, 'less', 'Moon', 0xffffff], messageNumber.PM_ASSOCIATIONCHANGED],
  ] as const)
    t.strictSame(await fixture.messagesOfCall(`SVC_SetVariableProfile${method}`, 'Level', ...params), [
      [0, message, ['Level', ...params]],
    ]);
  t.match(await fixture.call('SVC_GetVariableProfile', 'Level'), {
    Prefix: '<',
    Suffix: ' %',
    MaxValue: 255,
    StepSize: 0.5,
    Digits: 2,
    Icon: 'Bulb',
    Associations: [{ Value: 10, Name: 'less', Icon: 'Moon', Color: 0xffffff }],
  });
  t.strictSame(await fixture.messagesOfCall('SVC_SetVariableProfileAssociation', 'Level', 10, '', '', -1), [
    [0, messageNumber.PM_ASSOCIATIONREMOVED, ['Level', 10]],
  ]);
  t.strictSame(await fixture.messagesOfCall('SVC_DeleteVariableProfile', 'Level'), [
    [0, messageNumber.PM_DELETE, ['Level']],
  ]);
  t.equal(await fixture.call('SVC_VariableProfileExists', 'Level'), false);
});

t.test('associations have the type of the profile and are sorted by value, except for strings', async (t) => {
  await using fixture = new FunctionFixture();
  const add = (profile: string, value: unknown, name = `is ${String(value)}`) =>
    fixture.call('SVC_SetVariableProfileAssociation', profile, value, name, '', -1);
  const values = async (profile: string) => {
    const { Associations } = (await fixture.call('SVC_GetVariableProfile', profile)) as {
      Associations: { Value: unknown; Name: string }[];
    };
    return Associations.map(({ Value, Name }) => [Value, Name]);
  };
  for (const [type, name] of ['Bool', 'Int', 'Float', 'Text'].entries())
    await fixture.call('SVC_CreateVariableProfile', name, type);
  await add('Bool', 1, 'on');
  await add('Bool', 'false', 'off');
  await add('Int', 9.5, 'ten');
  await add('Int', -1);
  await add('Int', '9');
  await add('Int', 10, 'TEN');
  await add('Float', '1.5');
  await add('Float', 0.5);
  await add('Text', 'b');
  await add('Text', 'a');
  await add('Text', 7);
  t.strictSame(await values('Bool'), [
    [false, 'off'],
    [true, 'on'],
  ]);
  t.strictSame(await values('Int'), [
    [-1, 'is -1'],
    [9, 'is 9'],
    [10, 'TEN'],
  ]);
  t.strictSame(await values('Float'), [
    [0.5, 'is 0.5'],
    [1.5, 'is 1.5'],
  ]);
  t.strictSame(await values('Text'), [
    ['b', 'is b'],
    ['a', 'is a'],
    ['7', 'is 7'],
  ]);
  for (const [profile, value] of [
    ['Bool', 2],
    ['Int', 'x'],
    ['Float', null],
    ['Text', ['a']],
  ] as const)
    await t.rejects(add(profile, value), { code: 'CANNOT_CONVERT', message: /parameter AssociationValue/ });
  await t.rejects(add('Int', 5, ''), {
    message: 'Cannot find association for deletion with value 5',
  });
  for (const color of [-2, 0x1000000])
    await t.rejects(fixture.call('SVC_SetVariableProfileAssociation', 'Int', 1, 'x', '', color), {
      code: 'PARAMETER_BOUNDS',
    });
});

t.test('names are unique over all types, and built-in profiles (~) cannot be changed', async (t) => {
  await using fixture = new FunctionFixture();
  await fixture.call('SVC_CreateVariableProfile', 'Own', 0);
  await t.rejects(fixture.call('SVC_CreateVariableProfile', 'Own', 1), { code: 'PROFILE_EXISTS' });
  for (const name of ['', '~', '~Own', 'O~wn'])
    await t.rejects(fixture.call('SVC_CreateVariableProfile', name, 0), { code: 'PROFILE_NAME' }, name);
  await t.rejects(fixture.call('SVC_CreateVariableProfile', 'x'.repeat(257), 0), {
    message: 'The name of a profile is longer than 256 characters',
  });
  await t.rejects(fixture.call('SVC_CreateVariableProfile', 'Other', 4), { code: 'PARAMETER_BOUNDS' });
  const before = await fixture.call('SVC_GetVariableProfile', '~Temperature');
  t.match(before, {
    ProfileType: 2,
    Digits: 1,
    Suffix: ' °C',
    MinValue: -30,
    MaxValue: 70,
    IsReadOnly: true,
  });
  for (const [method, ...params] of [
    ['SVC_DeleteVariableProfile'],
    ['SVC_SetVariableProfileText', 'a', 'b'],
    ['SVC_SetVariableProfileValues', 0, 1, 1],
    ['SVC_SetVariableProfileDigits', 2],
    ['SVC_SetVariableProfileIcon', 'x'],
    ['SVC_SetVariableProfileAssociation', 1, 'x', '', -1],
  ] as const) {
    await t.rejects(fixture.call(method, '~Temperature', ...params), { code: 'PROFILE_BUILT_IN' });
    await t.rejects(fixture.call(method, 'Missing', ...params), { code: 'PROFILE_MISSING' });
  }
  t.strictSame(await fixture.call('SVC_GetVariableProfile', '~Temperature'), before);
  const long = 'x'.repeat(1025);
  for (const [method, ...params] of [
    ['Text', long, ''],
    ['Text', '', long],
    ['Icon', long],
    ['Association', true, long, '', -1],
  ] as const)
    await t.rejects(fixture.call(`SVC_SetVariableProfile${method}`, 'Own', ...params), {
      code: 'TEXT_TOO_LONG',
    });
  for (const digits of [-1, 16])
    await t.rejects(fixture.call('SVC_SetVariableProfileDigits', 'Own', digits), {
      code: 'PARAMETER_BOUNDS',
    });
  const names = (await fixture.call('SVC_GetVariableProfileList')) as string[];
  const byType: string[] = [];
  for (const type of [0, 1, 2, 3])
    byType.push(...((await fixture.call('SVC_GetVariableProfileListByType', type)) as string[]));
  t.strictSame(byType.sort(), names.sort());
  t.ok(names.includes('Own') && names.includes('~HTMLBox'));
});

t.test('a variable has profiles of its type; the custom profile takes precedence', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateVariable', 2)) as number;
  await fixture.call('SVC_CreateVariableProfile', 'Own', 2);
  await fixture.call('SVC_SetVariableProfileText', 'Own', 'about ', ' K');
  await fixture.call('SetValue', id, 21.456);
  t.equal(await fixture.call('GetValueFormatted', id), '21.456');
  t.strictSame(await fixture.messagesOfCall('SVC_SetVariableCustomProfile', id, '~Temperature'), [
    [id, messageNumber.VM_CHANGEPROFILENAME, ['~Temperature', '']],
  ]);
  t.equal(await fixture.call('GetValueFormatted', id), '21.5 °C');
  t.equal(await fixture.call('GetValueFormattedEx', id, '-3.14'), '-3.1 °C');
  await t.rejects(fixture.call('GetValueFormattedEx', id, null), { code: 'CANNOT_CONVERT' });
  await t.rejects(fixture.call('SVC_SetVariableCustomProfile', id, '~Switch'), { code: 'PROFILE_TYPE' });
  await t.rejects(fixture.call('SVC_SetVariableCustomProfile', id, 'Missing'), { code: 'PROFILE_MISSING' });
  await fixture.call('SVC_SetVariableCustomProfile', id, 'Own');
  t.equal(await fixture.call('GetValueFormatted', id), 'about 21 K', 'no digits are set');
  await fixture.call('SVC_DeleteVariableProfile', 'Own');
  t.equal(await fixture.call('GetValueFormatted', id), 'Invalid profile');
  await fixture.call('SVC_CreateVariableProfile', 'Own', 1);
  t.equal(await fixture.call('GetValueFormatted', id), 'Invalid profile type');
  await fixture.call('SVC_SetVariableCustomProfile', id, '');
  t.equal(await fixture.call('GetValueFormatted', id), '21.456');
  const state = fixture.idOf(await fixture.lamp(), 'STATE');
  t.match(await fixture.call('SVC_GetVariable', state), {
    VariableProfile: '~Switch',
    VariableCustomProfile: '',
  });
  t.equal(await fixture.call('GetValueFormatted', state), 'Off');
});

t.test('profiles format values (§5)', async (t) => {
  await using fixture = new FunctionFixture();
  const ids: number[] = [];
  for (const type of [0, 1, 2, 3]) ids.push((await fixture.call('SVC_CreateVariable', type)) as number);
  type Own = {
    text?: [string, string];
    range?: [number, number];
    digits?: number;
    names?: [unknown, string][];
  };
  let count = 0;
  const show = async (type: number, own: Own, value: unknown) => {
    const name = `Own${count++}`;
    await fixture.call('SVC_CreateVariableProfile', name, type);
    await fixture.call('SVC_SetVariableProfileText', name, ...(own.text ?? ['', '']));
    await fixture.call('SVC_SetVariableProfileValues', name, ...(own.range ?? [0, 0]), 0);
    await fixture.call('SVC_SetVariableProfileDigits', name, own.digits ?? 0);
    for (const [at, word] of own.names ?? [])
      await fixture.call('SVC_SetVariableProfileAssociation', name, at, word, '', -1);
    await fixture.call('SVC_SetVariableCustomProfile', ids[type], name);
    return fixture.call('GetValueFormattedEx', ids[type], value);
  };
  const percent: Own = { text: ['', ' %'], range: [50, 150], digits: 1 };
  const steps: Own = {
    text: ['[', ']'],
    names: [
      [0, 'none'],
      [10, '%d of them'],
      [20, '%.2f%%'],
      [30, 'many'],
    ],
  };
  // Finer than the digits of the profile.
  const halves: Own = {
    names: [
      [0, 'off'],
      [0.25, 'half'],
      [1, 'full'],
    ],
  };
  const shown: [number, Own, unknown, string][] = [
    [0, { text: ['<', '>'] }, true, '<true>'],
    [
      0,
      {
        names: [
          [true, 'yes'],
          [false, 'no'],
        ],
      },
      false,
      'no',
    ],
    [0, { names: [[true, 'yes']] }, false, '-'],
    [1, { text: ['', ' W'] }, -12, '-12 W'],
    [1, percent, 100, '50 %'],
    [1, percent, 151, '101 %'],
    [2, percent, 75.25, '25.3 %'],
    [2, { ...percent, range: [0, 0] }, 75.25, '75.3 %'],
    [2, { digits: 2 }, 1, '1.00'],
    [2, { digits: 1 }, -0.04, '0.0'],
    [2, { digits: 0 }, 2.5, '3'],
    [1, steps, -1, '-'],
    [1, steps, 9, '[none]'],
    [1, steps, 12, '[12 of them]'],
    [2, steps, 19.6, '[19.60%]'],
    [2, { ...steps, digits: 1 }, 19.6, '[19 of them]'],
    [1, steps, 1000, '[many]'],
    [2, halves, 0.24, 'off'],
    [2, halves, 0.25, 'half'],
    [2, halves, 0.99, 'half'],
    [2, halves, 0.999, 'full'],
    [
      2,
      {
        names: [
          [0, 'none'],
          [1.5e-7, 'trace'],
        ],
      },
      1.4e-7,
      'none',
    ],
    [
      2,
      {
        names: [
          [0, 'none'],
          [1.5e-7, 'trace'],
        ],
      },
      1.5e-7,
      'trace',
    ],
    [2, { names: [[0.3, 'third']] }, 0.1 + 0.2, 'third'],
    [2, { names: [[0.1 + 0.2, 'third']] }, 0.3, 'third'],
    [3, { text: ['«', '»'] }, 'x', '«x»'],
    [3, { names: [['a', 'first']] }, 'a', 'first'],
    [3, { names: [['a', 'first']] }, 'A', '-'],
  ];
  for (const [type, own, value, text] of shown)
    t.equal(await show(type, own, value), text, `${JSON.stringify(value)} by ${JSON.stringify(own)}`);
});
