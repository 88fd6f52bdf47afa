import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import {
  DelimiterFramer,
  DatagramFramer,
  stripCarriageReturn,
  type FrameListener,
  type Framer,
} from '../../../drivers/serial/framer.js';
import { IdleGapFramer, IdleReset } from '../../../drivers/serial/idle-gap-framer.js';
import { fixedLength, lengthField, LengthFramer } from '../../../drivers/serial/length-framer.js';
import { Command, type CommandFields, type Encoding } from '../../../drivers/serial/command.js';
import { parseEscapes } from '../../../drivers/serial/escape-sequences.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { parseUsbName } from '../../../drivers/serial/port.js';
import { Rules, type Rule } from '../../../drivers/serial/frame-rules.js';
import { RECENT_FRAMES_LIMIT, serialDevice } from '../../../drivers/serial/serial-device.js';
import { PRESENCE_CHECK_MS } from '../../../drivers/serial/serial-port.js';
import { CLEAR_AFTER_MS, UPDATE_MS } from '../../../src/device/toolkit/transient-problems.js';
import { validateProperties, type Properties } from '../../../src/device/properties.js';
import type { ModuleDefinition, Value } from '../../../src/device/module.js';
import { fuzzSeed, Random, seedLabel } from '../../tools/random.js';
import { until } from '../../tools/until.js';
import { passTime, DeviceFixture } from '../../tools/devices/device-fixture.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';

enableLinearPatterns();

class Collector implements FrameListener {
  readonly frames: string[] = [];
  overflows = 0;

  onFrame(bytes: Buffer, start: number, end: number): void {
    this.frames.push(bytes.toString('latin1', start, end));
  }

  onOverflow(): void {
    this.overflows += 1;
  }
}

type Make = (listener: FrameListener) => Framer;

function cut(make: Make, chunks: readonly (string | Buffer)[]): Collector {
  const collector = new Collector();
  const framer = make(collector);
  for (const chunk of chunks) framer.push(Buffer.from(chunk as string, 'latin1'));
  return collector;
}

const line: Make = (listener) => new DelimiterFramer(Buffer.from('\n'), 8, stripCarriageReturn(listener));
const crlf: Make = (listener) => new DelimiterFramer(Buffer.from('\r\n'), 8, listener);
const double: Make = (listener) => new DelimiterFramer(Buffer.from('aab'), 5, listener);
const fixed: Make = (listener) => new LengthFramer(fixedLength(4), Buffer.from('#'), listener);
const bare: Make = (listener) => new LengthFramer(fixedLength(3), Buffer.alloc(0), listener);
const prefixed: Make = (listener) =>
  new LengthFramer(
    lengthField({ offset: 2, size: 1, endian: 'big', add: 1 }, 12),
    Buffer.from('BM'),
    listener,
  );
const headless: Make = (listener) =>
  new LengthFramer(
    lengthField({ offset: 0, size: 2, endian: 'little', add: -2 }, 12),
    Buffer.alloc(0),
    listener,
  );

await t.test('lines and delimiters', async (t) => {
  t.same(cut(line, ['a\r\nbc\n\n', 'de', 'f\n', 'rest']).frames, ['a', 'bc', '', 'def']);
  t.same(cut(line, ['\r', '\n', '\r\r\n']).frames, ['', '\r'], 'one carriage return is removed');
  t.same(cut(crlf, ['a\rb\n\r', '\nc\r', '\n']).frames, ['a\rb\n', 'c']);
  const long = cut(line, ['123456789\n', 'ok\n', '1234567', '89012345678901234567890', '\nok\n12345678\n']);
  t.same(
    long.frames,
    ['ok', 'ok', '12345678'],
    'a frame of the maximum length is accepted, a longer one is not',
  );
  t.equal(long.overflows, 2, 'each is reported once');
});

