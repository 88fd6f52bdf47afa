import t from 'tap';
import {
  notationOf,
  readTime,
  readValue,
  DEVICE_TEXT_LIMIT,
  explainUnreadable,
  writeValue,
  type NotationFields,
} from '../../../src/device/toolkit/notation.js';

const read = (fields: NotationFields, raw: unknown) => readValue(notationOf(fields), raw);

await t.test('booleans are the configured words, or JSON booleans', async (t) => {
  t.equal(read({ Type: 'boolean' }, 'ON'), true);
  t.equal(read({ Type: 'boolean' }, 'OFF'), false);
  t.equal(read({ Type: 'boolean' }, true), true);
  t.equal(read({ Type: 'boolean', On: '1', Off: '0' }, 1), true);
  t.equal(read({ Type: 'boolean', On: '1', Off: '0' }, '0'), false);
  for (const none of ['on', 'true', '', 1, null, {}, 'ON '])
    t.equal(read({ Type: 'boolean' }, none), undefined);
  t.match(
    explainUnreadable(notationOf({ Type: 'boolean' }), 'x\ny'),
    /"x\\ny" is neither On \(ON\) nor Off \(OFF\)/,
  );
});

await t.test('times are ISO 8601, unix seconds or milliseconds, and nothing ambiguous', async (t) => {
  const time = 1_700_000_000_000;
  for (const raw of [
    '2023-11-14T22:13:20Z',
    '2023-11-14T23:13:20+01:00',
    '2023-11-14 22:13:20.000Z',
    1_700_000_000,
    '1700000000',
    time,
    String(time),
  ])
    t.equal(readTime(raw), time, String(raw));
  t.equal(readTime(1_700_000_000.25), time + 250);
  for (const raw of [
    '',
    'now',
    '2023-11-14',
    '14:13',
    '2023-13-41T99:00',
    0,
    -5,
    NaN,
    Infinity,
    1e20,
    null,
    {},
    true,
  ])
    t.equal(readTime(raw), undefined, String(raw));
});

await t.test('integers have no fraction, unless a scale removes it', async (t) => {
  for (const [raw, value] of [
    ['42', 42],
    [' -7 ', -7],
    ['3.0', 3],
    ['1e3', 1000],
    [5, 5],
    ['-0', 0],
  ] as const) {
    t.equal(read({ Type: 'integer' }, raw), value);
  }
  for (const none of ['', '1.5', 'x', '0x10', '1e400', '9007199254740993', NaN, true, null, [1], '1 2']) {
    t.equal(read({ Type: 'integer' }, none), undefined, String(none));
  }
  t.equal(read({ Type: 'integer', Scale: 0.1 }, '25'), 3, 'halves away from zero');
  t.equal(read({ Type: 'integer', Scale: 100 }, '0.57'), 57);
  t.match(explainUnreadable(notationOf({ Type: 'integer' }), '1.5'), /use Type float or a Scale/);
});

await t.test('floats', async (t) => {
  t.equal(read({ Type: 'float', Scale: 0.1, Offset: -40 }, '615'), 21.5);
  t.equal(read({ Type: 'float' }, '.5'), 0.5);
  for (const none of ['', 'NaN', 'Infinity', '1e999', '1,5', null, undefined, {}]) {
    t.equal(read({ Type: 'float' }, none), undefined, String(none));
  }
});

await t.test('texts', async (t) => {
  t.equal(read({ Type: 'string' }, 'a\0b'), 'a\0b');
  t.equal(read({ Type: 'string' }, 21.5), '21.5');
  t.equal(read({ Type: 'string' }, true), 'true');
  t.equal(read({ Type: 'string' }, ''), '');
  t.equal(read({ Type: 'string' }, 'x'.repeat(DEVICE_TEXT_LIMIT)), 'x'.repeat(DEVICE_TEXT_LIMIT));
  for (const none of [{}, [], null, 'x'.repeat(DEVICE_TEXT_LIMIT + 1), '€'.repeat(DEVICE_TEXT_LIMIT / 2)]) {
    t.equal(read({ Type: 'string' }, none), undefined);
  }
});

await t.test('a formatted value can be read again', async (t) => {
  for (const [fields, value, text] of [
    [{ Type: 'float', Scale: 0.1 }, 21.5, '215'],
    [{ Type: 'float', Scale: 3, Offset: 1 }, 2, '0.333333333333'],
    [{ Type: 'integer' }, -9007199254740991, '-9007199254740991'],
    [{ Type: 'float' }, 1e-9, '0.000000001'],
    [{ Type: 'boolean', On: 'an', Off: 'aus' }, false, 'aus'],
    [{ Type: 'string' }, 'unchanged', 'unchanged'],
  ] as const) {
    t.equal(writeValue(notationOf(fields), value), text);
    const back = read(fields, text);
    if (typeof value === 'number') t.ok(Math.abs((back as number) - value) <= 1e-9);
    else t.equal(back, value);
  }
  t.throws(() => writeValue(notationOf({ Type: 'boolean' }), 1), { code: 'CANNOT_CONVERT' });
  t.throws(() => writeValue(notationOf({ Type: 'float' }), Infinity), { code: 'CANNOT_CONVERT' });
});
