import t from 'tap';
import { FrameParser, longFrame, shortFrame, type MbusFrame } from '../../../drivers/meter/mbus/frames.js';
import { mbusReadings } from '../../../drivers/meter/mbus/mbus-readings.js';
import { MbusSyntaxError, readRecords, type MbusRecord } from '../../../drivers/meter/mbus/records.js';
import { MbusApplicationError, readTelegram } from '../../../drivers/meter/mbus/telegram.js';
import { recordedTelegrams, type Recording } from '../../tools/meters/recorded-telegrams.js';

interface Expected {
  readonly errorFrame: boolean;
  readonly slave: Readonly<Record<string, string>>;
  readonly records: readonly { id: number; fn: string; unit: string; value: string }[];
}

const recordings = recordedTelegrams<Expected>('MBUS');

/** The frames in bytes that arrive in groups of a size. */
function framesOf(bytes: Uint8Array, size = bytes.length): MbusFrame[] {
  const frames: MbusFrame[] = [];
  const parser = new FrameParser({ onFrame: (frame) => frames.push(frame) });
  for (let at = 0; at < bytes.length; at += size) parser.push(bytes.subarray(at, at + size));
  return frames;
}

function onlyFrame({ hex }: Recording<Expected>): MbusFrame {
  const [frame] = framesOf(Buffer.from(hex, 'hex'));
  if (frame === undefined) throw new Error('no frame');
  return frame;
}

const functionNames = {
  instantaneous: 'Instantaneous value',
  maximum: 'Maximum value',
  minimum: 'Minimum value',
  error: 'Value during error state',
} as const;

const units: Readonly<Record<string, string>> = {
  'm^3': 'm3',
  'm^3/h': 'm3/h',
  '°C': '°C',
  '-': '',
  'Units for H.C.A.': '',
  'reserved but historic': 'l',
  Reserved: '',
};

/** A unit that is a text in the telegram is none of libmbus. */
const unitOf = ({ quantity, unit }: MbusRecord): string => (quantity === 'text' ? '' : unit);

/** How libmbus prints a value: with six decimals, and times with seconds. */
function printed({ value = 'invalid', quantity }: MbusRecord): string {
  if (quantity === 'time') return `${String(value)}:00Z`;
  return typeof value === 'number' ? value.toFixed(6) : value;
}

