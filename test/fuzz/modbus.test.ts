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
    const scene = new ModbusFixture();
    const unit = scene.line.unit(1, { 0: 1000, 1: 2000 });
    const gateway = await scene.gateway(1, { Retries: 5 });
    const addresses = [await scene.register(gateway, 0), await scene.register(gateway, 1)];
    const seen = addresses.map((address) => scene.fixture.watch(address, 'Value'));
    // With some seeds the noise contains no complete reply.
    await scene.waitFor('a value of each', () => seen.every(({ length }) => length > 0));
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
      await scene.pass(2 * (1 + random.below(100)));
      scene.far.send(noise(random));
    }
    t.strictSame(
      seen.map((values) => [...new Set(values)]),
      [[1000], [2000]],
      'only values of the unit',
    );
    Object.assign(unit, { behaviour: 'answers', delayMs: 5 });
    unit.registers.set(0, 1001);
    await scene.waitForValue(addresses[0] ?? gateway, 1001);
    await scene.waitForQuality(addresses[1] ?? gateway, 'good');
    await scene[Symbol.asyncDispose]();
    scene.line.close();
    t.equal(scene.clock.pendingTimers, 0, 'no timer is left');
  },
);