await t.test('frames of known length', async (t) => {
  t.same(cut(fixed, ['xx#123', '#4', '56yy#', '789']).frames, ['#123', '#456', '#789']);
  t.equal(cut(fixed, ['xx#123#456yy#789']).overflows, 1, 'an incomplete frame at the start is not reported');
  t.same(cut(bare, ['ab', 'cd', 'efgh']).frames, ['abc', 'def']);
  t.same(cut(prefixed, ['BM\x02ab!', 'B', 'M\x00', '?']).frames, ['BM\x02ab!', 'BM\x00?']);
  const absurd = cut(prefixed, ['BM\x00.BM\xffBM\x01x.']);
  t.same(absurd.frames, ['BM\x00.', 'BM\x01x.'], 'a length beyond the limit is no frame');
  t.equal(absurd.overflows, 1);
  t.same(cut(headless, ['\x05\x00abc', '\x02\x00', '\x00\x00\x03\x00z']).frames, [
    '\x05\x00abc',
    '\x02\x00',
    '\x03\x00z',
  ]);
});

await t.test('datagrams', async (t) => {
  const complete = cut(
    (listener) => new DatagramFramer(4, listener),
    ['T=1', 'a\nb\n', '', '12345', 'T=2\n'],
  );
  t.same(complete.frames, ['T=1', 'a\nb\n', '', 'T=2\n']);
  t.equal(complete.overflows, 1);
});

await t.test('idle gap', async (t) => {
  const clock = new ManualClock();
  const received = new Collector();
  const gap = new IdleGapFramer({ clock, idleMs: 20, limit: 6 }, received);
  const say = (text: string, afterMs: number) => {
    clock.advance(afterMs);
    gap.push(Buffer.from(text));
  };
  say('ab', 0);
  say('cd', 19);
  say('ef', 21);
  say('123', 21);
  say('4567', 1);
  say('8', 1);
  say('ok', 21);
  clock.advance(20);
  t.same(received.frames, ['abcd', 'ef', 'ok']);
  t.equal(received.overflows, 1);
  say('x', 5);
  gap.close();
  t.equal(clock.pendingTimers, 0, 'no timer is left');

  const broken = new Collector();
  const reset = new IdleReset(bare(broken), clock, 20);
  reset.push(Buffer.from('ab'));
  clock.advance(21);
  reset.push(Buffer.from('cde'));
  t.same(broken.frames, ['cde'], 'a frame that silence broke off is dropped');
});

await t.test('the frames do not depend on the division into chunks', async (t) => {
  const seed = fuzzSeed();
  const random = new Random(seed);
  const alphabets: readonly [string, Make, string][] = [
    ['line', line, 'ab\r\n'],
    ['crlf', crlf, 'a\r\n'],
    ['double', double, 'ab'],
    ['fixed', fixed, '#1'],
    ['bare', bare, 'ab'],
    ['prefixed', prefixed, 'BM\x00\x01\x05\x20'],
    ['headless', headless, '\x00\x01\x02\x03\x0c\xff'],
  ];
  for (const [name, make, alphabet] of alphabets) {
    for (let round = 0; round < 400; round += 1) {
      const text = random.some(120, () => random.pick(alphabet.split(''))).join('');
      const complete = cut(make, [text]);
      const chunks: string[] = [];
      for (let at = 0; at < text.length;) {
        const size = 1 + random.below(random.chance(0.3) ? 40 : 3);
        chunks.push(text.slice(at, at + size));
        at += size;
      }
      const pieces = cut(make, chunks);
      if (JSON.stringify(pieces) === JSON.stringify(complete)) continue;
      t.same(pieces, complete, `${name} ${seedLabel(seed)} ${JSON.stringify(chunks)}`);
      break;
    }
    t.pass(name);
  }
});

await t.test('a framer stays within its memory and time limits for any input', async (t) => {
  const zeros = Buffer.alloc(1024 * 1024);
  for (const make of [line, crlf, double, fixed, prefixed, headless]) {
    const collector = new Collector();
    const framer = make(collector);
    framer.push(zeros);
    for (let at = 0; at < 2000; at += 1) framer.push(zeros.subarray(0, 1));
    t.same(
      collector.frames.filter((frame) => frame.length > 12),
      [],
    );
  }
});

const found = (rules: readonly Rule[], text: string): [string, string | number][] => {
  const all: [string, string | number][] = [];
  new Rules(rules).apply(text, (ident, _notation, raw) => all.push([ident, raw]));
  return all;
};

