import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { BIN } from '../../tools/gateway/gateway-fixture.js';
import { Program } from '../../tools/program.js';
import { tempDirectory } from '../../tools/temp-directory.js';

/** The largest file that a command may write: 32 blocks of 512 bytes, as the shell's ulimit counts. */
const LIMIT = 16_384;

/** Runs a line of the shell, in which `$0` is `bin/stellwerk` and `$1` the file. */
async function runShell(line: string, file: string) {
  await using program = new Program('sh', ['-c', line, BIN, file]);
  return { code: await program.ended(), output: program.output };
}

t.test('output that a file does not take, or takes in part, is an error of one line', async (t) => {
  t.strictSame(await runShell('exec "$0" schema > "$1"', '/dev/full'), {
    code: 1,
    output: 'stellwerk: the output cannot be written: ENOSPC: no space left on device, write\n',
  });
  const file = join(await tempDirectory(t), 'gateway.schema.json');
  t.strictSame(await runShell('ulimit -f 32; exec "$0" schema > "$1"', file), {
    code: 1,
    output: 'stellwerk: the output cannot be written: EFBIG: file too large, write\n',
  });
  const part = readFileSync(file);
  t.equal(part.length, LIMIT);
  t.strictSame(await runShell('exec "$0" schema > "$1"', file), { code: 0, output: '' });
  const text = readFileSync(file);
  t.ok(text.subarray(0, LIMIT).equals(part));
  t.equal(typeof JSON.parse(text.toString()), 'object', 'the text is complete');
});
