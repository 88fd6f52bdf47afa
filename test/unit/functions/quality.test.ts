import t from 'tap';
import { quality } from '../../../src/kernel/quality.js';
import { FunctionFixture } from '../../tools/gateway/function-fixture.js';
import { messageNumber } from '../../tools/client/message-numbers.js';

const START = 1_700_000_000;

t.test('GW_GetQuality returns the quality of each variable, and for [] all that are not good', async (t) => {
  await using fixture = new FunctionFixture();
  const plain = (await fixture.call('SVC_CreateVariable', 1)) as number;
  t.strictSame(await fixture.call('GW_GetQuality', []), []);
  await fixture.call('SetValue', plain, 7);
  const lamp = await fixture.lamp();
  const state = fixture.idOf(lamp, 'STATE');
  const link = fixture.idOf(lamp, 'LINK');
  const good = { Quality: 0, Reason: '', Text: '', ClockTrusted: true };
  t.strictSame(await fixture.call('GW_GetQuality', [plain, lamp, state, 9]), [
    { VariableID: plain, ...good, SourceTime: START, ReceiveTime: START },
    { VariableID: lamp, Error: { code: 'NOT_OF_TYPE', message: `Variable #${lamp} does not exist` } },
    {
      VariableID: state,
      Quality: 2,
      Reason: 'NO_VALUE',
      Text: 'the device has never reported a value',
      SourceTime: 0,
      ReceiveTime: 0,
      ClockTrusted: true,
    },
    { VariableID: 9, Error: { code: 'NOT_OF_TYPE', message: 'Variable #9 does not exist' } },
  ]);
  t.match(await fixture.call('GW_GetQuality', []), [
    { VariableID: state },
    { VariableID: fixture.idOf(lamp, 'LEVEL') },
  ]);
  fixture.clock.advance(1500);
  const messages = await fixture.messagesOfCall('HW_WriteValueBoolean', lamp, 'STATE', true);
  t.strictSame(messages, [
    [state, messageNumber.VM_UPDATE, [true, true, false, START + 1, 0, 0]],
    [state, messageNumber.GW_QUALITY, [0, '', '']],
  ]);
  const now = START + 1;
  t.match(await fixture.call('GW_GetQuality', [state, link]), [
    { VariableID: state, ...good, SourceTime: now, ReceiveTime: now },
    { VariableID: link, ...good },
  ]);
  t.strictSame(
    fixture.audit.filter(({ method }) => method === 'GW_GetQuality'),
    [],
    'it changes nothing',
  );
});

t.test('invalid parameters are rejected', async (t) => {
  await using fixture = new FunctionFixture();
  await t.rejects(fixture.call('GW_GetQuality', ['x']), { code: 'PARAMETER_TYPE' });
  await t.rejects(fixture.call('GW_GetQuality', {}), { code: 'PARAMETER_TYPE' });
  await t.rejects(fixture.call('GW_GetQuality'), { code: 'PARAMETER_COUNT' });
  await t.rejects(fixture.callAsWebFront(fixture.kernel.tree.root.id, 'GW_GetQuality', []), {
    code: 'ACCESS_DENIED',
  });
});

t.test('source time and receive time have milliseconds if the driver reported them', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateVariable', 2)) as number;
  const { data } = fixture.kernel.variables.get(id);
  data.reportTimes = { sourceMs: START * 1000 + 1.2345, receivedMs: START * 1000 + 7 };
  t.match(await fixture.call('GW_GetQuality', [id]), [
    { SourceTime: START + 0.001, ReceiveTime: START + 0.007 },
  ]);
});

t.test('a value is marked if the clock was not synchronised', async (t) => {
  await using fixture = new FunctionFixture();
  const [one, other] = [
    (await fixture.call('SVC_CreateVariable', 1)) as number,
    (await fixture.call('SVC_CreateVariable', 1)) as number,
  ];
  const trusted = async () =>
    ((await fixture.call('GW_GetQuality', [one, other])) as { ClockTrusted: boolean }[]).map(
      ({ ClockTrusted }) => ClockTrusted,
    );
  await fixture.call('SetValue', other, 1);
  fixture.clock.hasTrustedTime = false;
  await fixture.call('SetValue', one, 1);
  t.strictSame(await trusted(), [false, true]);
  fixture.clock.hasTrustedTime = true;
  t.strictSame(await trusted(), [false, true], 'it was not synchronised then');
  await fixture.call('SetValue', one, 1);
  t.strictSame(await trusted(), [true, true]);
});

t.test('good variables need no memory for their quality', async (t) => {
  await using fixture = new FunctionFixture();
  const id = (await fixture.call('SVC_CreateVariable', 1)) as number;
  const { data } = fixture.kernel.variables.get(id);
  const before = Object.keys(data);
  await fixture.call('SetValue', id, 1);
  t.strictSame(Object.keys(data), before);
  fixture.kernel.variables.setQualityProblem(fixture.kernel.variables.get(id), undefined);
  t.strictSame(Object.keys(data), before);
  fixture.kernel.variables.setQualityProblem(fixture.kernel.variables.get(id), {
    state: quality.stale,
    reason: 'OVERDUE',
    text: '',
  });
  t.match(await fixture.call('GW_GetQuality', []), [{ VariableID: id, Quality: 1, Reason: 'OVERDUE' }]);
});
