import { randomBytes } from 'node:crypto';
import { meterTest } from '../../tools/devices/meter-fixture.js';
import { recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';
import { smlTelegram, type SmlValue } from '../../../drivers/meter/simulation/sml-telegram.js';
import { until } from '../../tools/until.js';

const recorded = (id: string) =>
  Buffer.from(recordedTelegrams('SML').find((one) => one.id === id)?.hex ?? '', 'hex');

/** A meter with its number, and the energy in tenths of watt-hours or complete kilowatt-hours. */
function telegram(number: number, energy: Partial<SmlValue>): Buffer {
  const serial = Buffer.from('0a0149534b0004000000', 'hex');
  return smlTelegram([
    { obis: [1, 0, 96, 1, 0, 255], bytes: Buffer.concat([serial.subarray(0, 9), Buffer.from([number])]) },
    { obis: [1, 0, 1, 8, 0, 255], scaler: -1, unit: 30, ...energy },
    { obis: [1, 0, 16, 7, 0, 255], number: -250, unit: 27 },
  ]);
}
const HIGH = telegram(1, { number: 12_345_678 });

await meterTest('a recorded telegram becomes variables, which are added by themselves', async (t, meters) => {
  const meter = await meters.add('SML Meter');
  const { fixture } = meters;
  await meters.sendUntil(meter, recorded('sml/DZG_DVS-7420.2V.G2_mtr2_neg'), ['POWER', -106.78]);
  t.equal(fixture.value(meter, 'ENERGY_IN'), 13.2329);
  t.equal(fixture.value(meter, 'ENERGY_OUT'), 1500.3214);
  t.equal(fixture.value(meter, 'SERIAL'), '1DZG0060694611');
  t.equal(fixture.quality(meter, 'POWER'), 'good');
  t.strictSame(meter.data.properties['Values'], ['ENERGY_IN', 'ENERGY_OUT', 'POWER']);
  t.match(fixture.devices.knownDevices(meter.id)[2], { Code: '1-0:1.8.0*255', Value: 13_232.9, Unit: 'Wh' });
});

await meterTest('values become stale when the meter falls silent', async (t, meters) => {
  const meter = await meters.add('SML Meter', { Values: ['POWER'], StaleAfterS: 30 });
  await meters.sendUntil(meter, HIGH, ['POWER', -250]);
  meters.clock.advance(29_000);
  t.equal(meters.fixture.quality(meter, 'POWER'), 'good');
  meters.clock.advance(3000);
  await meters.fixture.waitForQuality(meter, 'POWER', 'stale OVERDUE');
});

await meterTest('only listed values have variables if it does not learn', async (t, meters) => {
  const meter = await meters.add('SML Meter', { Values: ['POWER'], Learn: false });
  await meters.sendUntil(meter, HIGH, ['POWER', -250]);
  t.equal(meters.fixture.value(meter, 'ENERGY_IN'), undefined);
});

await meterTest('a count never goes down, except for another meter, which is reported', async (t, meters) => {
  const { fixture, line } = meters;
  const meter = await meters.add('SML Meter', { Values: ['ENERGY_IN', 'POWER'] });
  await meters.sendUntil(meter, HIGH, ['ENERGY_IN', 1234.5678]);
  line.send(telegram(1, { number: 12_345_000 }));
  t.equal(fixture.value(meter, 'ENERGY_IN'), 1234.5678, 'a lower count is not a value');
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'bad OUT_OF_RANGE');
  t.equal(fixture.quality(meter, 'POWER'), 'good');
  line.send(HIGH);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');
  line.send(telegram(1, { number: 1234, scaler: 3 }));
  t.equal(fixture.value(meter, 'ENERGY_IN'), 1234.5678, 'complete kilowatt-hours are the same count');
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');
  line.send(telegram(2, { number: 17 }));
  t.equal(fixture.value(meter, 'ENERGY_IN'), 0.0017);
  t.equal(fixture.value(meter, 'SERIAL'), '1ISK0067108866');
  t.match(fixture.devices.problems(meter.id), [{ code: 'METER_REPLACED' }]);
  meters.clock.advance(25 * 60 * 60 * 1000);
  t.strictSame(
    fixture.devices.problems(meter.id).filter(({ code }) => code === 'METER_REPLACED'),
    [],
    'for a day',
  );
});

await meterTest('the owner says that a meter without a number was replaced', async (t, meters) => {
  const { fixture, line } = meters;
  const without = (number: number) =>
    smlTelegram([{ obis: [1, 0, 1, 8, 0, 255], number, scaler: 0, unit: 30 }]);
  const meter = await meters.add('SML Meter', { Values: ['ENERGY_IN'] });
  await meters.sendUntil(meter, without(5000), ['ENERGY_IN', 5]);
  line.send(without(1000));
  t.equal(fixture.value(meter, 'ENERGY_IN'), 5);
  await fixture.change(meter, { Meter: 'new' });
  await fixture.waitForLink(meter, 'online');
  await meters.sendUntil(meter, without(1000), ['ENERGY_IN', 1]);
  t.equal(fixture.value(meter, 'SERIAL'), 'new');
});

await meterTest('the owner accepts lower counts of a meter that sends its number', async (t, meters) => {
  const { fixture, line } = meters;
  const meter = await meters.add('SML Meter', { Values: ['ENERGY_IN', 'POWER'] });
  await meters.sendUntil(meter, HIGH, ['ENERGY_IN', 1234.5678]);
  const overflowed = telegram(1, { number: 17_000 });
  line.send(overflowed);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'bad OUT_OF_RANGE');
  await fixture.change(meter, { Meter: 'overflow 1' });
  await fixture.waitForLink(meter, 'online');
  await meters.sendUntil(meter, overflowed, ['ENERGY_IN', 1.7]);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');
  t.equal(fixture.value(meter, 'SERIAL'), 'overflow 1');
  line.send(telegram(1, { number: 16_000 }));
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'bad OUT_OF_RANGE', 'once');
});

await meterTest('torn, doubled and disturbed telegrams are no values; the next one is', async (t, meters) => {
  const { fixture, line } = meters;
  const meter = await meters.add('SML Meter', { Values: ['ENERGY_IN', 'POWER'] });
  await meters.sendUntil(meter, HIGH, ['ENERGY_IN', 1234.5678]);
  const seen = fixture.watch(meter, 'ENERGY_IN');
  const next = telegram(1, { number: 12_345_679 });
  const wrong = Buffer.from(next);
  wrong[next.length - 30] = (wrong[next.length - 30] ?? 0) ^ 0x10;
  line.send(wrong);
  await until('the problem', () => /checksum/.test(fixture.status(meter)));
  for (let cut = 1; cut < next.length; cut += 3) line.send(next.subarray(0, cut));
  line.send(randomBytes(20_000));
  t.strictSame(seen, [], 'none of them is a value');
  line.send(Buffer.concat([next, next]));
  t.strictSame(seen, [1234.5679, 1234.5679]);
});

await meterTest('a value that no meter has is a configuration error', async (t, meters) => {
  const meter = await meters.fixture.add('SML Meter', { Values: ['ENERGY', 'SPEED'] });
  t.match(meters.fixture.status(meter), /Values has SPEED, which no meter has/);
});
