import t from 'tap';
import { RtuRequestParser, TcpRequestParser } from '../../drivers/modbus/server/request-frames.js';
import { ServedTables } from '../../drivers/modbus/server/served-tables.js';
import { RegisterMapStub } from '../tools/devices/register-map-stub.js';
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

/** Mutated requests per protocol; nightly: `ROUNDS=1000000 node dist/test/run.js fuzz/modbus`. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 3000);
const requests = [
  Buffer.from([3, 0, 0, 0, 2]),
  Buffer.from([1, 0, 0, 0, 9]),
  Buffer.from([5, 0, 1, 0xff, 0]),
  Buffer.from([6, 0, 1, 0, 7]),
  Buffer.from([15, 0, 0, 0, 9, 2, 0xff, 1]),
  Buffer.from([16, 0, 0, 0, 2, 4, 1, 2, 3, 4]),
];
const mbap = (pdu: Buffer) => Buffer.concat([Buffer.from([0, 7, 0, 0, 0, pdu.length + 1, 1]), pdu]);

/** A request with inverted, missing or additional bytes. */
function mutated(random: Random, frame: Buffer): Buffer {
  const bytes = Buffer.from(frame);
  const at = random.below(bytes.length);
  switch (random.below(4)) {
    case 0:
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      return bytes;
    case 1:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4))]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), random.bytes(random.below(20)), bytes.subarray(at)]);
    default:
      return bytes;
  }
}

const serverSeed = fuzzSeed();
t.test(`a server accepts requests with a correct checksum only (${seedLabel(serverSeed)})`, async (t) => {
  const random = new Random(serverSeed);
  const map = new RegisterMapStub();
  const tables = new ServedTables(map.map, map);
  const { signal } = new AbortController();
  const tcp = new TcpRequestParser();
  const rtu = new RtuRequestParser(1);
  let recent = Buffer.alloc(0);
  let wrong = 0;
  let count = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const pdu = random.pick(requests);
    const bytes = mutated(random, rtuFrame(1, pdu));
    recent = Buffer.concat([recent.subarray(-1024), bytes]);
    for (const found of rtu.push(bytes)) {
      count += 1;
      if (!recent.includes(rtuFrame(1, found.pdu))) wrong += 1;
      const reply = await tables.reply(found.pdu, signal);
      if (reply.length < 2 || reply.length > 253) wrong += 1;
    }
    for (const found of tcp.push(mutated(random, mbap(pdu)))) {
      const reply = await tables.reply(found.pdu, signal);
      if (reply.length < 2 || reply.length > 253) wrong += 1;
    }
  }
  t.equal(wrong, 0);
  t.ok(count > ROUNDS / 10, `${count} requests`);
  // Whatever preceded, a request is read after at most two that were swallowed.
  rtu.push(Buffer.alloc(600));
  tcp.push(Buffer.alloc(600, 0xff));
  const frame = rtuFrame(1, requests[0] ?? Buffer.alloc(0));
  t.ok([frame, frame, frame].flatMap((one) => rtu.push(one)).length > 0);
  t.equal(tcp.push(mbap(requests[0] ?? Buffer.alloc(0))).length, 1);
});

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
