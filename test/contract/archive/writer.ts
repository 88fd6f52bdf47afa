/**
 * Records a variable's values as fast as they go, for tests that kill it: 1, 2, 3 … a millisecond apart, and
 * says on stdout up to which they are written. Argument: the data directory.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { systemClock } from '../../../src/base/clock.js';
import { openArchive } from './open-archive.js';

/** 2020: whatever the clock says, it is over. */
const FIRST_MS = 1_577_836_800_000;
const BATCH = 50;

const [directory = ''] = process.argv.slice(2);
const { archive, kernel, variable } = await openArchive(directory, systemClock());
/** Who reads may be slow; what is written next waits until this is said. */
const say = async (line: string): Promise<void> => {
  for (;;)
    try {
      writeSync(1, `${line}\n`);
      return;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EAGAIN') throw thrown;
      await turn();
    }
};
const [newest] = await archive.logged(variable.id, { startS: 0, endS: 0, limit: 1 });
await say(String(newest?.value ?? 0));
for (let n = Number(newest?.value ?? 0) + 1; ; n++) {
  kernel.variables.update(variable, n, FIRST_MS + n);
  if (n % BATCH !== 0) continue;
  await archive.flush();
  await say(String(n));
}
