/**
 * Writes the measurements of the proof into docs/hardware/safe-outputs.md and docs/reference/performance.md,
 * between their marks: `node dist/test/lab/outputs/table.js`, after the lab files of this directory have run
 * with ROUNDS=20 or more. It rejects events with fewer rounds, and a table that lacks an event.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import type { Policy } from './lines.js';
import { savedRounds, type Round } from './rounds.js';

/** Minimum rounds per event; a lower number may be given for a preview of the table. */
const ROUNDS_LEAST = Number(process.argv[2] ?? 20);
const EVENTS = 11;
const COLUMNS: readonly Policy[] = ['hold', 'active', 'inactive', 'late'];
const HEAD = ['event', 'rounds', '`hold`', '`active`', '`inactive`', 'the default, with `HoldForS: 1`'];
const BEGIN = '<!-- measured in the lab: begin -->';
const END = '<!-- measured in the lab: end -->';

const all = [...savedRounds()].sort(([a], [b]) => a.localeCompare(b, 'en'));
const few = all
  .filter(([, rounds]) => rounds.length < ROUNDS_LEAST)
  .map(([event, { length }]) => `${event}: ${length}`);
if (all.length < EVENTS || few.length > 0) {
  console.error(
    `not written: ${all.length} of ${EVENTS} events, too few rounds: ${few.join('; ') || 'none'}`,
  );
  process.exit(1);
}
put('docs/hardware/safe-outputs.md', [
  HEAD,
  HEAD.map(() => '---'),
  ...all.map(([event, rounds]) => [
    event,
    `${rounds.length}`,
    ...COLUMNS.map((policy) => cell(afterMs(rounds, [policy]))),
  ]),
]);
const killed = all.filter(([event]) => event.includes('gateway is killed')).flatMap(([, rounds]) => rounds);
const driven = killed.flatMap(({ moves }) => moves.filter(({ policy }) => policy !== 'late'));
put('docs/reference/performance.md', [
  ['figure', 'median', 'maximum', 'goal'],
  ['---', '---', '---', '---'],
  [
    'from the end of the gateway’s process to the safe level',
    ...middleAndWorst(driven.map((move) => move.afterDeathMs ?? NaN)).map((ms) => `${ms} ms`),
    '< 100 ms',
  ],
  [
    'from `kill −9` to the safe level',
    ...middleAndWorst(driven.map((move) => move.afterMs)).map((ms) => `${ms} ms`),
    '',
  ],
]);

function afterMs(rounds: readonly Round[], policies: readonly Policy[]): number[] {
  return rounds.flatMap(({ moves }) =>
    moves.filter(({ policy }) => policies.includes(policy)).map((move) => move.afterMs),
  );
}

function cell(times: readonly number[]): string {
  if (times.length === 0) return 'no move';
  const [median, maximum] = middleAndWorst(times);
  return `${median} ms, at most ${maximum} ms`;
}

function middleAndWorst(values: readonly number[]): string[] {
  const sorted = [...values].sort((a, b) => a - b);
  return [sorted[Math.floor(sorted.length / 2)] ?? NaN, sorted.at(-1) ?? NaN].map((ms) =>
    ms.toFixed(ms < 100 ? 1 : 0),
  );
}

/** Puts a table between the marks of a page. */
function put(page: string, table: readonly (readonly string[])[]): void {
  const path = join(ROOT, page);
  const text = readFileSync(path, 'utf8');
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${page} has no place for the table: ${BEGIN} … ${END}`);
  const body = table.map((row) => `| ${row.join(' | ')} |`).join('\n');
  writeFileSync(path, `${text.slice(0, from + BEGIN.length)}\n\n${body}\n\n${text.slice(to)}`);
}
