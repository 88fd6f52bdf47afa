import t from 'tap';
import {
  layOut,
  parseElementType,
  readElement,
  type ElementType,
  type PlacedElement,
  type ScanElement,
} from '../../../drivers/sensor/buffer/scan-layout.js';

const typeOf = (text: string) => parseElementType(text) as ElementType;
const element = (channel: string, index: number, text: string): ScanElement => ({
  channel,
  index,
  type: typeOf(text),
});

t.test('a type says byte order, sign, bits, bytes and shift', async (t) => {
  t.strictSame(parseElementType('le:s12/16>>4'), {
    isLittleEndian: true,
    isSigned: true,
    bits: 12,
    bytes: 2,
    shift: 4,
  });
  t.strictSame(parseElementType('be:u24/32'), {
    isLittleEndian: false,
    isSigned: false,
    bits: 24,
    bytes: 4,
    shift: 0,
  });
  t.equal(parseElementType('le:s64/64>>0')?.bytes, 8);
  for (const wrong of [
    '',
    'le:s12/16X4>>0',
    'le:s17/16',
    'le:s12/16>>5',
    'le:u0/8',
    'le:f32/32',
    'me:s8/8',
    'le:s8/24',
    'le:s8/8 ',
    'le:s8/8>>',
  ])
    t.equal(parseElementType(wrong), undefined, wrong);
});

t.test('elements are aligned to their size, scans to their largest element', async (t) => {
  const places = (...elements: ScanElement[]) => {
    const { bytes, elements: placed } = layOut(elements);
    return [bytes, ...placed.map(({ channel, offset }) => [channel, offset])];
  };
  t.strictSame(places(element('in_voltage0', 0, 'le:u12/16')), [2, ['in_voltage0', 0]]);
  t.strictSame(
    places(
      element('in_timestamp', 1, 'le:s64/64'),
      element('in_temp', 7, 'le:s8/8'),
      element('in_pressure', 3, 'be:u24/32>>8'),
      element('in_humidityrelative', 5, 'le:u16/16'),
    ),
    [16, ['in_pressure', 0], ['in_humidityrelative', 4], ['in_temp', 6], ['in_timestamp', 8]],
    'the time is last, whatever its index',
  );
  t.strictSame(
    places(element('in_accel_x', 0, 'le:s16/16'), element('in_timestamp', 3, 'le:s64/64')),
    [16, ['in_accel_x', 0], ['in_timestamp', 8]],
    'with padding before the time',
  );
  t.strictSame(
    places(
      element('in_temp', 0, 'le:s8/8'),
      element('in_pressure', 1, 'le:u32/32'),
      element('in_light', 2, 'le:u8/8'),
    ),
    [12, ['in_temp', 0], ['in_pressure', 4], ['in_light', 8]],
    'and at the end',
  );
});

t.test('a value is shifted, cut to its bits and extended by its sign', async (t) => {
  const read = (text: string, ...bytes: number[]) =>
    readElement(new DataView(Uint8Array.from([0xee, ...bytes]).buffer), 1, {
      ...element('in_x', 0, text),
      offset: 0,
    } satisfies PlacedElement);
  t.equal(read('le:s12/16>>4', 0xf0, 0xff), -1);
  t.equal(read('le:s12/16>>4', 0x0f, 0x80), -2048, 'what is below the value is not a part of it');
  t.equal(read('be:s12/16>>4', 0x7f, 0xff), 2047);
  t.equal(read('le:u12/16', 0xff, 0xff), 4095, 'nor what is above it');
  t.equal(read('le:s16/16', 0xbf, 0xff), -65);
  t.equal(read('le:u8/8', 200), 200);
  t.equal(read('le:s8/8', 200), -56);
  t.equal(read('be:s24/32>>8', 0x80, 0, 0, 0xff), -8_388_608);
  t.equal(read('le:u32/32', 0xff, 0xff, 0xff, 0xff), 4_294_967_295);
  t.equal(read('le:s32/32', 0xff, 0xff, 0xff, 0xff), -1);
  t.equal(read('le:s64/64', 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), -1);
  t.equal(read('be:u40/64>>24', 0, 0, 0, 0, 1, 0xff, 0xff, 0xff), 1);
});
