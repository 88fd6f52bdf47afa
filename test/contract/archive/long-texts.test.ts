/** Long texts that wait for the next write. */
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { variableData } from '../../../src/kernel/variables.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { openArchive, VARIABLE } from './open-archive.js';

t.test('long texts are written before they fill the memory, so that no record is dropped', async (t) => {
  const clock = new ManualClock();
  const { archive, kernel, variable } = await openArchive(await tempDirectory(t), clock);
  const text = kernel.tree.load(2, variableData(3), { id: VARIABLE + 1 });
  const logging = { active: true, counter: false, ignoreZeros: false, graph: true, compaction: [] };
  kernel.variables.setLogging(text, logging);
  const nowMs = clock.nowMs();
  for (let n = 0; n < 20; n++) {
    kernel.variables.update(variable, n, nowMs + n);
    kernel.variables.update(text, String(n).padEnd(1_000_000, 'x'), nowMs + n);
    // Each update is a message of its own.
    await yieldToEventLoop();
  }
  const counts = (await archive.statistics()).map(({ id, count }) => [id, count]);
  t.strictSame(counts, [
    [VARIABLE, 20],
    [VARIABLE + 1, 20],
  ]);
  const { records } = await archive.records(VARIABLE + 1, { startS: 0, endS: 0, limit: 1 });
  t.match(records[0]?.value, /^0x/);
  await archive.close();
});
