import t from 'tap';
import { CodedText, coded, parameterOf, parameterRecord } from '../../../src/base/codes/coded-text.js';
import { Fault, fault, generalOf, messageOf } from '../../../src/base/fault.js';

t.test('quoted parameters are truncated: a caller may send megabytes', (t) => {
  const { message } = fault('NAME_NOT_FOUND', 'x'.repeat(1 << 20));
  t.ok(message.length < 5000, `${message.length} characters`);
  t.match(message, /^Object with name x+… \(1048576 characters\) could not be found$/);
  t.equal(
    fault('NAME_NOT_FOUND', 'x'.repeat(1024)).message.length,
    1024 + 'Object with name  could not be found'.length,
  );
  t.end();
});

t.test('the general text names no other object', (t) => {
  t.equal(fault('OBJECT_MISSING', 5).general, 'Object #5 does not exist', 'most texts do not');
  const failed = fault('SCRIPT_FAILED', '12345.js:1: Variable #23456 does not exist');
  t.equal(messageOf(failed), '12345.js:1: Variable #23456 does not exist');
  t.equal(generalOf(failed), 'The script failed; the log has the details');
  const own = new Fault('DEVICE_REFUSED', 'Pump is\nactive', { general: 'another\nis active' });
  t.strictSame([messageOf(own), generalOf(own)], ['Pump is active', 'another is active']);
  t.equal(generalOf(new Error('of  the\tdriver')), 'of the driver');
  t.end();
});

t.test('the text of a length limit has the unit', (t) => {
  t.equal(fault('TEXT_TOO_LONG', 'The reply', 10, 'bytes').message, 'The reply is longer than 10 bytes');
  t.equal(
    fault('TEXT_TOO_LONG', 'The name', 10, 'characters').message,
    'The name is longer than 10 characters',
  );
  t.end();
});

t.test('the parameters of a sentence return from a record as they were', async (t) => {
  const inner = coded`NO_PORT: there is no port ${'COM1'}`;
  const { parameters, code, text } = coded`SEVERAL: ${['a', 'b']}, ${3} and ${inner}`;
  const records = structuredClone(parameters.map(parameterRecord));
  const returned = records.map(parameterOf);
  t.strictSame(returned, parameters);
  t.ok(returned[2] instanceof CodedText);
  t.equal(code, 'SEVERAL');
  t.equal(text, 'a and b, 3 and there is no port COM1');
});
