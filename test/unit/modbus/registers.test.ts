import t from 'tap';
import { ascii } from '../../../drivers/modbus/ascii.js';
import { decode, encode, type RegisterLayout } from '../../../drivers/modbus/codec.js';
import { crc16, lrc } from '../../../drivers/modbus/checksums.js';
import type { Framing } from '../../../drivers/modbus/framing.js';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { coalesceReads, extractPart } from '../../../drivers/modbus/coalesce-reads.js';
import {
  coilRequest,
  describeException,
  readRequest,
  registerRequest,
  type PduRequest,
} from '../../../drivers/modbus/pdu.js';
import { rtu } from '../../../drivers/modbus/rtu.js';
import { tcp } from '../../../drivers/modbus/tcp.js';
import { dataTypes } from '../../../drivers/modbus/data-types.js';
import { variableType, type Value } from '../../../src/device/module.js';
import { defaultsOf, validateProperties } from '../../../src/device/properties.js';
import { rtuFrame, bitwiseCrc } from '../../tools/devices/fake-modbus-units.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { registerMaps } from '../../tools/devices/register-maps.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

await t.test('requests are encoded as specified', async (t) => {
  const sent = (request: PduRequest, unit = 1) =>
    rtu.encode({ unit, request, transaction: 0 }).toString('hex');
  t.equal(sent(readRequest(3, 0, 10)), '01030000000ac5cd');
  t.equal(sent(readRequest(3, 0x6b, 3), 17), '1103006b00037687');
  t.equal(sent(coilRequest(5, 0xac, true), 17), '110500acff004e8b');
  t.equal(sent(registerRequest(6, 1, hex('0003')), 17), '1106000100039a9b');
  t.equal(sent(registerRequest(16, 1, hex('000a0102')), 17), '1110000100020400 0a0102c6f0'.replace(' ', ''));
  t.equal(coilRequest(15, 0x13, true).pdu.toString('hex'), '0f001300010101');
  t.equal(coilRequest(15, 0x13, false).pdu.toString('hex'), '0f001300010100');
  t.equal(coilRequest(5, 0x13, false).pdu.toString('hex'), '0500130000');
  const request = readRequest(4, 8, 1);
  t.equal(
    tcp.encode({ unit: 255, request, transaction: 0x1234 }).toString('hex'),
    '123400000006ff0400080001',
  );
  t.equal(
    ascii.encode({ unit: 247, request: readRequest(3, 0x1389, 10), transaction: 0 }).toString(),
    ':F7031389000A60\r\n',
  );
  t.match(describeException(2), /^exception 2, illegal data address/);
  t.match(describeException(99), /^exception 99, which the protocol does not define/);
});

await t.test('checksums match a bitwise calculation', async (t) => {
  const random = new Random(fuzzSeed());
  t.equal(crc16(hex('0207')), 0x1241, 'the example of the protocol');
  for (let round = 0; round < 300; round++) {
    const bytes = random.bytes(random.below(260));
    t.equal(crc16(bytes), bitwiseCrc(bytes));
    t.equal(lrc(Buffer.concat([bytes, Buffer.from([lrc(bytes)])])), 0);
  }
});

/** Searches received chunks for a reply; undefined if there is none. */
function found(framing: Framing, chunks: readonly Buffer[], requests: Parameters<Framing['findReply']>[1]) {
  let held = Buffer.alloc(0);
  for (const chunk of chunks) {
    held = Buffer.concat([held, chunk]);
    const { pdu, consumed: used } = framing.findReply(held, requests);
    if (pdu !== undefined) return pdu.toString('hex');
    held = held.subarray(used);
  }
  return undefined;
}

const framings: readonly (readonly [string, Framing])[] = [
  ['RTU', rtu],
  ['TCP', tcp],
  ['ASCII', ascii],
];

