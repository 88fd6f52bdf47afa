import t from 'tap';
import {
  conversionError,
  conversionOf,
  type ConversionSettings,
} from '../../../drivers/sensor/conversion/conversion.js';
import {
  betaCelsius,
  parseNtcTable,
  steinhartHartCelsius,
  tableCelsius,
} from '../../../drivers/sensor/conversion/ntc.js';
import { rtdCelsius, rtdResistance } from '../../../drivers/sensor/conversion/rtd.js';

/** IEC 60751, the table of a PT100: Ω from −200 °C on in steps of 10 K; printed with two decimals. */
const PT100_FROM = -200;
const PT100 = `
  18.52 22.83 27.10 31.34 35.54 39.72 43.88 48.00 52.11 56.19
  60.26 64.30 68.33 72.33 76.33 80.31 84.27 88.22 92.16 96.09
  100.00 103.90 107.79 111.67 115.54 119.40 123.24 127.08 130.90 134.71
  138.51 142.29 146.07 149.83 153.58 157.33 161.05 164.77 168.48 172.17
  175.86 179.53 183.19 186.84 190.47 194.10 197.71 201.31 204.90 208.48
  212.05 215.61 219.15 222.68 226.21 229.72 233.21 236.70 240.18 243.64
  247.09 250.53 253.96 257.38 260.78 264.18 267.56 270.93 274.29 277.64
  280.98 284.30 287.62 290.92 294.21 297.49 300.75 304.01 307.25 310.49
  313.71`
  .trim()
  .split(/\s+/)
  .map(Number);

/** The data sheet of Semitec's 103AT: °C and kΩ. */
const NTC_103AT = [
  [-50, 329.5],
  [-40, 188.5],
  [-30, 111.3],
  [-20, 67.77],
  [-10, 42.47],
  [0, 27.28],
  [10, 17.96],
  [20, 12.09],
  [25, 10],
  [30, 8.313],
  [40, 5.827],
  [50, 4.16],
  [60, 3.02],
  [70, 2.228],
  [80, 1.668],
  [85, 1.451],
  [90, 1.266],
  [100, 0.9731],
  [110, 0.7576],
] as const;

t.test('PT100 and PT1000 have the resistances of IEC 60751', async (t) => {
  t.equal(PT100.length, 81);
  for (const [n, ohm] of PT100.entries()) {
    const celsius = PT100_FROM + 10 * n;
    t.equal(rtdResistance(celsius, 100).toFixed(2), ohm.toFixed(2), `${celsius} °C`);
    // Half a unit of the last digit of the table.
    t.ok(Math.abs(rtdCelsius(ohm, 100) - celsius) < 0.005 / 0.29, `${ohm} Ω`);
    t.ok(Math.abs(rtdCelsius(ohm * 10, 1000) - rtdCelsius(ohm, 100)) < 1e-9);
  }
  t.equal(rtdResistance(850, 100).toFixed(2), '390.48');
  for (let celsius = -200; celsius <= 850; celsius += 7)
    t.ok(Math.abs(rtdCelsius(rtdResistance(celsius, 100), 100) - celsius) < 1e-6, `${celsius} °C and back`);
});

t.test('an NTC has the temperatures of its data sheet', async (t) => {
  const every = NTC_103AT.filter(([celsius]) => celsius % 20 === 0 || celsius === 110 || celsius === -50);
  const points = parseNtcTable(every.map(([celsius, kiloOhm]) => `${celsius}:${kiloOhm * 1000}`).join(' '));
  if (points === undefined) throw new Error('the table is invalid');
  for (const [celsius, kiloOhm] of NTC_103AT) {
    const ohm = kiloOhm * 1000;
    const isPoint = every.some(([point]) => point === celsius);
    const byTable = tableCelsius(ohm, points) ?? NaN;
    t.ok(Math.abs(byTable - celsius) < (isPoint ? 1e-6 : 0.3), `${ohm} Ω: ${byTable} by the table`);
    // B of the data sheet is of 25 and 85 °C: the curve bends away from it in the cold.
    if (celsius >= 20 && celsius <= 90)
      t.ok(Math.abs(betaCelsius(ohm, 10_000, 3435) - celsius) < 0.5, `${ohm} Ω by B`);
    const bySteinhartHart = steinhartHartCelsius(ohm, steinhartHart([-20, 25, 85]));
    t.ok(Math.abs(bySteinhartHart - celsius) < 0.5, `${ohm} Ω: ${bySteinhartHart} by Steinhart–Hart`);
  }
  t.equal(tableCelsius(400_000, points), undefined);
  t.equal(tableCelsius(700, points), undefined);
});

/** The coefficients of the curve through three points of the data sheet. */
function steinhartHart(at: readonly number[]): [number, number, number] {
  const points = at.map((celsius) => {
    const [, kiloOhm = NaN] = NTC_103AT.find(([one]) => one === celsius) ?? [];
    return { log: Math.log(kiloOhm * 1000), inverse: 1 / (celsius + 273.15) };
  });
  const [one, two, three] = points as [(typeof points)[0], (typeof points)[0], (typeof points)[0]];
  const slope2 = (two.inverse - one.inverse) / (two.log - one.log);
  const slope3 = (three.inverse - one.inverse) / (three.log - one.log);
  const c = (slope3 - slope2) / (three.log - two.log) / (one.log + two.log + three.log);
  const b = slope2 - c * (one.log ** 2 + one.log * two.log + two.log ** 2);
  return [one.inverse - (b + one.log ** 2 * c) * one.log, b, c];
}

