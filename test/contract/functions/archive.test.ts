import t from 'tap';
import { archiveFunctions } from '../../../src/functions/archive/archive.js';
import { messageNumber } from '../../tools/client/message-numbers.js';
import { FunctionFixture, owner } from '../../tools/gateway/function-fixture.js';

const ARCHIVE = '{43192F0B-135B-4CE7-A0A7-1475603F3060}';
const NOW_S = 1_700_000_000;

/** A fixture with an archive instance and a variable. */
function loggedVariable(type = 2) {
  const fixture = new FunctionFixture();
  const { id: archive } = fixture.devices.create(ARCHIVE);
  const { id } = fixture.kernel.variables.create(type as 0);
  return { fixture, archive, id, set: (value: unknown) => fixture.call('SetValue', id, value) };
}

t.test('changes are recorded and returned newest first, with their duration', async (t) => {
  const { fixture, archive, id, set } = loggedVariable();
  await using _fixture = fixture;
  t.equal(await fixture.call('AC_GetLoggingStatus', archive, id), false);
  await set(1);
  t.equal(await fixture.call('AC_SetLoggingStatus', archive, id, true), true);
  t.equal(await fixture.call('AC_GetLoggingStatus', archive, id), true);
  fixture.clock.advance(10_000);
  await set(2.5);
  fixture.clock.advance(5_000);
  await set(2.5);
  fixture.clock.advance(5_000);
  await set(3);
  fixture.clock.advance(1_500);
  const all = [
    { TimeStamp: NOW_S + 20, Value: 3, Duration: 1 },
    { TimeStamp: NOW_S + 10, Value: 2.5, Duration: 10 },
    { TimeStamp: NOW_S, Value: 1, Duration: 10 },
  ];
  const logged = (...rest: number[]) => fixture.call('AC_GetLoggedValues', archive, id, ...rest);
  t.strictSame(await logged(0, 0, 0), all);
  t.strictSame(await logged(0, 0, 2), all.slice(0, 2));
  t.strictSame(await logged(NOW_S + 1, NOW_S + 10, 0), all.slice(1, 2));
  t.strictSame(await logged(0, NOW_S + 9, 99_999), all.slice(2));
  await fixture.call('AC_SetLoggingStatus', archive, id, false);
  await set(4);
  t.equal(((await logged(0, 0, 0)) as unknown[]).length, 3, 'what was recorded stays');
});

t.test('clients learn that a variable is recorded, once', async (t) => {
  const { fixture, archive, id } = loggedVariable();
  await using _fixture = fixture;
  for (const active of [true, false]) {
    const set = async () => {
      const messages = await fixture.messagesOfCall('AC_SetLoggingStatus', archive, id, active);
      // The first call also starts the archive.
      return messages.filter(([sender]) => sender === id);
    };
    t.strictSame(await set(), [[id, messageNumber.GW_RECORDING, [active]]]);
    t.strictSame(await set(), [], 'the same again');
  }
  t.strictSame(await fixture.messagesOfCall('AC_SetGraphStatus', archive, id, true), []);
});

t.test('records are added, replaced and rejected', async (t) => {
  const { fixture, archive, id } = loggedVariable(1);
  await using _fixture = fixture;
  const add = (values: unknown) => fixture.call('AC_AddLoggedValues', archive, id, values);
  await t.rejects(add([{ TimeStamp: 1000, Value: 1 }]), { code: 'NOT_LOGGED' });
  await fixture.call('AC_SetLoggingStatus', archive, id, true);
  t.equal(await add([]), true);
  t.equal(
    await add([
      { TimeStamp: 2000, Value: '2' },
      { TimeStamp: 1000, Value: 1.6 },
    ]),
    true,
  );
  await add([{ TimeStamp: 2000, Value: 7 }]);
  t.strictSame(await fixture.call('AC_GetLoggedValues', archive, id, 0, 0, 0), [
    { TimeStamp: 2000, Value: 7, Duration: NOW_S - 2000 },
    { TimeStamp: 1000, Value: 2, Duration: 1000 },
  ]);
  for (const wrong of [
    {},
    [1],
    [null],
    [{}],
    [{ TimeStamp: 5 }],
    [{ TimeStamp: '5', Value: 1 }],
    [{ TimeStamp: 0, Value: 1 }],
    [{ TimeStamp: -5, Value: 1 }],
    [{ TimeStamp: NOW_S + 60, Value: 1 }],
    [{ TimeStamp: 1e300, Value: 1 }],
    [{ TimeStamp: 5, Value: 'x' }],
    [{ TimeStamp: 5, Value: null }],
    [
      { TimeStamp: 3000, Value: 1 },
      { TimeStamp: 3001, Value: [] },
    ],
  ])
    await t.rejects(add(wrong), { message: /Value|TimeStamp/ }, JSON.stringify(wrong));
  t.equal(((await fixture.call('AC_GetLoggedValues', archive, id, 0, 0, 0)) as unknown[]).length, 2);
});

