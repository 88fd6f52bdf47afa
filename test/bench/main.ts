/**
 * Measures the gateway: `node dist/test/bench/main.js`, with `BENCH=short` in about seven minutes,
 * `BENCH=http,process` only those families. `BENCH=once` runs one short round of each side: it shows that
 * everything can be measured, and its figures say little. Prints a table, writes build/bench.json,
 * build/bench.md and for `.ci/run` build/results/bench.json. A figure that misses its goal is reported; lost
 * messages, wrong replies and failed measurements fail the run.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '../../src/base/fault.js';
import { isReached, table, type Effort, type Figure, type Report } from './statistics.js';
import { archiveFigures } from './figures/archive.js';
import { bridgeFigures } from './figures/bridge.js';
import { changeFigures } from './figures/changes.js';
import { largeBoardFigures } from './figures/large-board.js';
import { countingFigures } from './figures/counting.js';
import { discoveryFigures } from './figures/discovery.js';
import { templateFigures } from './figures/templates.js';
import { edgeFigures } from './figures/edges.js';
import { eventFigures } from './figures/events.js';
import { frontFigures } from './figures/fronts.js';
import { httpFigures } from './figures/http.js';
import { meterFigures } from './figures/meters.js';
import { mqttFigures } from './figures/mqtt.js';
import { takeCores, type Cores } from './machine.js';
import { processFigures } from './figures/process.js';
import { scriptFigures } from './figures/scripts.js';
import { sensorFigures } from './figures/sensors.js';
import { serialFigures } from './figures/serial.js';
import { snapshotFigures } from './figures/snapshot.js';

type Family = (effort: Effort, cores: Cores, directory: string) => Promise<Report>;

const families: Readonly<Record<string, Family>> = {
  http: httpFigures,
  changes: changeFigures,
  fronts: frontFigures,
  mqtt: mqttFigures,
  bridge: bridgeFigures,
  discovery: discoveryFigures,
  templates: templateFigures,
  serial: serialFigures,
  sensors: sensorFigures,
  meters: meterFigures,
  edge: edgeFigures,
  counting: countingFigures,
  cabinet: largeBoardFigures,
  snapshot: snapshotFigures,
  events: eventFigures,
  scripts: scriptFigures,
  archive: archiveFigures,
  process: processFigures,
};

const SHORT: Effort = { rounds: 5, seconds: 0.5 };
const FULL: Effort = { rounds: 15, seconds: 1 };
const ONCE: Effort = { rounds: 1, seconds: 0.1 };

const words = (process.env['BENCH'] ?? '').split(',').filter((word) => word !== '');
const effort = words.includes('once') ? ONCE : words.includes('short') ? SHORT : FULL;
const named = words.filter((word) => word !== 'short' && word !== 'once');
const unknown = named.filter((name) => !(name in families));
if (unknown.length > 0) {
  console.error(`no such family: ${unknown.join(', ')}; there are ${Object.keys(families).join(', ')}`);
  process.exit(2);
}
const cores = takeCores();
if (cores.server === undefined) console.log('one core, or no taskset: server and load share it');
const directory = mkdtempSync(join(tmpdir(), 'stellwerk-bench-'));
const figures: Figure[] = [];
const wrong: string[] = [];
for (const [name, family] of Object.entries(families)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const startMs = performance.now();
  try {
    const report = await family(effort, cores, directory);
    figures.push(...report.figures);
    wrong.push(...report.wrong);
  } catch (thrown) {
    wrong.push(`${name} could not be measured: ${messageOf(thrown)}`);
    if (thrown instanceof Error) console.error(thrown.stack);
  }
  console.error(`measured: ${name}, ${((performance.now() - startMs) / 1000).toFixed(0)} s`);
}
rmSync(directory, { recursive: true, force: true });

const text = table(figures);
const missed = figures.filter((figure) => !isReached(figure));
console.log(`${text}\n`);
console.log(`${figures.length - missed.length} of ${figures.length} figures reach their goals`);
for (const one of wrong) console.log(`WRONG  ${one}`);
const results = join('build', 'results');
mkdirSync(results, { recursive: true });
const [processor] = cpus();
const machine = { model: processor?.model, cores: cpus().length, node: process.version, ...cores };
const facts = { at: new Date().toISOString(), machine, effort, figures, wrong };
writeFileSync(join('build', 'bench.json'), `${JSON.stringify(facts, null, 1)}\n`);
writeFileSync(join('build', 'bench.md'), `${text}\n`);
const sum = { suite: 'bench', passed: figures.length, failed: wrong.length, skipped: 0 };
writeFileSync(join(results, 'bench.json'), JSON.stringify({ ...sum, failures: wrong }));
process.exitCode = wrong.length > 0 || figures.length === 0 ? 1 : 0;
