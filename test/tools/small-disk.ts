import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempDirectory } from './temp-directory.js';

/** Its size. */
export const DISK_BYTES = 1024 * 1024;

/** A small disk, mounted in this namespace (`namespace.ts`), and unmounted with the test. */
export async function smallDisk(t: Parameters<typeof tempDirectory>[0]): Promise<string> {
  const directory = await tempDirectory(t);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', directory]);
  t.teardown(async () => void execFileSync('umount', ['-l', directory]));
  return directory;
}

/** Fills the disk to its last page. */
export function fill(directory: string): void {
  for (let size = DISK_BYTES; size >= 4096; size /= 2) {
    try {
      for (let n = 0; ; n++) writeFileSync(join(directory, `filler-${size}-${n}`), Buffer.alloc(size, 1));
    } catch {
      // Smaller writes may still succeed.
    }
  }
}

/** Removes what {@link fill} wrote. */
export function empty(directory: string): void {
  for (let size = DISK_BYTES; size >= 4096; size /= 2)
    for (let n = 0; n < 300; n++) rmSync(join(directory, `filler-${size}-${n}`), { force: true });
}

/** Makes the disk read-only, or writable again. */
export function remount(directory: string, mode: 'ro' | 'rw'): void {
  execFileSync('mount', ['-o', `remount,${mode}`, directory]);
}