/** A reply as the unit would send it. */
function answered(framing: Framing, unit: number, [pdu, transaction]: readonly [Buffer, number]): Buffer {
  if (framing === rtu) return rtuFrame(unit, pdu);
  if (framing === tcp) {
    const head = Buffer.from([transaction >> 8, transaction & 255, 0, 0, 0, pdu.length + 1, unit]);
    return Buffer.concat([head, pdu]);
  }
  const bytes = Buffer.from([unit, ...pdu]);
  const sum = bytes.reduce((before, byte) => before + byte, 0);
  return Buffer.from(
    `:${bytes.toString('hex')}${((256 - (sum % 256)) % 256).toString(16).padStart(2, '0')}\r\n`,
  );
}

/** Divides bytes at random. */
function cut(random: Random, bytes: Buffer): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + random.below(9);
    chunks.push(bytes.subarray(at, end));
    at = end;
  }
  return chunks;
}

const seed = fuzzSeed();
await t.test(
  `replies are found in any division into chunks, after other replies (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    for (const [name, framing] of framings)
      for (let round = 0; round < 300; round++) {
        const unit = 1 + random.below(247);
        const transaction = random.below(0x10000);
        const count = 1 + random.below(125);
        const isRead = random.chance(0.6);
        const request = isRead
          ? readRequest(random.pick([3, 4] as const), random.below(1000), count)
          : registerRequest(16, random.below(1000), random.bytes(2 * random.below(60) + 2));
        const isException = random.chance(0.2);
        const pdu = isException
          ? Buffer.from([request.functionCode | 0x80, 1 + random.below(11)])
          : isRead
            ? Buffer.concat([Buffer.from([request.functionCode, 2 * count]), random.bytes(2 * count)])
            : request.pdu.subarray(0, 5);
        const late = readRequest(3, 7, 1);
        const before = [
          // Of another unit, of another length, to another write, of an earlier transaction.
          answered(framing, (unit % 247) + 1, [pdu, transaction]),
          answered(framing, unit, [Buffer.from([late.functionCode, 4, 1, 2, 3, 4]), transaction ^ 1]),
          answered(framing, unit, [hex('100fff0001'), transaction ^ 1]),
        ].filter(() => random.chance(0.5));
        const bytes = Buffer.concat([
          ...before,
          answered(framing, unit, [pdu, transaction]),
          random.bytes(3),
        ]);
        const requests = { unit, request, transaction };
        // Without transactions a late reply of the same length is indistinguishable: the bus handles that.
        if (isRead && count === 2) continue;
        const expected = pdu.toString('hex');
        t.equal(
          found(framing, cut(random, bytes), requests),
          expected,
          `${name} ${request.pdu.toString('hex')}`,
        );
      }
  },
);

await t.test(`garbage contains no reply, and little of it is buffered (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const wrong: string[] = [];
  for (const [name, framing] of framings)
    for (let round = 0; round < 300; round++) {
      const request = readRequest(random.pick([1, 3] as const), 0, 1 + random.below(100));
      const requests = { unit: 1 + random.below(3), request, transaction: random.below(3) };
      const length = random.below(2000);
      const bytes =
        framing === ascii
          ? Buffer.from(Array.from({ length }, () => random.pick([...':0123456789ABCDEF\r\nx'])).join(''))
          : Buffer.from(Array.from({ length }, () => random.pick([0, 1, 2, 3, 4, 200, 255])));
      let kept = 0;
      let held = Buffer.alloc(0);
      for (const chunk of cut(random, bytes)) {
        held = Buffer.concat([held, chunk]);
        const { pdu, consumed: used } = framing.findReply(held, requests);
        const isAnswer =
          pdu === undefined || pdu[0] === (request.functionCode | 0x80) || pdu.length === request.replyLength;
        if (!isAnswer || used < 0 || used > held.length) wrong.push(`${name} ${bytes.toString('hex')}`);
        held = held.subarray(used);
        kept = Math.max(kept, held.length);
      }
      if (framing !== ascii && kept > framing.maxFrameLength + 9) wrong.push(`${name} keeps ${kept}`);
    }
  t.strictSame(wrong, []);
});

