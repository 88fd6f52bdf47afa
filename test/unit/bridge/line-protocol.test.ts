import t from 'tap';
import { variableType } from '../../../src/device/module.js';
import { encodeLine } from '../../../drivers/bridge/lines/line-protocol.js';
import type { Entry } from '../../../drivers/bridge/queue/entry.js';

const entry = (value: Entry['value'], given: Partial<Entry> = {}): Entry => ({
  seq: 12,
  path: 'hall/TEMPERATURE',
  type: variableType.float,
  value,
  quality: 0,
  reason: '',
  atMs: 1_700_000_000_123,
  ...given,
});

t.test('values of all types', async (t) => {
  const line = (value: Entry['value'], given?: Partial<Entry>) => encodeLine(entry(value, given), 'box', []);
  t.equal(line(21.5), 'box,path=hall/TEMPERATURE value=21.5,quality=0i 1700000000123000012');
  t.equal(line(true), 'box,path=hall/TEMPERATURE value=1,quality=0i 1700000000123000012');
  t.equal(line(-1e300), 'box,path=hall/TEMPERATURE value=-1e+300,quality=0i 1700000000123000012');
  t.equal(line(undefined, { quality: 2 }), 'box,path=hall/TEMPERATURE quality=2i 1700000000123000012');
  t.equal(line('a"b\\c\nd'), 'box,path=hall/TEMPERATURE text="a\\"b\\\\c d",quality=0i 1700000000123000012');
});

t.test('names are escaped, and empty tags left out', async (t) => {
  const tags = [
    { Name: 'the site', Value: 'a,b=c\\' },
    { Name: '', Value: 'x' },
    { Name: 'x', Value: '' },
  ];
  t.equal(
    encodeLine(entry(1), 'my box,1', tags),
    'my\\ box\\,1,the\\ site=a\\,b\\=c,path=hall/TEMPERATURE value=1,quality=0i 1700000000123000012',
  );
});

t.test('two values of a millisecond have different times', async (t) => {
  const timeOf = (seq: number) => encodeLine(entry(1, { seq }), 'box', []).split(' ')[2];
  t.not(timeOf(1), timeOf(2));
  t.equal(timeOf(1_000_001), '1700000000123000001');
});