t.test('aggregation depends on the aggregation type', async (t) => {
  const { fixture, archive, id } = loggedVariable(1);
  await using _fixture = fixture;
  await fixture.call('AC_SetLoggingStatus', archive, id, true);
  const hourS = Math.floor(NOW_S / 3600) * 3600 - 7200;
  await fixture.call('AC_AddLoggedValues', archive, id, [
    { TimeStamp: hourS, Value: 10 },
    { TimeStamp: hourS + 900, Value: 30 },
    { TimeStamp: hourS + 2700, Value: 0 },
    { TimeStamp: hourS + 3000, Value: 40 },
  ]);
  const hour = async () =>
    ((await fixture.call('AC_GetAggregatedValues', archive, id, 0, hourS, hourS + 3599, 0)) as object[])[0];
  const piece = { TimeStamp: hourS, Duration: 3600 };
  t.strictSame(await hour(), {
    ...piece,
    Avg: (10 * 900 + 30 * 1800 + 40 * 600) / 3600,
    Max: 40,
    MaxTime: hourS + 3000,
    Min: 0,
    MinTime: hourS + 2700,
  });
  t.equal(await fixture.call('AC_GetAggregationType', archive, id), 0);
  await fixture.call('AC_SetAggregationType', archive, id, 1);
  t.equal(await fixture.call('AC_GetAggregationType', archive, id), 1);
  t.match(await hour(), { ...piece, Avg: 60, Max: 40, Min: 0 });
  t.equal(await fixture.call('AC_GetCounterIgnoreZeros', archive, id), false);
  await fixture.call('AC_SetCounterIgnoreZeros', archive, id, true);
  t.equal(await fixture.call('AC_GetCounterIgnoreZeros', archive, id), true);
  t.match(await hour(), { ...piece, Avg: 30, Max: 20, Min: 10 });
  t.equal(await fixture.call('AC_ReAggregateVariable', archive, id), true);
  t.match(await hour(), { ...piece, Avg: 30 });
  t.strictSame(await fixture.call('AC_GetAggregatedValues', archive, id, 0, hourS + 1, hourS + 3599, 0), []);
  t.strictSame(await fixture.call('AC_GetAggregatedValues', archive, id, 7, hourS, hourS + 2999, 1), [
    {
      TimeStamp: hourS + 900,
      Duration: 1800,
      Avg: 20,
      Max: 20,
      MaxTime: hourS + 900,
      Min: 20,
      MinTime: hourS + 900,
    },
  ]);
  const texts = fixture.kernel.variables.create(3);
  await t.rejects(fixture.call('AC_GetAggregatedValues', archive, texts.id, 0, 0, 0, 0), {
    code: 'NOT_SUPPORTED',
  });
});

t.test('a record that is added with an untrusted time stays marked', async (t) => {
  const { fixture, archive, id } = loggedVariable();
  await using _fixture = fixture;
  await fixture.call('AC_SetLoggingStatus', archive, id, true);
  const values = [
    { TimeStamp: 1000, Value: 1 },
    { TimeStamp: 2000, Value: 2, ClockTrusted: false },
    { TimeStamp: 3000, Value: 3, ClockTrusted: true },
  ];
  await fixture.call('AC_AddLoggedValues', archive, id, values);
  t.match(await fixture.call('GW_GetRecords', id, 0, 0, 0), {
    Records: [{ ClockTrusted: true }, { Value: 2, ClockTrusted: false }, { ClockTrusted: true }],
  });
  await t.rejects(
    fixture.call('AC_AddLoggedValues', archive, id, [{ TimeStamp: 1, Value: 1, ClockTrusted: 'no' }]),
    { code: 'PARAMETER_TYPE' },
  );
});

