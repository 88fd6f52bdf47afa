import { crc32 } from 'node:zlib';
import { member } from './queue-counters.js';
import type { QueueFiles } from './queue-files.js';
import type { ChainPosition } from './segment-chain.js';

/** What a queue stores next to its values. */
export interface QueueState {
  /** Sequence numbers below this one may have been used. */
  readonly reserved: number;
  /** Values with lower numbers are sent, on the disk or dropped. */
  readonly reservedFrom: number;
  /** Whether the queue was closed, and all its values are on the disk. */
  readonly isClosed: boolean;
  /** Where the chains begin, by priority. */
  readonly positions: Readonly<Record<string, ChainPosition>>;
  readonly dropped: unknown;
  /** Boot → wall clock minus monotonic clock, ms, for boots whose clock was synchronised later. */
  readonly clocks: Readonly<Record<string, number>>;
}

/** The state is written to both: one of them may be damaged. */
export const STATE_FILES = ['state', 'state.copy'] as const;

/** The content of a file with this state. */
export function stateContent(state: QueueState): string {
  const json = JSON.stringify(state);
  return `${crc32(json).toString(16)}\n${json}\n`;
}

/** The state that an earlier run left; undefined if there is none, or if both files are damaged. */
export async function readState(files: QueueFiles): Promise<QueueState | undefined> {
  const names = (await files.list()).map(({ name }) => name);
  for (const name of STATE_FILES) {
    const state = names.includes(name) ? parseState((await files.read(name)).toString()) : undefined;
    if (state !== undefined) return state;
  }
  return undefined;
}

/** The state in a file; undefined if it is damaged. */
function parseState(text: string): QueueState | undefined {
  const [sum = '', content = ''] = text.split('\n');
  const json = crc32(content).toString(16) === sum ? parse(content) : undefined;
  const numberAt = (record: unknown, name: string): number => {
    const value = member(record, name);
    return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : 0;
  };
  const reserved = numberAt(json, 'reserved');
  if (reserved === 0) return undefined;
  const numbersIn = (record: unknown): Record<string, number> =>
    Object.fromEntries(
      Object.entries(record ?? {}).flatMap(([name, value]) =>
        Number.isFinite(value) ? [[name, Number(value)]] : [],
      ),
    );
  return {
    reserved,
    reservedFrom: numberAt(json, 'reservedFrom'),
    isClosed: member(json, 'isClosed') === true,
    positions: positionsIn(member(json, 'positions')),
    dropped: member(json, 'dropped'),
    clocks: numbersIn(member(json, 'clocks')),
  };
}

function positionsIn(record: unknown): Record<string, ChainPosition> {
  return Object.fromEntries(
    Object.entries(record ?? {}).flatMap(([priority, position]): [string, ChainPosition][] => {
      const [number, done] = Array.isArray(position) ? (position as readonly unknown[]) : [];
      return Number.isSafeInteger(number) && Number.isSafeInteger(done)
        ? [[priority, [Number(number), Math.max(0, Number(done))]]]
        : [];
    }),
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // A damaged file counts as missing: the files with values show where the sequence numbers continue.
    return undefined;
  }
}
