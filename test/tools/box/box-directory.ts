import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  BOX_FILES,
  type BoxFiles,
  type Slot,
  type UpdateState,
} from '../../../src/service/updates/box-files.js';

/** The slots of a box that runs 1.1.0 in slot B, with 1.0.0 in slot A. */
export const SLOTS: readonly Slot[] = [
  { name: 'A', version: '1.0.0', isBooted: false, isNext: false, isGood: true },
  { name: 'B', version: '1.1.0', isBooted: true, isNext: true, isGood: true },
];

/** The files of a box below a directory; 1.1.0 runs and is confirmed. */
export function boxIn(directory: string): BoxFiles {
  const files = Object.fromEntries(
    Object.entries(BOX_FILES).map(([name, path]: [string, string]) => [name, join(directory, path)]),
  ) as unknown as BoxFiles;
  put(files.release, 'ID=debian\nIMAGE_ID=stellwerk-box\nIMAGE_VERSION=1.1.0\n');
  put(files.verdict, 'healthy\n');
  return files;
}

/** Reports what the service for updates does. */
export function reportState(files: BoxFiles, state: Partial<UpdateState>): void {
  const atMs = Number(process.hrtime.bigint() / 1_000_000n);
  const idle: UpdateState = { atMs, busy: '', version: '', percent: 0, problem: '', slots: SLOTS };
  put(files.state, JSON.stringify({ ...idle, ...state }));
}

export function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}
