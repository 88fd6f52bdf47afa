/**
 * A script that loops indefinitely, to be killed: `node dist/test/tools/gateway/endless-script.js` prints the
 * id of the script's process once the script runs.
 */
import { readFileSync } from 'node:fs';
import { noHealthChecks } from '../../../src/base/health-check.js';
import { systemClock } from '../../../src/base/clock.js';
import { scriptLimits } from '../../../src/script/script-limits.js';
import { ScriptProcess } from '../../../src/script/script-process.js';

const worker = new ScriptProcess({
  names: Promise.resolve(['Ready']),
  clock: systemClock(),
  heapMiB: scriptLimits.heapMiB,
  checks: noHealthChecks,
});
const children = () => readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
const limits = { ...scriptLimits, timeMs: 3_600_000 };
await worker.run(
  {
    is: 'run',
    file: 'loop.js',
    text: 'Ready(); for (;;);',
    values: {},
    call: () => process.stdout.write(children()),
    include: () => Promise.reject(new Error('there is nothing to include')),
  },
  limits,
  new AbortController().signal,
);