await t.test('rules', async (t) => {
  const pattern = '^(?<T>-?[0-9.]+)C (?<H>[0-9]+)%(?: (low))?$';
  const rules: Rule[] = [
    { Pattern: pattern, Ident: 'T', Type: 'float' },
    { Pattern: pattern, Ident: 'H', Type: 'integer' },
    { Pattern: '(low)?$', Ident: 'BATTERY', Type: 'string' },
    { Pattern: 'C', Ident: 'ANY', Type: 'string' },
  ];
  t.same(found(rules, '-3.5C 40%'), [
    ['T', '-3.5'],
    ['H', '40'],
    ['ANY', 'C'],
  ]);
  t.same(found(rules, '1C 2% low'), [
    ['T', '1'],
    ['H', '2'],
    ['BATTERY', 'low'],
    ['ANY', 'C'],
  ]);
  t.equal(
    new Rules(rules.slice(0, 2)).apply('noise', () => t.fail('no')),
    false,
  );
  const bytes = (Format: NonNullable<Rule['Format']>) =>
    found([{ Pattern: '^424d(....)', Ident: 'X', Type: 'integer', Format }], '424dff01aa')[0]?.[1];
  t.equal(bytes('hex'), 0xff01);
  t.equal(bytes('hex-signed'), -255);
  t.equal(bytes('hex-le'), 0x01ff);
  t.equal(bytes('hex-le-signed'), 0x01ff);
  t.equal(bytes('decimal'), 'ff01');
  const wide = found([{ Pattern: '(.*)', Ident: 'X', Type: 'integer', Format: 'hex' }], 'ff'.repeat(7));
  t.equal(wide[0]?.[1], 'ff'.repeat(7), 'more than six bytes exceed the safe integers');
});

await t.test('matching takes linear time for any pattern and line', async (t) => {
  const nasty = '^(a+)+$';
  const started = process.cpuUsage();
  t.same(found([{ Pattern: nasty, Ident: 'X', Type: 'string' }], `${'a'.repeat(60_000)}b`), []);
  const { user } = process.cpuUsage(started);
  t.ok(user < 5_000_000, `backtracking would take 2^60000 steps, this took ${user} µs`);
  for (const source of ['(a+)\\1', '^(?=a)a', '(a|aa){17,}', '(']) {
    t.throws(
      () => new Rules([{ Pattern: source, Ident: 'X', Type: 'string' }]),
      { name: 'SyntaxError' },
      source,
    );
  }
});

await t.test('commands', async (t) => {
  const say = (fields: Omit<CommandFields, 'Ident'>, value: Value, encoding: Encoding = 'latin1') =>
    new Command({ Ident: 'X', ...fields }, encoding).encode(value).toString('latin1');
  t.equal(say({ Type: 'boolean', On: 'ON\\r', Off: 'OFF\\r' }, true), 'ON\r');
  t.equal(say({ Type: 'boolean', Send: 'R{value}!' }, false), 'R0!');
  t.equal(say({ Type: 'integer', Send: '{value},{value}\\n' }, -7), '-7,-7\n');
  t.equal(say({ Type: 'float', Send: 'T{value}', Scale: 0.1, Offset: -40 }, 21.5), 'T615');
  t.equal(say({ Type: 'float', Send: '{value}', Digits: 2 }, 1e-7), '0.00');
  t.equal(say({ Type: 'float', Send: '{value}' }, 1e-7), '0.0000001');
  t.equal(say({ Type: 'float', Send: '{value}' }, 1e21), '1000000000000000000000');
  t.equal(say({ Type: 'string', Send: 'SAY {value}\\r\\n' }, '$& ü'), 'SAY $& ü\r\n');
  t.equal(say({ Type: 'string', Send: '{value}' }, 'ü€', 'utf8'), Buffer.from('ü€').toString('latin1'));
  t.equal(say({ Type: 'string', Send: '02 {value} 03' }, '0aFF', 'hex'), '\x02\x0a\xff\x03');
  const rejected = { code: 'CANNOT_CONVERT' };
  t.throws(
    () => say({ Type: 'string', Send: 'SAY {value}\\r\\n' }, 'x\r\nREBOOT'),
    rejected,
    'no second command',
  );
  t.throws(() => say({ Type: 'string', Send: '{value}' }, '€'), rejected);
  t.throws(() => say({ Type: 'string', Send: '{value}' }, 'abc', 'hex'), rejected);
  t.throws(() => say({ Type: 'string', Send: '{value}' }, 'zz', 'hex'), rejected);
  t.throws(() => say({ Type: 'integer', Send: '{value}' }, 'a'), rejected, 'a value of another type');
  t.throws(() => say({ Type: 'integer' }, 1), { message: /requires Send/ });
  t.throws(() => say({ Type: 'integer', Send: '{value}', Scale: 0 }, 1), { message: /Scale/ });
});

