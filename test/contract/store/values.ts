/**
 * Sets a variable to 42 and prints `kept 42` when that is in the runtime directory; then waits to be killed.
 * Arguments: the data directory, the runtime directory.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../../src/base/clock.js';
import { until } from '../../tools/until.js';
import { openFixture } from './open-store.js';

const [directory = '', runtimeDirectory = ''] = process.argv.slice(2);
const clock = systemClock();
const { store, kernel } = await openFixture(directory, { clock, runtimeDirectory });
const variable = kernel.variables.create(1, { ident: 'value', value: 1 });
await store.committed();
kernel.variables.update(variable, 42, clock.nowMs());
const db = new DatabaseSync(join(runtimeDirectory, 'values.db'), { readOnly: true, timeout: 5_000 });
await until('the value in the runtime directory', () =>
  db.prepare('SELECT 1 FROM last_values WHERE value = 42').get(),
);
db.close();
writeSync(1, 'kept 42\n');
setInterval(() => undefined, 60_000);
