import { coded } from '../base/codes/coded-text.js';
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fault } from '../base/fault.js';
import { ArchiveFile } from '../archive/archive-file.js';
import { listQuarantinedArchives } from '../archive/recovery.js';
import { salvage } from '../archive/salvage.js';
import type { RecordRun } from '../archive/codec.js';
import { lockDirectory } from '../store/directory-lock.js';

/** A few hundred KB of memory. */
const CHUNKS_PER_TRANSACTION = 200;

/** The result of salvaging a file, as text. */
export interface SalvageReport {
  readonly text: string;
  /** Whether there were records, and all could be read. */
  readonly isComplete: boolean;
}

/**
 * Reads the damaged archives of a data directory, or the one given; with `write`, copies the valid records
 * into the archive. Throws `STORE_UNUSABLE` if there is no damaged archive, or if a gateway uses the
 * directory to write to.
 */
export function salvageArchives({
  directory,
  file,
  write,
  nowMs,
  onProgress,
}: {
  directory: string;
  file: string | undefined;
  write: boolean;
  nowMs: number;
  /** Called after each chunk with their number; what it throws ends the salvage. */
  onProgress?: (done: number, total: number) => void;
}): SalvageReport[] {
  if (!existsSync(directory))
    throw fault('STORE_UNUSABLE', coded`NO_DATA_DIRECTORY: there is no data directory ${directory}`);
  const files =
    file === undefined ? listQuarantinedArchives(directory).map((name) => join(directory, name)) : [file];
  if (files.length === 0)
    throw fault('STORE_UNUSABLE', coded`NO_DAMAGED_ARCHIVE: there is no damaged archive in ${directory}`);
  for (const path of files)
    if (!existsSync(path)) throw fault('STORE_UNUSABLE', coded`NO_FILE: there is no file ${path}`);
  using _lock = write ? lockDirectory(directory) : undefined;
  let done = 0;
  const onChunk = () => onProgress?.(++done, 0);
  if (!write) return files.map((path) => reportOf(path, () => undefined, onChunk));
  const target = new ArchiveFile(directory);
  try {
    target.open(nowMs);
    // The oldest first, because a record replaces one of the same time.
    return files.toReversed().map((path) => {
      let chunks: (readonly [number, RecordRun])[] = [];
      const writeChunks = () => {
        target.transaction(() => {
          for (const [series, run] of chunks) target.put(series, run);
        });
        chunks = [];
      };
      const take = (series: number, run: RecordRun) => {
        chunks.push([series, run]);
        if (chunks.length >= CHUNKS_PER_TRANSACTION) writeChunks();
      };
      const report = reportOf(path, take, onChunk);
      writeChunks();
      return report;
    });
  } finally {
    target.close();
  }
}

function reportOf(
  path: string,
  take: (series: number, run: RecordRun) => void,
  onChunk: () => void,
): SalvageReport {
  const { valid, damaged, records, variables, firstMs, lastMs, gaps } = salvage(path, take, onChunk);
  const span =
    records === 0 ? '' : `, ${new Date(firstMs).toISOString()} to ${new Date(lastMs).toISOString()}`;
  const lines = [
    `${basename(path)}: ${valid} valid chunks with up to ${records} records of ${variables.size} variables${span}`,
    `  ${damaged} damaged chunks`,
    ...gaps.map((gap) => `  unreadable: ${gap}`),
  ];
  return { text: lines.join('\n'), isComplete: damaged === 0 && gaps.length === 0 && records > 0 };
}
