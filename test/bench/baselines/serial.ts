/**
 * Lines of a serial port into a Map, with the package's own reader: `node serial.js PORT`. Variable 1 is the
 * value, 2 the number of lines.
 */
import { ReadlineParser, SerialPort } from 'serialport';
import { bareApi, listen } from './json-rpc-server.js';

const [value, count] = [1, 2];
const values = new Map<number, unknown>([
  [value, 0],
  [count, 0],
]);
let lines = 0;
const port = new SerialPort({ path: process.argv[2] ?? '', baudRate: 115_200 });
port.pipe(new ReadlineParser({ delimiter: '\n' })).on('data', (line: string) => {
  const [, found] = /^T=(-?[0-9.]+)$/.exec(line) ?? [];
  if (found === undefined) return;
  values.set(value, Number(found));
  values.set(count, ++lines);
});
port.once('open', () => listen(bareApi(values)));