const layoutOf = (name: string, more: Partial<RegisterLayout> = {}): RegisterLayout => {
  const type = dataTypes.find((one) => one.name === name);
  if (type === undefined) throw new Error(name);
  const registers = type.registers ?? 4;
  return { type, registers, factor: undefined, swapBytes: false, swapWords: false, ...more };
};

await t.test('values are decoded from registers', async (t) => {
  const read = (name: string, digits: string, more?: Partial<RegisterLayout>) =>
    decode(layoutOf(name, more), hex(digits));
  t.equal(read('UInt16', 'ffff'), 65_535);
  t.equal(read('Int16', 'fffe'), -2);
  t.equal(read('UInt8MSB', '12ff'), 0x12);
  t.equal(read('UInt8LSB', '12ff'), 0xff);
  t.equal(read('Int8MSB', 'ff01'), -1);
  t.equal(read('Int8LSB', '01ff'), -1);
  t.equal(read('UInt32', '0001 0002'), 65_538);
  t.equal(read('UInt32', '0002 0001', { swapWords: true }), 65_538);
  t.equal(read('UInt32', '0100 0200', { swapBytes: true }), 65_538);
  t.equal(read('UInt32', '0200 0100', { swapBytes: true, swapWords: true }), 65_538);
  t.equal(read('Int32', 'ffff fffe'), -2);
  t.equal(read('Float32', '4366 199a'), 230.1, 'as intended, not 230.10000610351562');
  t.equal(read('Float32', '199a 4366', { swapWords: true }), 230.1);
  t.equal(read('Float64', '406c c333 3333 3333'), 230.1);
  t.equal(read('Int64', 'ffff ffff ffff ffff'), -1);
  t.equal(read('UInt64', '0000 0001 0000 0000'), 2 ** 32);
  t.equal(read('UInt64', '001f ffff ffff ffff'), Number.MAX_SAFE_INTEGER);
  t.match(read('UInt64', '0020 0000 0000 0000'), { unreadable: /exceeds ±2\^53.*Factor/ });
  t.equal(read('UInt64', '0020 0000 0000 0000', { factor: 0.001 }), 9_007_199_254_740.99);
  t.match(read('Float32', '7fc0 0000'), { unreadable: /NaN/ });
  t.match(read('Float32', '7f80 0000'), { unreadable: /Infinity/ });
  t.equal(read('Int16', '0003', { factor: 0.1 }), 0.3, 'without noise in the last digits');
  t.ok(Object.is(read('Int16', '0000', { factor: -0.1 }), 0));
  t.equal(read('StringPlain', '4142 4300 5858 2020'), 'ABC', 'up to the first NUL');
  t.equal(read('StringPlain', '4142 4320 2020 2020'), 'ABC');
  t.equal(read('StringPlain', '4241 2043 2020 2020', { swapBytes: true }), 'ABC');
  t.equal(
    read('StringPlain', '4142 4344 4546 4748', { swapWords: true }),
    'ABCDEFGH',
    'SwapWords does not apply to texts',
  );
  t.equal(read('StringHex', '00ff 4142 0000 0001'), '00ff414200000001');
});

