import t from 'tap';
import {
  formatOfFile,
  recordFormats,
  type FormatName,
  type OutputRecord,
} from '../../../src/records/record-format.js';
import { CodedText } from '../../../src/base/codes/coded-text.js';
import { recordOf, type FileRecord } from '../../../src/records/row-to-record.js';
import { textsOf } from '../../../src/records/row.js';
import { toIso, parseTime } from '../../../src/records/times.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

// A time zone with daylight saving time.
process.env['TZ'] = 'Europe/Berlin';

const seed = fuzzSeed();
const TYPES = [0, 1, 2, 3] as const;

/** Difficult parts of files. */
const PARTS = [
  '"',
  '""',
  ',',
  ';',
  '\t',
  '\n',
  '\r',
  '\r\n',
  ' ',
  '=1+1',
  '-',
  '0',
  'true',
  'ä',
  '😀',
  '\u2028',
  '\\',
  '\u0000',
  'x',
];

function valueOf(random: Random, type: number): OutputRecord['value'] {
  if (type === 0) return random.chance(0.5);
  if (type === 1) return random.pick([0, -1, 2 ** 53 - 1, -(2 ** 53) + 1, random.below(1000)]);
  if (type === 3) return random.some(8, () => random.pick(PARTS)).join('');
  const double = random.bytes(8).readDoubleLE();
  return random.pick([
    0,
    0.1,
    1e-300,
    5e-324,
    1.7976931348623157e308,
    -21.5,
    Number.isFinite(double) ? double : 1,
  ]);
}

