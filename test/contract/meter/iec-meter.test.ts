import type { Instance } from '../../../src/kernel/instances.js';
import { meterTest, type MeterFixture } from '../../tools/devices/meter-fixture.js';
import { recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';
import { dataBlock, SimulatedIecMeter } from '../../tools/meters/simulated-iec-meter.js';

const VALUES = { Values: ['ENERGY_IN', 'POWER'], Learn: false };
const REQUEST = { Mode: 'request', EveryS: 60, ...VALUES };
const DATA = ['C.1(12345678)', '1.8.0(0008048.375*kWh)', '1-0:16.7.0*255(-00.120*kW)'];

const recorded = (id: string) =>
  Buffer.from(recordedTelegrams('D0').find((one) => one.id === `d0/${id}`)?.hex ?? '', 'hex');

/** Lets time pass until the meter has the energy. */
async function waitForEnergy(meters: MeterFixture, meter: Instance, value: number): Promise<void> {
  for (let s = 0; s < 600 && meters.fixture.value(meter, 'ENERGY_IN') !== value; s++) await meters.pass(500);
}

for (const [mode, identification, requests] of [
  ['C', 'ISk5MT174-0001', ['300 "/?!\\r\\n"', String.raw`300 "\u0006050\r\n"`]],
  ['C, limited by the head', 'ISk6MT174-0001', ['300 "/?!\\r\\n"', String.raw`300 "\u0006040\r\n"`]],
  ['B', 'ACEE\\3k260V01.19', ['300 "/?!\\r\\n"']],
  ['A', 'SIE#xyz', ['300 "/?!\\r\\n"']],
] as const)
  await meterTest(`mode ${mode}: a readout on request`, async (t, meters) => {
    const { fixture, line } = meters;
    const device = new SimulatedIecMeter(meters, identification, dataBlock(DATA));
    const meter = await meters.add(
      'IEC 62056-21 Meter',
      { ...REQUEST, MaxBaud: mode.includes('head') ? 4800 : 9600 },
      { BaudRate: '300', DataBits: '7', Parity: 'Even' },
    );
    await waitForEnergy(meters, meter, 8048.375);
    t.equal(fixture.value(meter, 'ENERGY_IN'), 8048.375);
    t.equal(fixture.value(meter, 'POWER'), -120);
    t.equal(fixture.value(meter, 'SERIAL'), '12345678');
    t.strictSame(device.requests, requests);
    t.equal(line.settings?.baudRate, 300, 'for the next request');
    device.data = dataBlock(DATA.map((one) => one.replace('8048.375', '8049.000')));
    await waitForEnergy(meters, meter, 8049);
    t.equal(fixture.value(meter, 'ENERGY_IN'), 8049, 'every minute');
  });

await meterTest('a meter that stops responding is unavailable, and returns', async (t, meters) => {
  const { fixture } = meters;
  const device = new SimulatedIecMeter(meters, 'ISk5MT174-0001', dataBlock(DATA));
  const meter = await meters.add('IEC 62056-21 Meter', REQUEST, { BaudRate: '300' });
  await waitForEnergy(meters, meter, 8048.375);
  device.isSilent = true;
  await meters.pass(130_000);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good', 'two failures are tolerated');
  await meters.pass(120_000);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'bad UNAVAILABLE');
  t.match(fixture.status(meter), /does not respond .*check the reading head/);
  t.equal(fixture.value(meter, 'LINK'), 'online');
  device.isSilent = false;
  await meters.pass(70_000);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'good');
});

await meterTest('a requested readout may take longer than a command', async (t, meters) => {
  const { fixture, line, clock } = meters;
  let requests = 0;
  const bytes = dataBlock(DATA);
  line.onReceived.on(() => {
    requests += 1;
    clock.after(500, () => line.send(Buffer.from('/SIE#xyz\r\n')));
    for (let at = 0; at < bytes.length; at += 4)
      clock.after(1000 + at * 250, () => line.send(bytes.subarray(at, at + 4)));
  });
  const meter = await meters.add('IEC 62056-21 Meter', { ...REQUEST, EveryS: 3600 }, { BaudRate: '300' });
  await waitForEnergy(meters, meter, 8048.375);
  const requested = t.resolves(fixture.devices.refresh(meter.id, 'ENERGY_IN'));
  const seen = fixture.watch(meter, 'ENERGY_IN');
  await meters.pass(15_000);
  await requested;
  t.strictSame([seen.length, requests, fixture.value(meter, 'LINK')], [0, 2, 'online']);
  await meters.pass(30_000);
  t.strictSame([seen.length, requests, fixture.value(meter, 'LINK')], [1, 2, 'online']);
});

await meterTest('a readout with a wrong block check is no value', async (t, meters) => {
  const { fixture } = meters;
  const wrong = dataBlock(DATA);
  wrong[wrong.length - 1] = (wrong.at(-1) ?? 0) ^ 1;
  const device = new SimulatedIecMeter(meters, 'ISk5MT174-0001', wrong);
  const meter = await meters.add('IEC 62056-21 Meter', REQUEST, { BaudRate: '300' });
  await meters.pass(30_000);
  t.equal(fixture.quality(meter, 'ENERGY_IN'), 'bad NO_VALUE');
  t.equal(meters.line.settings?.baudRate, 300);
  device.data = dataBlock(DATA);
  await waitForEnergy(meters, meter, 8048.375);
  t.equal(fixture.value(meter, 'ENERGY_IN'), 8048.375);
});

await meterTest('closing during a readout restores the baud rate', async (t, meters) => {
  const { fixture } = meters;
  const device = new SimulatedIecMeter(meters, 'ISk5MT174-0001', dataBlock(DATA));
  const meter = await meters.add('IEC 62056-21 Meter', REQUEST, { BaudRate: '300' });
  await meters.pass(700);
  t.equal(device.requests.length, 2);
  t.equal(meters.line.settings?.baudRate, 9600);
  await fixture.change(meter, { EveryS: 30 });
  await fixture.waitForLink(meter, 'online');
  await waitForEnergy(meters, meter, 8048.375);
  t.equal(fixture.value(meter, 'ENERGY_IN'), 8048.375);
});

await meterTest(
  'mode D: a meter that sends by itself, with stored values that are not used',
  async (t, meters) => {
    const meter = await meters.add('IEC 62056-21 Meter');
    await meters.sendUntil(meter, recorded('SerialRequestResponseD0WithAck2#6'), ['POWER', 908]);
    t.equal(meters.fixture.value(meter, 'ENERGY_IN'), 8048.375);
    t.equal(meters.fixture.value(meter, 'SERIAL'), '63355730');
  },
);

await meterTest('a meter without a block check and without units', async (t, meters) => {
  const { fixture } = meters;
  const meter = await meters.add('IEC 62056-21 Meter', { AcceptUnchecked: true });
  await meters.sendUntil(meter, recorded('SerialResponseD0FastSend#9'), ['ENERGY_IN_T1', 32_942.0234]);
  t.equal(fixture.value(meter, 'SERIAL'), '331200-5009810');
  const heat = recorded('SerialRequestResponseD0WithAck#5');
  await meters.sendUntil(meter, heat, ['ENERGY', 29_055]);
  t.equal(fixture.value(meter, 'VOLUME'), 1589.28);
});
