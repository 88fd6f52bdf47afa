/**
 * A soak test of the gateway: `make soak HOURS=24`. 1,000 variables change at the stated rate, half of them are
 * recorded. Measures 120 times: memory, descriptors, threads,
 * bytes written, delay of a change. Writes docs/reference/soak.md and docs/images/soak.svg with WRITE=1.
 */
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { call, callAll, startGateway } from '../gateway.js';
import { cpuMs, residentMiB, takeCores, writtenBytes } from '../machine.js';
import { seed } from '../seed-variables.js';
import { quantile } from '../statistics.js';
import { report, type Sample } from './report.js';

const HOURS = Number(process.env['HOURS'] ?? 24);
const VARIABLES = 1000;
/** Changes per second: each variable changes every 50 s on average, as temperatures and counters do. */
const CHANGES_PER_S = 20;
const SAMPLES = 120;
const CALLS_PER_SAMPLE = 100;

const directory = mkdtempSync(join(process.env['SOAK_DIRECTORY'] ?? tmpdir(), 'stellwerk-soak-'));
try {
  await soak();
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function soak(): Promise<void> {
  const ids = await seed(directory, VARIABLES);
  const { server: core } = takeCores();
  await using gateway = await startGateway({ directory, core });
  const { port, pid } = gateway;
  const [archive] = (await call(port, 'SVC_GetInstanceListByModuleID', 'Archive Control')) as number[];
  for (let i = 0; i < VARIABLES; i += 2) await call(port, 'AC_SetLoggingStatus', archive, ids[i], true);
  const startMs = performance.now();
  const everyMs = (HOURS * 3_600_000) / SAMPLES;
  const samples: Sample[] = [];
  let changes = 0;
  const hours = () => (performance.now() - startMs) / 3_600_000;
  const [startBytes, startCpu] = [writtenBytes(pid), cpuMs(pid)];
  while (samples.length < SAMPLES) {
    const dueMs = startMs + (samples.length + 1) * everyMs;
    while (performance.now() < dueMs) {
      const second = performance.now();
      await callAll(
        port,
        Array.from({ length: CHANGES_PER_S }, (_, i) => {
          const id = ids[(changes + i * (VARIABLES / CHANGES_PER_S)) % VARIABLES];
          return ['SetValue', id, 20 + Math.round(50 * Math.sin((changes + i) / 97)) / 10] as const;
        }),
      );
      changes += 1;
      await sleep(Math.max(0, 1000 - (performance.now() - second)));
    }
    const delays: number[] = [];
    for (let i = 0; i < CALLS_PER_SAMPLE; i++) {
      const before = performance.now();
      await call(port, 'GetValue', ids[i]);
      delays.push(performance.now() - before);
    }
    samples.push({
      hours: hours(),
      residentMiB: residentMiB(pid),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
      threads: readdirSync(`/proc/${pid}/task`).length,
      writtenBytes: writtenBytes(pid) - startBytes,
      cpuMs: cpuMs(pid) - startCpu,
      medianMs: quantile(delays, 0.5),
      p99Ms: quantile(delays, 0.99),
    });
    if (samples.length % 12 === 0) console.log(JSON.stringify(samples.at(-1)));
  }
  const { markdown, svg, problems } = report(samples, {
    variables: VARIABLES,
    recorded: VARIABLES / 2,
    changesPerS: CHANGES_PER_S,
  });
  console.log(markdown);
  if (process.env['WRITE'] === '1') {
    const page = join(PACKAGE_ROOT, 'docs/reference/soak.md');
    const text = readFileSync(page, 'utf8');
    const [begin, end] = ['<!-- measured: begin -->', '<!-- measured: end -->'];
    const [before, after] = [text.indexOf(begin) + begin.length, text.indexOf(end)];
    writeFileSync(page, `${text.slice(0, before)}\n\n${markdown}\n${text.slice(after)}`);
    writeFileSync(join(PACKAGE_ROOT, 'docs/images/soak.svg'), svg);
  }
  for (const problem of problems) console.log(`WRONG  ${problem}`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
