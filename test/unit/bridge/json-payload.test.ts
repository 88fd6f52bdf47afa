import t from 'tap';
import { fault } from '../../../src/base/fault.js';
import { variableType } from '../../../src/device/module.js';
import {
  encodeReply,
  encodeValue,
  parseCommand,
  valueFor,
} from '../../../drivers/bridge/json/json-payload.js';

const text = (bytes: Buffer): string => bytes.toString();

t.test('values with quality and time', async (t) => {
  const entry = {
    path: 'a/B',
    type: variableType.float,
    value: 21.5,
    quality: 0,
    reason: '',
    atMs: 1_700_000_000_000.4,
  } as const;
  t.equal(text(encodeValue(entry, 7)), '{"value":21.5,"quality":"good","time":1700000000000,"seq":7}');
  const bad = { ...entry, value: undefined, quality: 2, reason: 'UNREACHABLE' } as const;
  t.equal(
    text(encodeValue({ ...bad, untrusted: { boot: 'a', monotonicMs: 1 } }, 0)),
    '{"value":null,"quality":"bad","reason":"UNREACHABLE","time":1700000000000,"clock":"untrusted"}',
  );
});

t.test('commands', async (t) => {
  const parsed = (payload: string) => parseCommand(Buffer.from(payload));
  t.strictSame(parsed('true'), { value: true, id: undefined, response: undefined });
  t.strictSame(parsed('{"value":1.5,"id":"x","response":"a/b"}'), { value: 1.5, id: 'x', response: 'a/b' });
  t.strictSame(parsed('{"value":[]}'), { value: [], id: undefined, response: undefined });
  for (const payload of ['', 'on', '[]', '{}', 'null', '{"value":1,"id":[]}', '{"value":1,"response":2}'])
    t.equal(parsed(payload), undefined, payload);
  t.equal(parsed(`{"value":1,"id":"${'x'.repeat(201)}"}`), undefined);
  t.equal(parsed(`"${'x'.repeat(5000)}"`), undefined);
});

t.test('values of commands have the type of the variable', async (t) => {
  t.equal(valueFor(variableType.boolean, true), true);
  t.equal(valueFor(variableType.boolean, 1), undefined);
  t.equal(valueFor(variableType.integer, 3), 3);
  t.equal(valueFor(variableType.integer, 3.5), undefined);
  t.equal(valueFor(variableType.float, 3.5), 3.5);
  t.equal(valueFor(variableType.float, '3.5'), undefined);
  t.equal(valueFor(variableType.string, 'a'), 'a');
  t.equal(valueFor(variableType.string, null), undefined);
});

t.test('replies', async (t) => {
  t.equal(text(encodeReply('x')), '{"id":"x","ok":true}');
  t.match(JSON.parse(text(encodeReply(undefined, fault('OBJECT_MISSING', 5)))), {
    ok: false,
    code: 'OBJECT_MISSING',
    text: 'Object #5 does not exist',
  });
});
