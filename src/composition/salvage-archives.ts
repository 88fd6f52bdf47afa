import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fault } from '../base/fault.js';
import { ArchiveFile } from '../archive/archive-file.js';
import { listQuarantinedArchives } from '../archive/recovery.js';
import { salvage } from '../archive/salvage.js';
import type { RecordRun } from '../archive/codec.js';
import { lockDirectory } from '../store/directory-lock.js';

/** Chunks per transaction: a few hundred KB of memory. */
const AT_ONCE = 200;

/** The result of salvaging a file, as text. */
interface SalvageReport {
  readonly text: string;
  readonly isWhole: boolean;
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
}: {
  directory: string;
  file: string | undefined;
  write: boolean;
  nowMs: number;
}): SalvageReport[] {
  if (!existsSync(directory)) throw fault('STORE_UNUSABLE', `there is no data directory ${directory}`);
  const files =
    file === undefined ? listQuarantinedArchives(directory).map((name) => join(directory, name)) : [file];
  if (files.length === 0) throw fault('STORE_UNUSABLE', `there is no damaged archive in ${directory}`);
  for (const path of files) if (!existsSync(path)) throw fault('STORE_UNUSABLE', `there is no file ${path}`);
  using _lock = write ? lockDirectory(directory) : undefined;
  if (!write) return files.map((path) => reportOf(path, () => undefined));
  const target = new ArchiveFile(directory);
  try {
    target.open(nowMs);
    // The oldest first, because a record replaces one of the same time.
    return files.toReversed().map((path) => {
      let waiting: (readonly [number, RecordRun])[] = [];
      const put = () => {
        target.transaction(() => {
          for (const [series, run] of waiting) target.put(series, run);
        });
        waiting = [];
      };
      const report = reportOf(path, (series, run) => {
        waiting.push([series, run]);
        if (waiting.length >= AT_ONCE) put();
      });
      put();
      return report;
    });
  } finally {
    target.close();
  }
}

function reportOf(path: string, take: (series: number, run: RecordRun) => void): SalvageReport {
  const { sound, damaged, records, variables, firstMs, lastMs, gaps } = salvage(path, take);
  const span =
    records === 0 ? '' : `, ${new Date(firstMs).toISOString()} to ${new Date(lastMs).toISOString()}`;
  const lines = [
    `${basename(path)}: ${sound} valid chunks with up to ${records} records of ${variables.size} variables${span}`,
    `  ${damaged} damaged chunks`,
    ...gaps.map((gap) => `  unreadable: ${gap}`),
  ];
  return { text: lines.join('\n'), isWhole: damaged === 0 && gaps.length === 0 && records > 0 };
}