/** A file’s bytes in chunks of any length. */
async function* inPieces(random: Random, text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(random.pick([1, 5, 1000]));
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function readBack(
  text: string,
  name: FormatName,
  { random = new Random(1), type = 2, variableId = undefined as number | undefined } = {},
) {
  const all: (FileRecord | string)[] = [];
  const meaning = {
    variableId,
    target: async (id: number) => ({ type: id < TYPES.length + 1 ? id - 1 : type }),
  };
  for await (const row of recordFormats[name].rowsOf(textsOf(inPieces(random, text)))) {
    const record = await recordOf(row, meaning);
    all.push(record instanceof CodedText ? `line ${row.line}: ${record}` : record);
  }
  return all;
}

for (const name of ['csv', 'jsonl'] as const)
  t.test(`${name} is read exactly as it was written (${seedLabel(seed)})`, async (t) => {
    const random = new Random(seed);
    const format = recordFormats[name];
    for (let round = 0; round < 60; round++) {
      const shown = random.some(40, (): OutputRecord => {
        const type = random.pick(TYPES);
        const atMs = 1 + random.below(4e12);
        return { variableId: type + 1, atMs, value: valueOf(random, type), isUntrusted: random.chance(0.1) };
      });
      const read = await readBack(format.head + shown.map((one) => format.lineOf(one)).join(''), name, {
        random,
      });
      t.strictSame(
        read.map((one) =>
          typeof one === 'string' ? one : [one.variableId, one.atMs, one.value, one.isTrusted],
        ),
        shown.map(({ variableId, atMs, value, isUntrusted }) => [variableId, atMs, value, !isUntrusted]),
      );
      if (!t.passing()) break;
    }
  });

t.test('times without an offset are local, others are not', async (t) => {
  const at = (text: string) => Date.parse(text);
  for (const [given, expected] of [
    ['2026-03-29T14:05:00Z', at('2026-03-29T14:05:00Z')],
    ['2026-03-29t14:05:00.5z', at('2026-03-29T14:05:00.500Z')],
    ['2026-03-29 16:05', at('2026-03-29T14:05:00Z')],
    [' 2026-03-29 16:05:07,123456 ', at('2026-03-29T14:05:07.123Z')],
    ['2026-03-29T14:05:00-03:30', at('2026-03-29T17:35:00Z')],
    ['2026-03-29T14:05:00+02', at('2026-03-29T12:05:00Z')],
    ['2026-01-15', at('2026-01-14T23:00:00Z')],
    // It occurs twice: the first one.
    ['2026-10-25 02:30', at('2026-10-25T00:30:00Z')],
    ['1700000000', 1_700_000_000_000],
    ['1700000000.1234', 1_700_000_000_123],
    [1_700_000_000.5, 1_700_000_000_500],
  ] as const)
    t.equal(parseTime(given), expected, String(given));
  for (const none of [
    // The hour that is skipped.
    '2026-03-29 02:30',
    '2026-02-29',
    '2026-13-01',
    '2026-01-01 24:00',
    '2026-01-01 12:60',
    '0050-01-01',
    '29.03.2026',
    '',
    'x',
    // Milliseconds.
    1_700_000_000_000,
    '1700000000000',
    0,
    -5,
    NaN,
    null,
    true,
  ])
    t.equal(parseTime(none), undefined, String(none));
  t.equal(toIso(1_700_000_000_001), '2023-11-14T22:13:20.001Z');
});

t.test('CSV files of spreadsheets are read', async (t) => {
  const expected = [
    { line: 2, variableId: 4, atMs: 1000, value: 'a;"b"\r\nc', isTrusted: true },
    { line: 4, variableId: 4, atMs: 2000, value: '', isTrusted: true },
    { line: 6, variableId: 3, atMs: 3000, value: -1.5, isTrusted: true },
    { line: 7, variableId: 1, atMs: 4000, value: true, isTrusted: true },
  ];
  const text = (separator: string, end: string) =>
    [
      ['\ufeff"Note"', 'Time', 'Variable', 'VALUE'],
      ['', '1', '4', '"a;""b""\r\nc"'],
      ['', '2', '4', '""'],
      [''],
      ['x y', '3', '3', ' -1.5 '],
      ['', '4', '1', 'TRUE'],
    ]
      .map((fields) => fields.join(separator))
      .join(end);
  for (const separator of [',', ';', '\t'])
    for (const end of ['\n', '\r\n'])
      t.strictSame(await readBack(text(separator, end), 'csv'), expected, JSON.stringify([separator, end]));
});

t.test('an invalid line is reported with its number and the reason', async (t) => {
  const csv = async (...lines: string[]) =>
    (await readBack(['variable,time,value', ...lines].join('\n'), 'csv'))[0];
  for (const [line, why] of [
    ['3,1,x', 'line 2: "x" is not a number (with a decimal point)'],
    ['3,1,"1,5"', 'line 2: "1,5" is not a number (with a decimal point)'],
    ['3,1,1e999', 'line 2: "1e999" is not a number (with a decimal point)'],
    ['3,1,', 'line 2: "" is not a number (with a decimal point)'],
    ['2,1,1.5', 'line 2: "1.5" is not an integer'],
    ['1,1,yes', 'line 2: "yes" is not a boolean (true, false)'],
    ['3,soon,1', /^line 2: "soon" is not a time \(/],
    ['kitchen,1,1', 'line 2: "kitchen" is not the ID of a variable'],
    ['3,1', 'line 2: there is no value'],
    ['3,1,1,1', 'line 2: it has 4 fields, the first line names 3'],
    [`4,1,"${'\n'.repeat(3)}"\n3,1,1`, { line: 2 }],
  ] as const)
    t.match(await csv(line), why);
  t.match(
    (await csv('4,1,"a\n\nb"', '3,1,x')) &&
      (await readBack('variable,time,value\n4,1,"a\n\nb"\n3,1,x', 'csv'))[1],
    /^line 5:/,
  );
  const json = async (line: string) => (await readBack(line, 'jsonl'))[0];
  for (const [line, why] of [
    ['{"variable":3,"time":1,"value":"1"}', 'line 1: "1" is not a number (with a decimal point)'],
    ['{"variable":4,"time":1,"value":1}', 'line 1: 1 is not a text'],
    ['{"variable":1,"time":1,"value":1}', 'line 1: 1 is not a boolean (true, false)'],
    ['{"variable":3,"time":1,"value":null}', 'line 1: null is not a number (with a decimal point)'],
    [
      '{"time":1,"value":1}',
      'line 1: no variable is given: choose one for all records (--variable), or add a column "variable"',
    ],
    ['[1]', 'line 1: it is not a JSON object'],
    ['{', 'line 1: it is not a JSON object'],
  ] as const)
    t.equal(await json(line), why);
  t.match(await readBack('time,value\n1,2', 'csv', { variableId: 3 }), [{ variableId: 3, value: 2 }]);
});

t.test('a read error after some lines is reported with its position', async (t) => {
  for (const [text, line, why] of [
    ['a,b\n1,"x\n\n', 2, /opened but never closed/],
    ['a,b\n1,"x"y\n', 2, /between a closing quote and/],
    ['a,b\n1,x"y"\n', 2, /within a field that does not begin/],
    [`a,b\n1,"${'x'.repeat(5_000_000)}`, 2, /longer than 4 MiB/],
    [`a,b\n1,${'x'.repeat(5_000_000)}`, 2, /longer than 4 MiB/],
  ] as const)
    await t.rejects(readBack(text, 'csv', { random: new Random(3) }), { line, message: why });
  const pieces = async function* () {
    yield Buffer.from('a,b\nc,');
    yield Buffer.from([0xe4, 0x0a]);
  };
  await t.rejects(
    async () => {
      for await (const text of textsOf(pieces())) t.type(text, 'string');
    },
    { line: 2, message: /not UTF-8/ },
  );
  t.equal(formatOfFile('a/b.JSONL'), 'jsonl');
  t.equal(formatOfFile('-'), 'csv');
});
