import t from 'tap';
import { quality } from '../../../src/kernel/quality.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';

const START = 1_700_000_000;

t.test('GW_GetQuality says of each variable how its value stands, and of [] what is not good', async (t) => {
  await using desk = new FunctionFixture();
  const plain = (await desk.call('SVC_CreateVariable', 1)) as number;
  t.strictSame(await desk.call('GW_GetQuality', []), []);
  await desk.call('SetValue', plain, 7);
  const lamp = await desk.lamp();
  const state = desk.idOf(lamp, 'STATE');
  const link = desk.idOf(lamp, 'LINK');
  const good = { Quality: 0, Reason: '', Text: '', ClockTrusted: true };
  t.strictSame(await desk.call('GW_GetQuality', [plain, lamp, state, 9]), [
    { VariableID: plain, ...good, SourceTime: START, ReceiveTime: START },
    { VariableID: lamp, Error: { code: 'NOT_OF_TYPE', message: `Variable #${lamp} does not exist` } },
    {
      VariableID: state,
      Quality: 2,
      Reason: 'NO_VALUE',
      Text: 'the device has never told it',
      SourceTime: 0,
      ReceiveTime: 0,
      ClockTrusted: true,
    },
    { VariableID: 9, Error: { code: 'NOT_OF_TYPE', message: 'Variable #9 does not exist' } },
  ]);
  t.match(await desk.call('GW_GetQuality', []), [
    { VariableID: state },
    { VariableID: desk.idOf(lamp, 'LEVEL') },
  ]);
  desk.clock.advance(1500);
  const told = await desk.messagesOfCall('HW_WriteValueBoolean', lamp, 'STATE', true);
  t.strictSame(told, [
    [state, 10603, [true, true, false, START + 1, 0, 0]],
    [state, 20400, [0, '', '']],
  ]);
  const now = START + 1;
  t.match(await desk.call('GW_GetQuality', [state, link]), [
    { VariableID: state, ...good, SourceTime: now, ReceiveTime: now },
    { VariableID: link, ...good },
  ]);
  t.strictSame(
    desk.audit.filter(({ method }) => method === 'GW_GetQuality'),
    [],
    'it changes nothing',
  );
});

t.test('what is asked with mistakes is refused', async (t) => {
  await using desk = new FunctionFixture();
  await t.rejects(desk.call('GW_GetQuality', ['x']), { code: 'PARAMETER_TYPE' });
  await t.rejects(desk.call('GW_GetQuality', {}), { code: 'PARAMETER_TYPE' });
  await t.rejects(desk.call('GW_GetQuality'), { code: 'PARAMETER_COUNT' });
  await t.rejects(desk.callAsWebFront(desk.kernel.tree.root.id, 'GW_GetQuality', []), {
    code: 'ACCESS_DENIED',
  });
});

t.test('source time and receive time in milliseconds, where the driver told them', async (t) => {
  await using desk = new FunctionFixture();
  const id = (await desk.call('SVC_CreateVariable', 2)) as number;
  const { data } = desk.kernel.variables.get(id);
  data.reportTimes = { sourceMs: START * 1000 + 1.2345, receivedMs: START * 1000 + 7 };
  t.match(await desk.call('GW_GetQuality', [id]), [
    { SourceTime: START + 0.001, ReceiveTime: START + 0.007 },
  ]);
});

t.test('whether the clock was trusted when a value came', async (t) => {
  await using desk = new FunctionFixture();
  const [one, other] = [
    (await desk.call('SVC_CreateVariable', 1)) as number,
    (await desk.call('SVC_CreateVariable', 1)) as number,
  ];
  const trusted = async () =>
    ((await desk.call('GW_GetQuality', [one, other])) as { ClockTrusted: boolean }[]).map(
      ({ ClockTrusted }) => ClockTrusted,
    );
  await desk.call('SetValue', other, 1);
  desk.clock.hasTrustedTime = false;
  await desk.call('SetValue', one, 1);
  t.strictSame(await trusted(), [false, true]);
  desk.clock.hasTrustedTime = true;
  t.strictSame(await trusted(), [false, true], 'it was not trusted then');
  await desk.call('SetValue', one, 1);
  t.strictSame(await trusted(), [true, true]);
});

t.test('a tree of good variables holds nothing more for their quality', async (t) => {
  await using desk = new FunctionFixture();
  const id = (await desk.call('SVC_CreateVariable', 1)) as number;
  const { data } = desk.kernel.variables.get(id);
  const before = Object.keys(data);
  await desk.call('SetValue', id, 1);
  t.strictSame(Object.keys(data), before);
  desk.kernel.variables.setQualityProblem(desk.kernel.variables.get(id), undefined);
  t.strictSame(Object.keys(data), before);
  desk.kernel.variables.setQualityProblem(desk.kernel.variables.get(id), {
    state: quality.stale,
    reason: 'OLD',
    text: '',
  });
  t.match(await desk.call('GW_GetQuality', []), [{ VariableID: id, Quality: 1, Reason: 'OLD' }]);
});
