import t from 'tap';
import { PACKET_LIMIT, PacketReader } from '../../../drivers/mqtt/packet-reader.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';

t.test('a stream is split into packets, however it is divided into chunks', (t) => {
  const seed = fuzzSeed();
  const random = new Random(seed);
  const header = (size: number): Buffer => {
    const length: number[] = [];
    for (let left = size; ; left = Math.floor(left / 128)) {
      length.push(left >= 128 ? (left % 128) + 128 : left);
      if (left < 128) break;
    }
    return Buffer.from([0x30, ...length]);
  };
  const packet = (size: number) => Buffer.concat([header(size), random.bytes(size)]);
  const read = (bytes: Buffer): Buffer[] => {
    const reader = new PacketReader();
    const found: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      const size = 1 + random.below(random.chance(0.5) ? 3 : 500);
      reader.feed(bytes.subarray(at, at + size));
      for (let next = reader.next(); next !== undefined; next = reader.next()) found.push(next);
      at += size;
    }
    return found;
  };
  for (let round = 0; round < 100; round += 1) {
    const packets = Array.from({ length: 1 + random.below(8) }, () =>
      packet(random.pick([0, 1, 127, 128, 300, 999, 20_000])),
    );
    const found = read(Buffer.concat(packets));
    const isSame = found.length === packets.length && found.every((one, n) => one.equals(packets[n] ?? one));
    if (!isSame) t.fail(`${seedLabel(seed)} ${packets.map(({ length }) => length).join(' ')}`);
  }
  t.equal(read(packet(2_097_152)).length, 1, 'four bytes of length');
  t.same(read(header(PACKET_LIMIT)), [], 'still incomplete');
  t.throws(() => read(header(PACKET_LIMIT + 1)), { code: 149 });
  t.throws(() => read(Buffer.from([0x90, 0xff, 0xff, 0x7f])), { code: 149 }, 'larger than any SUBACK');
  t.throws(() => read(Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff])), { code: 129 });
  t.end();
});
