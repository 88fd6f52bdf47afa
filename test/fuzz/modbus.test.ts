import t from 'tap';
import { rtuFrame } from '../tools/devices/fake-modbus-units.js';
import { ModbusFixture } from '../tools/devices/modbus-fixture.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';

/** Data of a disturbed line: noise, partial frames, frames of others, impossible lengths. */
function noise(random: Random): Buffer {
  const frame = rtuFrame(1 + random.below(3), Buffer.from([3, 6, ...random.bytes(6)]));
  switch (random.below(5)) {
    case 0:
      return random.bytes(random.below(60));
    case 1:
      return frame.subarray(0, random.below(frame.length));
    case 2:
      return frame;
    case 3:
      return Buffer.from([1, 3, 2, random.below(256)]);
    default:
      return Buffer.alloc(random.below(3000), random.below(4));
  }
}

const seed = fuzzSeed();
await t.test(
  `a disturbed line causes no wrong values, and polling continues (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const modbus = new ModbusFixture();
    const unit = modbus.line.unit(1, { 0: 1000, 1: 2000 });
    const gateway = await modbus.gateway(1, { Retries: 5 });
    const addresses = [await modbus.register(gateway, 0), await modbus.register(gateway, 1)];
    const seen = addresses.map((address) => modbus.fixture.watch(address, 'Value'));
    // With some seeds the noise contains no complete reply.
    await modbus.waitFor('a value of each', () => seen.every(({ length }) => length > 0));
    for (let round = 0; round < 400; round++) {
      unit.behaviour = random.pick([
        'answers',
        'answers',
        'garbled',
        'silent',
        'alien',
        { exception: 4 },
      ] as const);
      unit.delayMs = random.below(250);
      await modbus.pass(2 * (1 + random.below(100)));
      modbus.far.send(noise(random));
    }
    t.strictSame(
      seen.map((values) => [...new Set(values)]),
      [[1000], [2000]],
      'only values of the unit',
    );
    Object.assign(unit, { behaviour: 'answers', delayMs: 5 });
    unit.registers.set(0, 1001);
    await modbus.waitForValue(addresses[0] ?? gateway, 1001);
    await modbus.waitForQuality(addresses[1] ?? gateway, 'good');
    await modbus[Symbol.asyncDispose]();
    modbus.line.close();
    t.equal(modbus.clock.pendingTimers, 0, 'no timer is left');
  },
);
