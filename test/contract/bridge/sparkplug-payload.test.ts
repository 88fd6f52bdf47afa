import t from 'tap';
import { decodePayload, encodePayload, type Payload } from '../../../drivers/bridge/sparkplug/payload.js';
import { protocText } from '../../tools/bridge/protoc.js';
import { hasProgram } from '../../tools/program.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { tempDirectory } from '../../tools/temp-directory.js';

const skip = hasProgram('protoc') ? false : 'protoc is not installed (Debian package protobuf-compiler)';

const SAMPLE: Payload = {
  timestamp: 1_700_000_000_123,
  seq: 255,
  metrics: [
    { name: 'bdSeq', alias: 1, timestamp: 5, dataType: 4, value: { kind: 'long', value: 7n } },
    { alias: 300, timestamp: 6, isHistorical: true, quality: 500, value: { kind: 'long', value: -1n } },
    { alias: 2, isNull: true, quality: 0 },
    { name: 'ä', dataType: 12, value: { kind: 'string', value: '' } },
    { value: { kind: 'double', value: -0.5 } },
    { value: { kind: 'float', value: 0.25 } },
    { value: { kind: 'int', value: -2 } },
    { value: { kind: 'boolean', value: false } },
  ],
};

t.test('what is encoded is decoded', async (t) => {
  t.strictSame(decodePayload(encodePayload(SAMPLE)), SAMPLE);
  t.strictSame(decodePayload(Buffer.alloc(0)), { metrics: [] });
});

t.test('protoc decodes the same', { skip }, async (t) => {
  const text = protocText(encodePayload(SAMPLE), await tempDirectory(t));
  const compact = text.replace(/\s+/g, ' ');
  t.match(compact, 'timestamp: 1700000000123');
  t.match(compact, 'metrics { name: "bdSeq" alias: 1 timestamp: 5 datatype: 4 long_value: 7 }');
  t.match(
    compact,
    'alias: 300 timestamp: 6 is_historical: true properties { keys: "Quality" values { type: 3 int_value: 500 } } long_value: 18446744073709551615',
  );
  t.match(compact, 'alias: 2 is_null: true properties { keys: "Quality" values { type: 3 int_value: 0 } }');
  t.match(compact, 'datatype: 12 string_value: ""');
  t.match(compact, 'double_value: -0.5');
  t.match(compact, 'float_value: 0.25');
  t.match(compact, 'int_value: 4294967294');
  t.match(compact, 'boolean_value: false');
  t.match(compact, 'seq: 255');
  t.notMatch(text, /^\s*\d+:/m, 'there is no unknown field');
});

const seed = fuzzSeed();
t.test(`hostile bytes (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const sample = encodePayload(SAMPLE);
  for (let n = 0; n < 20_000; n++) {
    const bytes = random.chance(0.5) ? random.bytes(random.below(60)) : Buffer.from(sample);
    for (let flips = random.below(4); flips > 0 && bytes.length > 0; flips--)
      bytes[random.below(bytes.length)] = random.below(256);
    const payload = decodePayload(bytes.subarray(0, random.below(bytes.length + 1)));
    if (payload !== undefined && !Array.isArray(payload.metrics)) t.fail('not a payload');
  }
  for (const bytes of ['12ffffffffffffffffff01', '0b', '08', '1a00', '12ff', '120b1803', '3d01', '6101'])
    decodePayload(Buffer.from(bytes, 'hex'));
  t.equal(decodePayload(Buffer.from('12ff', 'hex')), undefined);
  t.equal(decodePayload(Buffer.from('0b', 'hex')), undefined, 'groups are not used');
});