await t.test('a value out of range is rejected before anything is sent', async (t) => {
  const rejected = (name: string, value: Value, more?: Partial<RegisterLayout>) =>
    t.throws(
      () => encode(layoutOf(name, more), value),
      { code: 'CANNOT_CONVERT' },
      `${name} ${String(value)}`,
    );
  t.equal(
    encode(layoutOf('Int16', { factor: 0.1 }), 21.57).toString('hex'),
    '00d8',
    'rounded to the resolution of the register',
  );
  t.equal(encode(layoutOf('Int16', { factor: 0.1 }), -21.55).toString('hex'), 'ff28');
  t.equal(encode(layoutOf('StringPlain'), 'AB').toString('hex'), '4142000000000000');
  t.equal(encode(layoutOf('StringHex'), '00Ff').toString('hex'), '00ff000000000000');
  t.equal(encode(layoutOf('Float32'), 0.1).toString('hex'), '3dcccccd');
  rejected('UInt16', 65_536);
  rejected('UInt16', -1);
  rejected('UInt16', 2.5);
  rejected('UInt16', true);
  rejected('UInt16', '5');
  rejected('Int16', 3276.8, { factor: 0.1 });
  rejected('Int32', 2 ** 31);
  rejected('UInt32', 2 ** 32);
  rejected('UInt64', 2 ** 64, { factor: 0.001 });
  rejected('Int64', 2 ** 53);
  rejected('Float32', 1e39);
  rejected('Float64', Infinity);
  rejected('StringPlain', 'ABCDEFGHI');
  rejected('StringPlain', '€');
  rejected('StringPlain', 5);
  rejected('StringHex', 'abc');
  rejected('StringHex', 'zz');
  rejected('StringHex', '00'.repeat(9));
});

await t.test(`decoding reverses encoding (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  for (const type of dataTypes.filter(({ kind }) => kind !== 'boolean'))
    for (let round = 0; round < 100; round++) {
      const more = { swapBytes: random.chance(0.5), swapWords: random.chance(0.5) };
      const layout = layoutOf(type.name, more);
      const registers = random.bytes(2 * layout.registers);
      const value = decode(layout, registers);
      if (typeof value === 'object') continue;
      const again = decode(layout, encode(layout, value));
      if (type.name.startsWith('String')) t.equal(again, value);
      else t.ok(again === value, `${type.name} ${value} ${String(again)}`);
      t.notOk(typeof value === 'number' && !Number.isFinite(value));
    }
});

await t.test(
  `a coalesced read covers all of its parts and no other address (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const wrong: string[] = [];
    for (let round = 0; round < 500; round++) {
      const code = random.pick([1, 3] as const);
      const reach = random.pick([30, 300, 3000]);
      const some = Array.from({ length: 1 + random.below(60) }, () => ({
        request: readRequest(random.chance(0.9) ? code : 4, random.below(reach), 1 + random.below(4)),
      }));
      const [first, ...others] = some;
      if (first === undefined) continue;
      const { request, reads } = coalesceReads(first, others);
      const { address: at, count } = request.block ?? { address: 0, count: 0 };
      const requests = new Set(
        reads.flatMap(({ request: { block } }) =>
          Array.from({ length: block?.count ?? 0 }, (_, index) => (block?.address ?? 0) + index),
        ),
      );
      const isExact = requests.size === count && Math.min(...requests) === at;
      const isAlike = reads.every((one) => one.request.functionCode === first.request.functionCode);
      if (!isExact || !isAlike || !reads.includes(first) || count > (code === 1 ? 2000 : 125))
        wrong.push(`${at} ${count} ${JSON.stringify(some)}`);
      const bits = random.bytes(Math.ceil(count / 8));
      const words = random.bytes(2 * count);
      const isBits = first.request.functionCode <= 2;
      const pdu = Buffer.concat([Buffer.from([first.request.functionCode, 0]), isBits ? bits : words]);
      for (const one of reads) {
        const part = extractPart(pdu, request, one.request);
        const { block } = one.request;
        for (let index = 0; index < (block?.count ?? 0); index++) {
          const place = (block?.address ?? 0) - at + index;
          const isSame = isBits
            ? (((part[2] ?? 0) >> index) & 1) === (((bits[place >> 3] ?? 0) >> (place % 8)) & 1)
            : part.readUInt16BE(2 + 2 * index) === words.readUInt16BE(2 * place);
          if (!isSame) wrong.push(`${JSON.stringify(one.request.block)} of ${at}`);
        }
        if (part.length !== one.request.replyLength || part[1] !== part.length - 2) wrong.push('its length');
      }
    }
    t.strictSame(wrong, []);
  },
);

