import { meterTest, type MeterFixture } from '../../tools/devices/meter-fixture.js';
import { recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';

const recorded = (id: string) =>
  Buffer.from(recordedTelegrams('MBUS').find((one) => one.id === `mbus/${id}`)?.hex ?? '', 'hex');

const HEAT = recorded('kamstrup_multical_601');
const PORT = { BaudRate: '2400', Parity: 'Even' };
const QUIET = { Values: ['ENERGY'], Learn: false, EveryS: 60 };

/** A meter that replies to requests: by its primary address, or after it was selected. */
function simulateMeter(meters: MeterFixture, { reply, select }: { reply: () => Buffer[]; select?: string }) {
  const requests: string[] = [];
  let isSelected = false;
  let next = 0;
  meters.line.onReceived.on((bytes) => {
    const hex = bytes.toString('hex');
    requests.push(hex);
    const answer = (data: Buffer | undefined) =>
      data !== undefined && meters.clock.after(30, () => meters.line.send(data));
    if (hex.startsWith('1040')) answer(Buffer.from([0xe5]));
    else if (hex.startsWith('680b0b6853fd52')) {
      isSelected = hex.slice(14, 30) === select;
      next = 0;
      if (isSelected) answer(Buffer.from([0xe5]));
    } else if (bytes[2] !== 0xfd || isSelected) {
      const all = reply();
      answer(all[next++ % all.length]);
    }
  });
  return requests;
}

/** Lets time pass until the meter has the energy. */
async function waitForEnergy(
  meters: MeterFixture,
  meter: Parameters<MeterFixture['fixture']['value']>[0],
  value: number,
) {
  for (let n = 0; n < 600 && meters.fixture.value(meter, 'ENERGY') !== value; n++) await meters.pass(200);
}

await meterTest('a meter with a primary address', async (t, meters) => {
  const { fixture } = meters;
  const requests = simulateMeter(meters, { reply: () => [HEAT] });
  const meter = await meters.add('M-Bus Meter', { Address: 17, EveryS: 60 }, PORT);
  await waitForEnergy(meters, meter, 37_351);
  t.equal(fixture.value(meter, 'ENERGY'), 37_351);
  t.equal(fixture.value(meter, 'SERIAL'), '06855817');
  t.equal(fixture.value(meter, 'FLOW_TEMPERATURE'), 101.69);
  t.equal(fixture.value(meter, 'ENERGY_S1'), undefined, 'stored values are not added');
  t.strictSame(requests.slice(0, 2), ['1040115116', '107b118c16']);
});

await meterTest('a meter that is selected by its number', async (t, meters) => {
  simulateMeter(meters, { reply: () => [HEAT], select: '17588506ffffffff' });
  const meter = await meters.add('M-Bus Meter', { Number: '06855817', ...QUIET }, PORT);
  await waitForEnergy(meters, meter, 37_351);
  t.equal(meters.fixture.value(meter, 'ENERGY'), 37_351);
});

await meterTest('two meters on one bus are requested one after another', async (t, meters) => {
  const water = recorded('els_falcon');
  simulateMeter(meters, { reply: () => [] });
  let pending = 0;
  let most = 0;
  meters.line.onReceived.on((bytes) => {
    if (bytes[1] === 0x40) return;
    most = Math.max(most, ++pending);
    const reply = bytes[2] === 17 ? HEAT : water;
    meters.clock.after(60, () => {
      pending -= 1;
      meters.line.send(reply);
    });
  });
  const heat = await meters.add('M-Bus Meter', { Address: 17, ...QUIET }, PORT);
  const cold = await meters.add('M-Bus Meter', { Address: 1, Values: ['WATER'], Learn: false });
  await waitForEnergy(meters, heat, 37_351);
  await meters.pass(5000);
  t.equal(meters.fixture.value(cold, 'WATER'), 1234.567);
  t.equal(meters.fixture.value(heat, 'ENERGY'), 37_351);
  t.equal(most, 1);
});

await meterTest('disturbed, foreign and missing replies are no values', async (t, meters) => {
  const { fixture } = meters;
  const wrong = Buffer.from(HEAT);
  wrong[60] = (wrong[60] ?? 0) ^ 4;
  let reply = wrong;
  simulateMeter(meters, { reply: () => [reply] });
  const meter = await meters.add('M-Bus Meter', { Address: 17, ...QUIET }, PORT);
  await meters.pass(30_000);
  t.equal(fixture.quality(meter, 'ENERGY'), 'bad NO_VALUE');
  reply = recorded('sen_pollutherm');
  await meters.pass(130_000);
  t.equal(fixture.quality(meter, 'ENERGY'), 'bad UNAVAILABLE', 'a reply of another address');
  t.match(fixture.status(meter), /does not respond .*2400 8E1/);
  reply = HEAT;
  await waitForEnergy(meters, meter, 37_351);
  t.equal(fixture.quality(meter, 'ENERGY'), 'good');
});

await meterTest('the request of a silent meter may take longer than a command', async (t, meters) => {
  const { fixture, line } = meters;
  let requests = 0;
  line.onReceived.on(() => (requests += 1));
  const properties = { Address: 17, ...QUIET, EveryS: 3600, TimeoutMs: 4000 };
  const meter = await meters.add('M-Bus Meter', properties, PORT);
  await meters.pass(60_000);
  t.equal(requests, 4, 'the initialisation, and three requests');
  const requested = t.resolves(fixture.devices.refresh(meter.id, 'ENERGY'));
  await meters.pass(60_000);
  await requested;
  t.strictSame([requests, fixture.value(meter, 'LINK')], [8, 'online']);
  t.equal(fixture.quality(meter, 'ENERGY'), 'bad UNAVAILABLE');
});

await meterTest('a number of another length is a configuration error', async (t, meters) => {
  const meter = await meters.fixture.add('M-Bus Meter', { Number: '123' });
  t.match(meters.fixture.status(meter), /Number is 123; it must have 8 or 16 hexadecimal digits/);
});
