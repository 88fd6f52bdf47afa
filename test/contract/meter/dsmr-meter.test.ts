import { MeterFixture, meterTest } from '../../tools/devices/meter-fixture.js';
import { recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';

const recorded = (id: string) =>
  Buffer.from(recordedTelegrams('DSMR').find((one) => one.id === `dsmr/${id}`)?.hex ?? '', 'hex');

await meterTest('a telegram of DSMR 4 with a gas meter', async (t) => {
  await using meters = new MeterFixture(Date.UTC(2016, 10, 29, 19, 10));
  const { fixture } = meters;
  const meter = await meters.add('DSMR Meter');
  await meters.sendUntil(meter, recorded('v4_2'), ['POWER', 2027]);
  const values = Object.fromEntries(
    ['ENERGY_IN_T1', 'ENERGY_IN_T2', 'ENERGY_OUT_T1', 'TARIFF', 'CURRENT_L2', 'POWER_L3', 'GAS_1'].map(
      (ident) => [ident, fixture.value(meter, ident)],
    ),
  );
  t.strictSame(values, {
    ENERGY_IN_T1: 1581.123,
    ENERGY_IN_T2: 1435.706,
    ENERGY_OUT_T1: 0,
    TARIFF: 2,
    CURRENT_L2: 6,
    POWER_L3: 209,
    GAS_1: 981.443,
  });
  t.equal(fixture.value(meter, 'SERIAL'), '3960221976967177082151037881335713');
  t.equal(fixture.value(meter, 'SERIAL_1'), '4819243993373755377509728609491464');
  t.equal(fixture.quality(meter, 'GAS_1'), 'good');
});

await meterTest('a gas value that is too old is stale, by the time of its telegram', async (t) => {
  await using meters = new MeterFixture(Date.UTC(2016, 10, 30, 19, 10));
  const { fixture } = meters;
  const meter = await meters.add('DSMR Meter', { Values: ['GAS_1', 'POWER'] });
  await meters.sendUntil(meter, recorded('v4_2'), ['GAS_1', 981.443]);
  t.equal(fixture.quality(meter, 'GAS_1'), 'stale OVERDUE');
  t.equal(fixture.quality(meter, 'POWER'), 'good');
});

await meterTest('feed-in, volts and water of other countries', async (t, meters) => {
  const { fixture } = meters;
  const meter = await meters.add('DSMR Meter');
  await meters.sendUntil(meter, recorded('v5_eon_hu'), ['POWER', -2601]);
  t.equal(fixture.value(meter, 'ENERGY_OUT'), 627.177);
  t.equal(fixture.value(meter, 'VOLTAGE_L3'), 241.2);
  t.equal(fixture.value(meter, 'FREQUENCY'), 50);
  t.equal(fixture.value(meter, 'REACTIVE_OUT'), 303.131);
  t.equal(fixture.value(meter, 'SERIAL'), '890082200002160');
});

await meterTest('the meters of Fluvius: gas and water, with their numbers', async (t, meters) => {
  const { fixture } = meters;
  const meter = await meters.add('DSMR Meter');
  await meters.sendUntil(meter, recorded('fluvius_v171'), ['WATER_2', 872.234]);
  t.equal(fixture.value(meter, 'GAS_1'), 112.384);
  t.equal(fixture.value(meter, 'SERIAL'), '1SAG3101021605');
  t.equal(fixture.value(meter, 'SERIAL_1'), '7FLO2119033733');
  t.equal(fixture.value(meter, 'SERIAL_2'), '8SAG1234567890');
});

await meterTest('heat behind a converter is in kilowatt-hours', async (t, meters) => {
  const meter = await meters.add('DSMR Meter');
  await meters.sendUntil(meter, recorded('unpadded_crc'), ['ENERGY_1', 66_905.5555555556]);
  t.equal(meters.fixture.value(meter, 'SERIAL'), 'ADC3100000158491');
});

await meterTest('telegrams without a checksum need consent, and a second one', async (t, meters) => {
  const { fixture, line } = meters;
  const telegram = recorded('v3');
  const meter = await meters.add('DSMR Meter', { Values: ['POWER', 'GAS_1'], Learn: false });
  line.send(telegram);
  line.send(telegram);
  t.equal(fixture.quality(meter, 'POWER'), 'bad NO_VALUE');
  t.match(fixture.status(meter), /without a checksum was dropped; .* set AcceptUnchecked/);
  await fixture.change(meter, { AcceptUnchecked: true });
  await fixture.waitForLink(meter, 'online');
  line.send(telegram);
  t.equal(fixture.quality(meter, 'POWER'), 'bad NO_VALUE', 'the first one');
  line.send(telegram);
  t.equal(fixture.value(meter, 'POWER'), 1190);
  t.equal(fixture.value(meter, 'GAS_1'), 1.001);
  line.send(recorded('v4_2'));
  line.send(telegram);
  line.send(telegram);
  t.equal(fixture.value(meter, 'POWER'), 2027, 'a meter that has sent a checksum always sends one');
  t.match(fixture.status(meter), /with a wrong checksum was dropped/, 'no advice to accept it');
});