await t.test('an invalid configuration is rejected with instructions', async (t) => {
  const [gateway, address] = modbusModules(registerMaps());
  if (gateway === undefined || address === undefined) throw new Error('two modules');
  const gatewayMistake = (set: object) => validateProperties(gateway, { ...defaultsOf(gateway), ...set });
  const problem = (set: object) => validateProperties(address, { ...defaultsOf(address), ...set });
  t.equal(gatewayMistake({}), undefined);
  t.equal(gatewayMistake({ DeviceID: 0 }), undefined, 'of TCP');
  t.match(gatewayMistake({ GatewayMode: 3 }), /is not supported: 0 is TCP, 1 RTU/);
  t.match(gatewayMistake({ GatewayMode: 4 }), /is not supported/);
  t.match(gatewayMistake({ GatewayMode: 1, DeviceID: 0 }), /is not a unit of a RTU line; valid are 1 to 247/);
  t.match(gatewayMistake({ GatewayMode: 8, DeviceID: 248 }), /ASCII line/);
  t.match(problem({}), /both 0/);
  t.equal(problem({ ReadFunctionCode: 2 }), undefined);
  t.match(problem({ ReadFunctionCode: 3 }), /\(Bit\) is read with ReadFunctionCode 1/);
  t.match(problem({ WriteFunctionCode: 16 }), /\(Bit\) is written with WriteFunctionCode 5 or 15/);
  t.match(problem({ DataType: 2, ReadFunctionCode: 1 }), /\(UInt16\) is read with ReadFunctionCode 3/);
  t.match(problem({ DataType: 2, WriteFunctionCode: 5 }), /written with WriteFunctionCode 6 or 16/);
  t.match(
    problem({ DataType: 3, WriteFunctionCode: 6 }),
    /has 2 registers; write it with WriteFunctionCode 16/,
  );
  t.match(problem({ DataType: 1, WriteFunctionCode: 6 }), /is read-only/);
  t.equal(problem({ DataType: 12, ReadFunctionCode: 4 }), undefined);
  t.match(problem({ DataType: 10, ReadFunctionCode: 3 }), /requires Length/);
  t.match(problem({ DataType: 10, WriteFunctionCode: 16, Length: 124 }), /at most 123/);
  t.equal(problem({ DataType: 10, ReadFunctionCode: 3, Length: 125 }), undefined);
  t.match(problem({ DataType: 2, ReadFunctionCode: 3, Length: 2 }), /Length only applies to texts/);
  t.match(
    problem({ DataType: 10, ReadFunctionCode: 3, Length: 2, Factor: 2 }),
    /Factor only applies to numbers/,
  );
  t.match(problem({ ReadFunctionCode: 1, Poller: 20 }), /0 or at least 50 ms/);
  t.match(problem({ DataType: 9, ReadFunctionCode: 3, ReadAddress: 65_533 }), /beyond address 65535/);
  t.equal(problem({ DataType: 9, ReadFunctionCode: 3, ReadAddress: 65_532 }), undefined);
  const variable = (set: object) => address.variables({ ...defaultsOf(address), ...set })[0];
  t.match(variable({ WriteFunctionCode: 5 }), {
    type: variableType.boolean,
    profile: '~Switch',
    action: true,
  });
  t.match(variable({ DataType: 5, ReadFunctionCode: 3 }), {
    type: variableType.integer,
    action: false,
    staleAfterS: 13,
  });
  t.match(variable({ DataType: 5, ReadFunctionCode: 3, Factor: 0.1 }), { type: variableType.float });
  t.match(variable({ DataType: 14, ReadFunctionCode: 3, Length: 2 }), { type: variableType.string });
  t.equal(variable({ DataType: 5, ReadFunctionCode: 3, Poller: 0 })?.staleAfterS, undefined);
});
