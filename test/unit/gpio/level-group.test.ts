import t from 'tap';
import { decodeLevels } from '../../../drivers/gpio/inputs/level-code.js';
import { BoardFixture } from '../../tools/devices/board-fixture.js';

const bitsOf = (number: number, lines: number) =>
  Array.from({ length: lines }, (_, at) => Math.floor(number / 2 ** at) % 2 === 1);

t.test('binary, Gray and BCD: each number of 12 lines, and invalid ones', async (t) => {
  const wrong: number[] = [];
  for (let number = 0; number < 4096; number++) {
    const isBinary = decodeLevels('binary', bitsOf(number, 12)) === number;
    const isGray = decodeLevels('gray', bitsOf(number ^ (number >> 1), 12)) === number;
    const digits = [number & 15, (number >> 4) & 15, number >> 8];
    const [ones = 0, tens = 0, hundreds = 0] = digits;
    const bcd = digits.every((digit) => digit < 10) ? ones + 10 * tens + 100 * hundreds : undefined;
    if (!isBinary || !isGray || decodeLevels('bcd', bitsOf(number, 12)) !== bcd) wrong.push(number);
  }
  t.strictSame(wrong, []);
  const all = Array.from({ length: 31 }, () => true);
  t.equal(decodeLevels('binary', all), 2 ** 31 - 1);
  t.equal(decodeLevels('gray', bitsOf(2 ** 30, 31)), 2 ** 31 - 1);
});

t.test('a coding switch reports one number when settled and none before', async (t) => {
  const board = new BoardFixture(t);
  await board.drive('BUTTON1', true);
  const Lines = ['BUTTON1', 'BUTTON2', 'BUTTON3', 'BUTTON4'];
  const group = await board.add('Level Group', { Lines, Code: 'bcd' });
  await board.waitForLink(group, 'online');
  t.equal(board.value(group, 'VALUE'), 1, 'the initial number');
  const seen = board.watch(group, 'VALUE');
  for (const [line, active] of [
    ['BUTTON4', true],
    ['BUTTON1', false],
    ['BUTTON2', true],
    ['BUTTON4', false],
  ] as const) {
    await board.drive(line, active);
    await board.elapse(10);
  }
  await board.elapse(100);
  t.strictSame(seen, [2]);
  await board.drive('BUTTON4', true);
  await board.elapse(100);
  t.equal(board.value(group, 'VALUE'), 2, 'the last valid number');
  t.match(board.status(group), /are not a valid bcd number: 1010/);
  t.equal(board.quality(group, 'VALUE'), 'bad NO_NUMBER');
  await board.drive('BUTTON2', false);
  await board.elapse(100);
  t.equal(board.value(group, 'VALUE'), 8);
  t.notMatch(board.status(group), /no bcd number/);
  t.equal(board.quality(group, 'VALUE'), 'good');
});

t.test('a requested number is that of settled lines', async (t) => {
  const board = new BoardFixture(t);
  await board.drive('BUTTON1', true);
  const group = await board.add('Level Group', { Lines: ['BUTTON1', 'BUTTON2', 'BUTTON3'], SettleMs: 50 });
  await board.waitForLink(group, 'online');
  const seen = board.watch(group, 'VALUE');
  await board.devices.refresh(group.id, 'VALUE');
  t.strictSame(seen, [1]);
  // From 1 to 4 through 5.
  await board.drive('BUTTON3', true);
  await board.devices.refresh(group.id, 'VALUE');
  await board.elapse(20);
  await board.devices.refresh(group.id, 'VALUE');
  await board.drive('BUTTON1', false);
  await board.elapse(40);
  await board.devices.refresh(group.id, 'VALUE');
  t.strictSame(seen, [1]);
  await board.elapse(30);
  t.strictSame(seen, [1, 4]);
  await board.devices.refresh(group.id, 'VALUE');
  t.strictSame(seen, [1, 4, 4]);
});

t.test('either all lines are requested or none', async (t) => {
  const board = new BoardFixture(t);
  const taken = await board.add('GPIO Input', { Line: 'BUTTON2' });
  await board.waitForLink(taken, 'online');
  const group = await board.add('Level Group', { Lines: ['BUTTON1', 'BUTTON2'] });
  await board.waitForLink(group, 'waiting');
  t.match(board.status(group), /BUTTON2 is in use/);
  const other = await board.add('GPIO Input', { Line: 'BUTTON1' });
  await board.waitForLink(other, 'online');
  const none = await board.add('Level Group', {});
  t.match(board.status(none), /Lines is empty/);
  const twice = await board.add('Level Group', { Lines: ['BUTTON3', 'BUTTON3'] });
  t.match(board.status(twice), /names a line twice/);
});

t.test('dropped edges of any line are LOST, and the number is correct afterwards', async (t) => {
  const board = new BoardFixture(t);
  const group = await board.add('Level Group', { Lines: ['BUTTON1', 'BUTTON2'] });
  await board.waitForLink(group, 'online');
  t.equal(board.value(group, 'LOST'), 0);
  for (const [line, edges] of [
    ['BUTTON1', 1025],
    ['BUTTON2', 2001],
  ] as const)
    for (let n = 0; n < edges; n++) void board.drive(line, n % 2 === 0);
  await board.elapse(1000);
  t.strictSame([board.value(group, 'LOST'), board.value(group, 'VALUE')], [1 + 977, 3]);
});