t.test('a table must have rising temperatures and falling resistances', async (t) => {
  t.strictSame(parseNtcTable(' 25:10000, 0:32554\n'), [
    { celsius: 0, ohm: 32_554 },
    { celsius: 25, ohm: 10_000 },
  ]);
  for (const text of [
    '',
    '25:10000',
    '0:1000 25:10000',
    '0:10000 0:9000',
    '0:10000 25:x',
    'a:1 b:2',
    '1:0 2:-1',
  ])
    t.equal(parseNtcTable(text), undefined, text);
});

const convert = (quantity: 'voltage' | 'current' | 'resistance', settings: ConversionSettings) =>
  conversionOf(settings, quantity);

t.test('4–20 mA: a current below 3.6 mA is a wire break, above 21 mA a failure', async (t) => {
  const level = convert('current', { Conversion: '4-20mA', From: 0, To: 250 });
  for (const [milliampere, value] of [
    [4, 0],
    [12, 125],
    [20, 250],
    [3.8, -3.125],
    [20.5, 257.8125],
  ] as const)
    t.ok(Math.abs(Number(level(milliampere / 1000)) - value) < 1e-9, `${milliampere} mA`);
  for (const milliampere of [3.6, 21]) t.type(level(milliampere / 1000), 'number');
  t.match(level(0.003_599), { reason: 'WIRE_BREAK' });
  t.match(level(0), { reason: 'WIRE_BREAK' });
  t.match(level(-0.01), { reason: 'WIRE_BREAK' });
  t.match(level(0.021_01), { reason: 'OUT_OF_RANGE' });
  const shunt = convert('voltage', { Conversion: '4-20mA', From: 0, To: 250, ShuntOhm: 120 });
  t.ok(Math.abs(Number(shunt(1.44)) - 125) < 1e-9, 'across 120 Ω');
  const zero = convert('current', { Conversion: '0-20mA', From: 10, To: 30 });
  t.strictSame([zero(0), zero(0.02)], [10, 30]);
});

t.test('0–10 V, with a divider', async (t) => {
  const volts = convert('voltage', { Conversion: '0-10V', From: -50, To: 150, Divider: 4 });
  t.strictSame([volts(0), volts(1.25), volts(2.5)], [-50, 50, 150]);
});

t.test('a resistance in a voltage divider; an open or shorted sensor has no value', async (t) => {
  const platinum = convert('voltage', { Conversion: 'pt1000', SeriesOhm: 1000, SupplyV: 3.3 });
  t.ok(Math.abs(Number(platinum(1.65))) < 1e-9);
  t.match(platinum(3.3), { reason: 'WIRE_BREAK' });
  t.match(platinum(0), { reason: 'OUT_OF_RANGE' });
  const direct = convert('resistance', { Conversion: 'pt100' });
  t.ok(Math.abs(Number(direct(138.5055)) - 100) < 1e-3);
  t.match(direct(400), { reason: 'WIRE_BREAK' });
  t.match(direct(10), { reason: 'OUT_OF_RANGE' });
  t.match(direct(0), { reason: 'OUT_OF_RANGE' });
  const ntc = convert('resistance', { Conversion: 'ntc-beta', Ohm25: 10_000, Beta: 3435 });
  t.equal(ntc(10_000), 25);
  t.match(ntc(50_000_000), { reason: 'WIRE_BREAK' });
  t.match(ntc(1), { reason: 'OUT_OF_RANGE' });
  const table = convert('resistance', { Conversion: 'ntc-table', Table: '0:32554 25:10000' });
  t.match(table(40_000), { reason: 'OUT_OF_RANGE' });
});

t.test('settings that do not fit are named', async (t) => {
  const error = (settings: ConversionSettings, quantity?: 'voltage' | 'current' | 'temperature') =>
    String(conversionError('in_voltage0', settings, quantity) ?? '');
  t.equal(error({}), '');
  t.match(error({ Conversion: '4-20mA' }), /needs From and To/);
  t.match(error({ Conversion: '4-20mA', To: 1 }, 'voltage'), /set ShuntOhm/);
  t.equal(error({ Conversion: '4-20mA', To: 1 }, 'current'), '');
  t.match(error({ Conversion: '0-10V', To: 1 }, 'current'), /a channel that measures voltage/);
  t.match(error({ Conversion: 'pt100' }, 'temperature'), /resistance or voltage/);
  t.match(error({ Conversion: 'pt100' }, 'voltage'), /set SeriesOhm and SupplyV/);
  t.match(error({ Conversion: 'ntc-beta' }), /Ohm25 and Beta/);
  t.match(error({ Conversion: 'ntc-steinhart-hart' }), /coefficients A, B and C/);
  t.match(error({ Conversion: 'ntc-table', Table: '1:2' }), /Table of in_voltage0/);
});
