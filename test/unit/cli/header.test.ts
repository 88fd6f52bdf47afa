import t from 'tap';
import { drawHeader, type HeaderData } from '../../../src/cli/output/header-picture.js';

type Line = HeaderData['lines']['Lines'][number];

const line = (Offset: number, more: Partial<Line> = {}): Line => ({
  Chip: 'main',
  Offset,
  Name: `GPIO${Offset}`,
  KernelName: `GPIO${Offset}`,
  Direction: 'input',
  Used: false,
  Consumer: '',
  InstanceID: 0,
  ...more,
});

const ours = { Used: true, Consumer: 'stellwerk' };
const lines = [
  line(2, { KernelName: 'SDA1' }),
  line(3, { Used: true, Consumer: 'i2c1' }),
  line(4, { ...ours, InstanceID: 7, Direction: 'output', Active: true }),
  line(5, { ...ours, InstanceID: 8, Active: false }),
  line(42, { Name: 'LED', KernelName: 'LED', Direction: 'output', Used: true, Consumer: 'ACT' }),
  line(43),
];
const names = new Map([
  [7, 'Hall relay'],
  [8, 'Door\u001b[2J'],
]);
const board: HeaderData = {
  lines: {
    Board: 'Board',
    Header: [
      ['3V3', '5V'],
      ['GPIO2', 'GPIO3'],
      ['GPIO4', 'GPIO5'],
    ],
    Lines: lines,
  },
  names,
};
const plain = (width: number) => ({ width, paint: (_colour: string, text: string) => text });

t.test('the header is drawn in its layout, with other lines in use below it', async (t) => {
  t.strictSame(drawHeader(board, plain(80)), [
    'Board',
    '',
    '                      3V3   1 │ 2   5V',
    '       SDA1         GPIO2   3 │ 4   GPIO3    in   i2c1',
    ' Hall relay  out ●  GPIO4   5 │ 6   GPIO5  ○ in   Door\\x1b[2J',
    '',
    'main',
    '42  LED    out  ACT',
    '',
    '● active  ○ inactive  no mark: not the gateway’s, so it is not read',
  ]);
});

t.test('a board without a header shows all lines, chip by chip', async (t) => {
  const rows = drawHeader({ names, lines: { ...board.lines, Header: [] } }, plain(80));
  t.strictSame(rows.slice(2, 6), [
    'main',
    '       SDA1          GPIO2   2 │ 3   GPIO3     in   i2c1',
    ' Hall relay  out ●   GPIO4   4 │ 5   GPIO5   ○ in   Door\\x1b[2J',
    '        ACT  out       LED  42 │ 43  GPIO43',
  ]);
});

t.test('no row is wider than the terminal; users are truncated, then omitted', async (t) => {
  for (let width = 39; width <= 120; width += 1) {
    const rows = drawHeader(board, plain(width)).slice(0, -1);
    t.strictSame(
      rows.filter((row) => Array.from(row).length > width),
      [],
      `${width} columns`,
    );
    t.ok(rows.some((row) => row.includes('out ●  GPIO4   5 │ 6   GPIO5  ○ in')));
  }
  t.ok(drawHeader(board, plain(58)).some((row) => row.includes('Hall rel…')));
  t.notOk(drawHeader(board, plain(46)).some((row) => row.includes('Hall')));
});

t.test('colours show active lines, our lines, supply pins, and other consumers', async (t) => {
  const rows = drawHeader(board, { width: 80, paint: (colour, text) => `<${colour} ${text}>` }).join('\n');
  for (const part of [
    '<red 5V>',
    '<yellow 3V3>',
    '<green out ●>',
    '<bold GPIO4>',
    '<yellow i2c1>',
    '<dim SDA1>',
  ])
    t.ok(rows.includes(part), part);
  t.notMatch(rows, /<\w+ +>/, 'without a colour there are no escape sequences');
});