t.test('records outlive their variable, and are listed, deleted and moved to another one', async (t) => {
  const { fixture, archive, id } = loggedVariable();
  await using _fixture = fixture;
  await fixture.call('AC_SetLoggingStatus', archive, id, true);
  await fixture.call('AC_SetGraphStatus', archive, id, false);
  t.equal(await fixture.call('AC_GetGraphStatus', archive, id), false);
  await fixture.call('AC_AddLoggedValues', archive, id, [
    { TimeStamp: 1000, Value: 1 },
    { TimeStamp: 2000, Value: 2 },
  ]);
  const listed = () => fixture.call('AC_GetAggregationVariables', archive, true);
  const facts = { VariableID: id, AggregationType: 0, FirstTime: 1000, LastTime: 2000, RecordCount: 2 };
  t.match(await listed(), [{ ...facts, AggregationVisible: false, AggregationActive: true }]);
  t.match(await fixture.call('AC_GetAggregationVariables', archive, false), [
    { VariableID: id, RecordCount: 0 },
  ]);
  await fixture.call('SVC_DeleteVariable', id);
  t.match(await listed(), [{ ...facts, AggregationActive: false }]);
  const { id: other } = fixture.kernel.variables.create(2);
  t.equal(await fixture.call('AC_ChangeVariableID', archive, id, other), true);
  t.match(await listed(), [{ ...facts, VariableID: other }]);
  await t.rejects(fixture.call('AC_ChangeVariableID', archive, id, other), {
    code: 'NOT_OF_TYPE',
  });
  await fixture.call('AC_SetLoggingStatus', archive, other, true);
  t.equal(await fixture.call('AC_DeleteVariableData', archive, other, 1500, 0), 1);
  t.equal(await fixture.call('AC_GetLoggingStatus', archive, other), true);
  t.equal(await fixture.call('AC_DeleteVariableData', archive, other, 0, 0), 1);
  t.equal(await fixture.call('AC_GetLoggingStatus', archive, other), false);
  t.strictSame(await listed(), []);
  const text = fixture.kernel.variables.create(3);
  await t.rejects(fixture.call('AC_ChangeVariableID', archive, text.id, other), {
    code: 'VARIABLE_TYPE',
  });
});

t.test('compaction rules are sorted by age', async (t) => {
  const { fixture, archive, id } = loggedVariable();
  await using _fixture = fixture;
  const set = (months: number, type: number) => fixture.call('AC_SetCompaction', archive, id, months, type);
  const rules = () => fixture.call('AC_GetCompaction', archive, id);
  t.strictSame(await rules(), []);
  await set(12, 4);
  await set(3, 3);
  await set(12, 5);
  t.strictSame(await rules(), [
    { MonthOffset: 3, CompactionType: 3 },
    { MonthOffset: 12, CompactionType: 5 },
  ]);
  await set(3, 0);
  t.strictSame(await rules(), [{ MonthOffset: 12, CompactionType: 5 }]);
  await t.rejects(set(-1, 3), { code: 'PARAMETER_BOUNDS' });
  await t.rejects(set(1, 9), { code: 'PARAMETER_BOUNDS' });
});

t.test('every function requires the archive instance', async (t) => {
  const { fixture, id } = loggedVariable();
  await using _fixture = fixture;
  const bus = fixture.devices.create('Bus').id;
  const sample = { boolean: true, integer: 0, float: 0, string: '', variant: 0, array: [] };
  const all = archiveFunctions(fixture.ports).filter(({ name }) => name.startsWith('AC_'));
  t.equal(all.length, 17);
  for (const { name, parameters } of all) {
    const given = parameters.map(({ kind, name: of }) => (of === 'VariableID' ? id : sample[kind])).slice(1);
    await t.rejects(fixture.call(name, bus, ...given), { code: 'WRONG_MODULE' }, name);
    await t.rejects(fixture.call(name, id, ...given), { code: 'NOT_OF_TYPE' }, name);
  }
});

t.test('AC_ReAggregateVariable has the archive recalculate a variable', async (t) => {
  const { fixture, archive, id } = loggedVariable();
  await using _fixture = fixture;
  const recalculated: number[] = [];
  const port = {
    ...(await fixture.ports.archive()),
    reaggregate: async (of: number) => void recalculated.push(of),
  };
  const functions = archiveFunctions({ ...fixture.ports, archive: async () => port });
  const found = functions.find(({ name }) => name === 'AC_ReAggregateVariable');
  t.equal(await found?.run(owner, ...([archive, id] as never[])), true);
  t.strictSame(recalculated, [id]);
});
