/**
 * Records increasing values of a variable as fast as possible, for tests that kill it: 1, 2, 3 … one
 * millisecond apart. Prints on stdout up to which value all are written. Argument: the data directory.
 */
import { systemClock } from '../../../src/base/clock.js';
import { printLine } from '../../tools/print-line.js';
import { openArchive } from './open-archive.js';

/** 2020: in the past, whatever the clock says. */
const FIRST_MS = 1_577_836_800_000;
const BATCH = 50;

const [directory = ''] = process.argv.slice(2);
const { archive, kernel, variable } = await openArchive(directory, systemClock());
const [newest] = await archive.logged(variable.id, { startS: 0, endS: 0, limit: 1 });
await printLine(String(newest?.value ?? 0));
for (let n = Number(newest?.value ?? 0) + 1; ; n++) {
  kernel.variables.update(variable, n, FIRST_MS + n);
  if (n % BATCH !== 0) continue;
  await archive.flush();
  await printLine(String(n));
}
