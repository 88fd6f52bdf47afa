/**
 * What reading the same files costs without a gateway: `node sensors.js DIRECTORY COUNT` keeps the file of each
 * sensor open, reads it each second and stores the number.
 */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { bareApi, listen } from './json-rpc-server.js';

const [, , directory = '', count = '0'] = process.argv;
const values = new Map<number, unknown>();
for (let n = 0; n < Number(count); n++) {
  const file = await open(join(directory, `hwmon${n}`, 'temp1_input'));
  const buffer = Buffer.alloc(64);
  values.set(n + 1, 0);
  setInterval(() => {
    void file.read(buffer, 0, buffer.length, 0).then(({ bytesRead }) => {
      values.set(n + 1, Number(buffer.toString('latin1', 0, bytesRead)) / 1000);
    });
  }, 1000);
}
listen(bareApi(values));
