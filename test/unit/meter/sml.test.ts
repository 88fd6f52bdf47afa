import t from 'tap';
import { SmlParser } from '../../../drivers/meter/sml/sml-parser.js';
import { serverIdText } from '../../../drivers/meter/sml/server-id.js';
import type { TelegramListener } from '../../../drivers/meter/telegram.js';
import { parseAll, recordedTelegrams } from '../../tools/meters/recorded-telegrams.js';

interface Expected {
  readonly obis: string;
  readonly bytes?: string;
  readonly raw?: number;
  readonly scaler?: number;
  readonly unitName?: string;
}

const recordings = recordedTelegrams<{ readonly expected: readonly Expected[] }>('SML');
const create = (listener: TelegramListener) => new SmlParser(listener);

t.test('recorded telegrams have the values that libsml reads', async (t) => {
  t.equal(recordings.length, 18);
  for (const { id, hex, fields } of recordings) {
    const { telegrams, rejections } = parseAll(create, Buffer.from(hex, 'hex'));
    t.strictSame(rejections, [], id);
    t.equal(telegrams.length, 1, id);
    t.strictSame(
      telegrams[0]?.records.map(({ code, value, unit }) => ({ code, value, unit })),
      // From the raw value: the list rounds one value of 11 digits to 10.
      fields.expected.map(({ obis, bytes, raw, scaler = 0, unitName }) => ({
        code: obis,
        value: raw === undefined ? serverIdText(Buffer.from(bytes ?? '', 'hex')) : Number(`${raw}e${scaler}`),
        unit: bytes === undefined ? unitName : '',
      })),
      id,
    );
  }
});

/**
 * Telegrams of which the list has fewer: its reader expects a multiple of four bytes, and loses nine valid
 * telegrams after one that lost three bytes.
 */
const MORE_VALID: Readonly<Record<string, number>> = { 'sml-stream/dzg_dwsb20_2th_3byte': 14 };

t.test('recorded streams have as many good telegrams as their checksums say', async (t) => {
  const streams = recordedTelegrams<{ readonly goodTelegrams: number }>('SML-STREAM');
  t.equal(streams.length, 3);
  for (const { id, hex, fields } of streams) {
    for (const size of [1, 7, 256]) {
      const { telegrams } = parseAll(create, Buffer.from(hex, 'hex'), size);
      t.equal(telegrams.length, MORE_VALID[id] ?? fields.goodTelegrams, `${id} in groups of ${size} bytes`);
    }
  }
});
