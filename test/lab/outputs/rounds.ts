/**
 * The measurements of a proof: one file per event in build/outputs, one line per round that passed. table.ts
 * reads them.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../paths.js';
import type { Policy } from './lines.js';

const FOLDER = join(ROOT, 'build', 'outputs');

/** One round of an event. */
export interface Round {
  readonly event: string;
  /** One entry per change that a policy made, by the machine's monotonic clock. */
  readonly moves: readonly {
    readonly policy: Policy;
    /** After the beginning of the event. */
    readonly afterMs: number;
    /** After the end of the gateway's last thread; null if it did not end. */
    readonly afterDeathMs: number | null;
  }[];
}

/** Records a round. */
export function saveRound(round: Round): void {
  mkdirSync(FOLDER, { recursive: true });
  appendFileSync(join(FOLDER, `${round.event.replace(/\W+/g, '-')}.jsonl`), `${JSON.stringify(round)}\n`);
}

/** The recorded rounds by event. */
export function savedRounds(): Map<string, Round[]> {
  const all = new Map<string, Round[]>();
  for (const name of readdirSync(FOLDER)) {
    const rounds = readFileSync(join(FOLDER, name), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Round);
    if (rounds[0] !== undefined) all.set(rounds[0].event, rounds);
  }
  return all;
}