await t.test('escapes and names', async (t) => {
  t.equal(parseEscapes('a\\r\\n\\t\\0\\\\\\x03\\xfFb'), 'a\r\n\t\0\\\x03\xffb');
  for (const bad of ['\\', '\\q', '\\x1', '\\xzz', '\\toString'.slice(0, 1)])
    t.throws(() => parseEscapes(bad), { code: 'DEVICE_CONFIGURATION' });
  t.same(parseUsbName('0403:6001:FT 1:2'), { vendor: '0403', product: '6001', serial: 'FT 1:2' });
  t.same(parseUsbName('1A86:7523'), { vendor: '1a86', product: '7523', serial: '' });
  t.equal(parseUsbName('/dev/ttyUSB0'), undefined);
});

await t.test('an invalid configuration is rejected before anything is opened', async (t) => {
  const problem = (properties: Properties) =>
    validateProperties(serialDevice as unknown as ModuleDefinition, { ...defaults(), ...properties });
  t.equal(problem({}), undefined);
  t.match(problem({ Framing: 'lines' }), /Framing: expected line or delimiter/);
  t.match(problem({ Framing: 'delimiter', Delimiter: '' }), /Delimiter is empty/);
  t.match(problem({ Framing: 'delimiter', Delimiter: '\\q' }), /escapes/);
  t.match(problem({ Framing: 'idle-gap', IdleMs: 0 }), /IdleMs/);
  t.match(problem({ Framing: 'fixed', FrameLength: 2000 }), /MaxLength/);
  t.match(problem({ Framing: 'length-prefixed', LengthSize: 3 }), /LengthSize/);
  t.match(problem({ Framing: 'length-prefixed', Header: 'BM' }), /LengthOffset/);
  t.match(problem({ Rules: [{ Pattern: '(', Ident: 'X', Type: 'float' }] }), /Unterminated group/);
  t.match(problem({ Rules: [{ Pattern: 'x', Ident: 'a b', Type: 'float' }] }), /Rules\.0\.Ident/);
  t.match(problem({ Rules: [{ Pattern: 'x', Ident: 'X', Type: 'float', Scael: 1 }] }), /Rules\.0\.Scael/);
  t.match(
    problem({
      Rules: [{ Pattern: 'x', Ident: 'X', Type: 'float' }],
      Commands: [{ Ident: 'X', Type: 'boolean', On: '1', Off: '0' }],
    }),
    /X has two different types/,
  );
});

function defaults(): Properties {
  return Object.fromEntries(
    Object.entries(serialDevice.properties.properties).map(([name, schema]) => [
      name,
      schema.default as unknown,
    ]),
  );
}

