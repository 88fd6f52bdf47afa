/**
 * The cost of large trees: `node dist/test/bench/scale.js [COUNT …]` creates a data directory with this
 * number of variables, starts the gateway on it and prints a table for docs/reference/performance.md. It
 * takes some minutes and some GB of memory with 500,000.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AUTHORIZATION, call, gatewayProgram } from './gateway.js';
import { cpuMs, idOf, idle, residentMiB } from './machine.js';
import { seed } from './seed-variables.js';

/** Each is on the disk before its reply. */
const CREATED = 100;

const given = process.argv.slice(2).map(Number);
const counts = given.length > 0 ? given : [50_000, 200_000, 500_000];
const directory = mkdtempSync(join(tmpdir(), 'stellwerk-scale-'));
const rows: (readonly string[])[] = [];
try {
  for (const count of counts) rows.push(await measured(join(directory, String(count)), count));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
const head = [
  'variables',
  'start, CPU',
  'resident at rest',
  'first snapshot, CPU',
  'next snapshot, CPU',
  'size',
  'resident at most',
  'after it, trimmed',
  'longest GetValue meanwhile',
  'creating one',
];
for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);

async function measured(place: string, count: number): Promise<string[]> {
  const ids = await seed(place, count);
  const sinceMs = performance.now();
  const { port, program } = await gatewayProgram({ directory: place, core: undefined });
  await using _end = program;
  await new Promise<void>((resolve) => {
    const check = () => {
      if (program.output.includes('"listening"')) resolve();
    };
    program.process.stdout?.on('data', check);
    check();
  });
  const [startMs, pid] = [performance.now() - sinceMs, idOf(program)];
  const startCpu = cpuMs(pid);
  await idle(pid);
  const rest = residentMiB(pid);
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    while (!isOver) {
      const fromMs = performance.now();
      await call(port, 'GetValue', ids[0]);
      longest = Math.max(longest, performance.now() - fromMs);
    }
  })();
  const first = await snapshot(port, pid);
  const next = await snapshot(port, pid);
  isOver = true;
  await watching;
  const [, peak] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  await call(port, 'SVC_TrimKernel');
  await idle(pid);
  const after = residentMiB(pid);
  const fromMs = performance.now();
  for (let n = 0; n < CREATED; n++) await call(port, 'SVC_CreateVariable', 1);
  const createdMs = (performance.now() - fromMs) / CREATED;
  const mib = (value: number) => `${value.toFixed(0)} MiB`;
  return [
    count.toLocaleString('en-US'),
    `${(startMs / 1000).toFixed(1)} s, ${(startCpu / 1000).toFixed(1)} s`,
    mib(rest),
    first.text,
    next.text,
    mib(first.bytes / 2 ** 20),
    mib(Number(peak) / 1024),
    mib(after),
    `${longest.toFixed(0)} ms`,
    `${createdMs.toFixed(1)} ms`,
  ];
}

/** Fetched and discarded in chunks: the cost of the gateway, not of the reader. */
async function snapshot(port: number, pid: number): Promise<{ text: string; bytes: number }> {
  const cpuBefore = cpuMs(pid);
  const fromMs = performance.now();
  const bytes = await new Promise<number>((resolve, reject) => {
    const snapshotRequest = request({ port, host: '127.0.0.1', path: '/api/', method: 'POST' });
    snapshotRequest.setHeader('Authorization', AUTHORIZATION);
    snapshotRequest.on('error', reject).on('response', (response) => {
      let sum = 0;
      response.on('data', (piece: Buffer) => (sum += piece.length));
      response.on('end', () => resolve(sum)).on('error', reject);
    });
    snapshotRequest.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SVC_GetSnapshot', params: [] }));
  });
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  return { text: `${seconds(performance.now() - fromMs)}, ${seconds(cpuMs(pid) - cpuBefore)}`, bytes };
}