/**
 * Where libmbus or the list differ, with the reason. None of these is a value of the meter:
 * an invalid time that libmbus prints as the year 1900; a record with an unknown VIF (0x7b), after which the
 * list counts on with a number too few; hexadecimal digits, by which the meter marks an invalid value, and
 * which libmbus adds up; a time of "any year" (127), from which libmbus subtracts 100.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'mbus/REL-Relay-Padpuls2 1':
    'Instantaneous value||1900-01-00T00:00:00Z -> Instantaneous value||invalid:00Z',
  'mbus/sen_pollutherm 2': 'Instantaneous value|W|54580.000000 -> Instantaneous value||302.000000',
  'mbus/ELS_Elster-F96-Plus 4':
    'Value during error state|W|13131113.000000 -> Value during error state|W|invalid',
  'mbus/ELS_Elster-F96-Plus 5':
    'Value during error state|m3/h|131.113000 -> Value during error state|m3/h|invalid',
  'mbus/landis+gyr_ultraheat_t230 32':
    'Instantaneous value||2027-01-01T00:00:00Z -> Instantaneous value||invalid:00Z',
};

t.test('recorded telegrams have the records that libmbus reads', async (t) => {
  t.equal(recordings.length, 48);
  const differences: Record<string, string> = {};
  for (const recording of recordings.filter(({ fields }) => !fields.errorFrame)) {
    const { records, id, manufacturer, status, accessNumber, rest } = readTelegram(onlyFrame(recording));
    const { slave, records: expected } = recording.fields;
    t.equal(id, slave['Id']?.padStart(8, '0'), recording.id);
    t.equal(manufacturer, slave['Manufacturer'] ?? '', recording.id);
    t.equal(status, Number.parseInt(slave['Status'] ?? '', 16), recording.id);
    t.equal(String(accessNumber), slave['AccessNumber'], recording.id);
    for (const one of expected) {
      const record = records[one.id];
      if (one.fn === 'Manufacturer specific' || one.fn === 'More records follow') {
        t.equal(Buffer.from(rest ?? []).toString('hex'), one.value.replaceAll(' ', '').toLowerCase());
        continue;
      }
      const unit = one.unit.replace('Â', '');
      const wanted = [
        one.fn === 'Actual value' ? 'Instantaneous value' : one.fn,
        units[unit] ?? unit,
        /^-?[0-9]+$/.test(one.value) ? Number(one.value).toFixed(6) : one.value,
      ].join('|');
      const found =
        record === undefined
          ? 'none'
          : [functionNames[record.function], unitOf(record), printed(record)].join('|');
      if (found !== wanted) differences[`${recording.id} ${one.id}`] = `${wanted} -> ${found}`;
    }
  }
  t.strictSame(differences, EXCEPTIONS);
});

t.test('frames with an error have no values', async (t) => {
  const wrong = recordings.filter(({ fields }) => fields.errorFrame);
  t.ok(wrong.length > 0);
  for (const recording of wrong) {
    const frame = onlyFrame(recording);
    try {
      readTelegram(frame);
      t.fail(recording.id);
    } catch (thrown) {
      t.ok(thrown instanceof (frame.kind === 0x70 ? MbusApplicationError : MbusSyntaxError), recording.id);
    }
  }
});

t.test('frames are found in any groups of bytes, between noise, echoes and torn frames', async (t) => {
  const frames = recordings.map(onlyFrame);
  const parts = recordings.flatMap(({ hex }, index) => {
    const bytes = Buffer.from(hex, 'hex');
    return [shortFrame(0x5b, 1), bytes.subarray(0, index % bytes.length), Buffer.from('ff10'), bytes];
  });
  for (const size of [1, 5, 300, 100_000]) t.strictSame(framesOf(Buffer.concat(parts), size), frames);
  const select = longFrame({ control: 0x53, address: 253, kind: 0x52, data: new Uint8Array(8) });
  t.strictSame(framesOf(select), [], 'a request is no reply');
});

t.test('tariffs, storage numbers and devices of a record', async (t) => {
  // Storage 1 + 2·3 + 32·1, tariff 2 + 4·1, device 1 + 2·0.
  const { records } = readRecords(Buffer.from('c4e31103e8030000', 'hex'));
  t.match(records, [{ storage: 1 + 2 * 3 + 32, tariff: 2 + 4 * 1, device: 1, value: 1000, unit: 'Wh' }]);
});

t.test('what becomes variables', async (t) => {
  const of = (id: string) => {
    const recording = recordings.find((one) => one.id === `mbus/${id}`);
    if (recording === undefined) throw new Error(id);
    const readings = mbusReadings(readTelegram(onlyFrame(recording)));
    return Object.fromEntries(
      readings.filter(({ isPresent }) => isPresent !== false).map(({ ident, value }) => [ident, value]),
    );
  };
  t.match(of('kamstrup_multical_601'), {
    SERIAL: '06855817',
    ENERGY: 37_351,
    VOLUME: 561.08,
    ON_TIME: 985,
    FLOW_TEMPERATURE: 101.69,
    RETURN_TEMPERATURE: 46.16,
    TEMPERATURE_DIFFERENCE: 55.53,
    POWER: 34_700,
    FLOW: 0.543,
  });
  t.match(of('itron_cyble_m-bus_v1.4_cold_water'), { WATER: 453.5 });
  t.match(of('REL-Relay-Padpuls2'), { GAS: 28_760.81 });
  t.match(of('FIN-Finder-7E.23.8.230.0020'), { ENERGY_IN_T1: 1728.68 });
});