await t.test('under the supervisor, with a manual clock', async (t) => {
  const clock = new ManualClock();
  const ports = new SimulatedPorts();
  const plugged = ports.plug('/dev/ttyUSB0', { vendor: '0403', product: '6001', serial: 'FT1' });
  await using fixture = new DeviceFixture(serialModules(ports), clock);
  const port = await fixture.add('Serial Port', { Port: '0403:6001:FT1', Parity: 'Even', DataBits: '7' });
  const rules = [{ Pattern: '^(.+)$', Ident: 'N', Type: 'integer' }];
  const device = await fixture.add('Serial Device', { Rules: rules, MaxLength: 20 }, port);
  await fixture.waitForLink(device, 'online');
  t.same(plugged.settings, { baudRate: 9600, dataBits: 7, stopBits: 1, parity: 'even' });

  await t.test('unreadable values are reported, counted and cleared', async (t) => {
    const texts = fixture.watch(device, 'STATUS');
    plugged.send('1\n1.5\nx\nx\ny\n');
    t.equal(fixture.value(device, 'N'), 1, 'the variable keeps its value');
    t.equal(fixture.quality(device, 'N'), 'bad UNREADABLE');
    t.match(fixture.status(device), /N: "1\.5" is not an integer; use Type float/);
    t.equal(texts.length, 1, 'a flood of them gives one text');
    await passTime(clock, UPDATE_MS);
    t.match(fixture.status(device), /N: "y" is not an integer \(4 times\)/);
    t.match(fixture.devices.problems(device.id), [{ code: 'UNREADABLE' }]);
    plugged.send('x'.repeat(30));
    t.match(fixture.status(device), /not a line frame of at most 20 bytes/);
    await passTime(clock, CLEAR_AFTER_MS + UPDATE_MS);
    t.same(fixture.devices.problems(device.id), []);
    plugged.send('\n2\n');
    t.equal(fixture.value(device, 'N'), 2, 'and it continues after the next line end');
    t.equal(fixture.quality(device, 'N'), 'good');
  });

  await t.test('StaleAfterS of a rule is monitored', async (t) => {
    await fixture.change(device, { Rules: [{ ...rules[0], StaleAfterS: 30 }] });
    await fixture.waitForLink(device, 'online');
    t.equal(fixture.quality(device, 'N'), 'stale NOT_REPORTED');
    plugged.send('2\n');
    await passTime(clock, 29_000);
    t.equal(fixture.quality(device, 'N'), 'good');
    await passTime(clock, 2_000);
    t.equal(fixture.quality(device, 'N'), 'stale OVERDUE');
    plugged.send('2\n');
    t.equal(fixture.quality(device, 'N'), 'good');
  });

  await t.test('HW_GetKnownDevices returns the recent frames', async (t) => {
    for (let n = 0; n < RECENT_FRAMES_LIMIT + 5; n += 1) plugged.send(`${n}\n`);
    const seen = fixture.devices.knownDevices(device.id) as { Frame: string }[];
    t.equal(seen.length, RECENT_FRAMES_LIMIT);
    t.equal(seen[0]?.Frame, String(RECENT_FRAMES_LIMIT + 4));
  });

  await t.test(
    'an adapter that disappears silently is detected, and found again at another path',
    async (t) => {
      ports.unplug('/dev/ttyUSB0', { isReported: false });
      t.equal(fixture.value(port, 'LINK'), 'online', 'without a notice');
      clock.advance(PRESENCE_CHECK_MS);
      await fixture.waitForLink(port, 'waiting');
      await fixture.waitForLink(device, 'waiting');
      await passTime(clock, 60_000);
      const elsewhere = ports.plug('/dev/ttyUSB1', { vendor: '0403', product: '6001', serial: 'FT1' });
      await passTime(clock, 3_000);
      t.equal(fixture.value(device, 'LINK'), 'online', 'however long it was unplugged');
      elsewhere.send('77\n');
      t.equal(fixture.value(device, 'N'), 77);
    },
  );

  await t.test('a device that stops reading closes its port without affecting the gateway', async (t) => {
    const stuck = ports.plug('/dev/ttyUSB2');
    stuck.isStalled = true;
    const other = await fixture.add('Serial Port', { Port: '/dev/ttyUSB2' });
    await fixture.waitForLink(other, 'online');
    const sending = fixture.call('SPRT_SendText', other.id, 'x').catch((thrown: unknown) => thrown);
    await until('the send', () => clock.pendingTimers > 4);
    await passTime(clock, 6_000);
    t.match(await sending, { code: 'DEVICE_OFFLINE' });
    await fixture.waitForLink(other, 'waiting');
    t.match(fixture.status(other), /took too long/);
    t.equal(stuck.takeReceived().length, 0);
  });

  await fixture.devices.close();
  t.equal(ports.openCount, 0);
  t.equal(clock.pendingTimers, 0, 'no timer is left');
});
