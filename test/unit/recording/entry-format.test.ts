import t from 'tap';
import { headerOf, noteLine, parseRecording, transferLine } from '../../../src/recording/entry-format.js';
import { Recorder } from '../../../src/recording/recorder.js';

const state = {
  ms: 5,
  direction: 'in',
  topic: 'z/lamp',
  payload: Buffer.from('{"state":"ON"}'),
  isRetained: true,
  isIncomplete: false,
} as const;

t.test('what is written is what is read', async (t) => {
  const bytes = { ...state, topic: '', isRetained: false, payload: Buffer.from([0, 0xff]) };
  const text = headerOf('mqtt') + transferLine(state) + noteLine({ ms: 7, note: 'now' });
  const { traffic, entries, isTorn } = parseRecording(text);
  t.strictSame([traffic, isTorn], ['mqtt', false]);
  t.strictSame(entries, [
    { line: 2, ...state },
    { line: 3, ms: 7, note: 'now' },
  ]);
  t.strictSame(parseRecording(headerOf('bytes') + transferLine(bytes)).entries, [{ line: 2, ...bytes }]);
  t.match(transferLine(bytes), '"hex":"00ff"');
});

t.test('a line without its end is left out', async (t) => {
  const text = headerOf('mqtt') + transferLine(state);
  for (let length = headerOf('mqtt').length + 1; length < text.length; length++)
    t.match(parseRecording(text.slice(0, length)), { entries: [], isTorn: true });
});

t.test('an error names the line and what it must be', async (t) => {
  const header = headerOf('mqtt');
  const wrong: readonly (readonly [text: string, why: RegExp])[] = [
    ['', /^1: this is not a recording/],
    ['{"recording":2}\n', /^1: this is not a recording/],
    ['{"recording":1,"traffic":"radio"}\n', /^1: traffic must be mqtt or bytes/],
    [`${header}[]\n`, /^2: this is not an object/],
    [`${header}{"ms":\n`, /^2: this is not an object/],
    [`${header}\n{"ms":-1}\n`, /^3: ms must be/],
    [`${header}{"ms":0,"dir":"up"}\n`, /^2: dir must be in or out/],
    [`${header}{"ms":0,"dir":"in","text":""}\n`, /^2: topic must be/],
    [`${header}{"ms":0,"dir":"in","topic":"a/#","text":""}\n`, /^2: topic must be/],
    [`${header}{"ms":0,"dir":"in","topic":"a","hex":"0"}\n`, /^2: give the payload/],
    [`${header}{"ms":0,"dir":"in","topic":"a","hex":"00","text":""}\n`, /^2: give the payload/],
    [`${header}{"ms":0,"dir":"in","topic":"a","text":"","retain":1}\n`, /^2: retain must be/],
    [`${header}{"ms":0,"dir":"in","topic":"a","text":"","qos":1}\n`, /^2: there is no key qos/],
    [`${headerOf('bytes')}{"ms":0,"dir":"in","topic":"a","text":""}\n`, /^2: topic belongs to/],
  ];
  for (const [text, why] of wrong) t.throws(() => parseRecording(text), { message: why }, text);
});

t.test('the file has a limit, and a failure to write ends the recording', async (t) => {
  let file = '';
  const causes: unknown[] = [];
  const write = async (text: string) => void (file += text);
  const limit = headerOf('mqtt').length + 2 * transferLine(state).length;
  const onEnd = (cause: unknown) => causes.push(cause);
  const recorder = new Recorder({ traffic: 'mqtt', write, limit, secrets: [], onEnd });
  for (let count = 0; count < 5; count++) recorder.add(state);
  await recorder.end();
  t.equal(parseRecording(file).entries.length, 2);
  t.strictSame([recorder.transfers, causes], [2, [undefined]], 'the end is reported once');

  const full = new Error('no space left');
  const failing = async () => {
    throw full;
  };
  const broken = new Recorder({ traffic: 'mqtt', write: failing, limit, secrets: [], onEnd });
  await t.rejects(broken.end(), full);
});
