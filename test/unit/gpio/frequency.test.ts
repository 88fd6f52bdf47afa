import t from 'tap';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

t.test('a frequency is exact, falls while no pulse comes, and ends at 0', async (t) => {
  const board = new BoardFixture(t);
  const fan = await board.add('Frequency', { Line: 'BUTTON1', Divider: 2 });
  await board.waitForLink(fan, 'online');
  t.equal(board.value(fan, 'FREQUENCY'), 0);
  const messages = board.watch(fan, 'FREQUENCY');
  for (let n = 0; n < 250; n++) {
    await board.drive('BUTTON1', n % 2 === 0);
    await board.elapse(10);
  }
  t.equal(board.value(fan, 'FREQUENCY'), 25, '50 Hz, halved');
  t.strictSame(messages.slice(0, 2), [25], 'reported once while unchanged');
  await board.elapse(4000);
  t.ok(Number(board.value(fan, 'FREQUENCY')) < 0.2, 'at most one in four seconds');
  await board.elapse(8000);
  t.equal(board.value(fan, 'FREQUENCY'), 0);
  await board.devices.close();
  t.equal(board.clock.pendingTimers, 0, 'no timer is left after closing');
});
