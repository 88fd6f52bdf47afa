/**
 * Runs one scenario of the campaign on a recorded directory: `node recorded-run.js NAME DIRECTORY SEED`. Each change
 * is noted before it begins and after it was acknowledged (`facts.ts`).
 */
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../tools/random.js';
import { startQuietly } from './gateway-at.js';
import { FACTS_FILE, type Note } from './facts.js';
import { scenarios } from './scenarios.js';

const [name = '', directory = '', seed = ''] = process.argv.slice(2);
const scenario = scenarios[name];
if (scenario === undefined) throw new Error(`there is no scenario ${name}`);
const facts = openSync(join(directory, FACTS_FILE), 'w');
const note = (one: Note) => void writeSync(facts, `${JSON.stringify(one)}\n`);

await scenario.run({
  directory,
  random: new Random(Number(seed)),
  start: () => startQuietly(directory),
  async change(key, value, work) {
    note({ key, value, isDone: false });
    const result = await work();
    note({ key, value, isDone: true });
    return result;
  },
  done: (key, value) => note({ key, value, isDone: true }),
});
process.exit(0);
