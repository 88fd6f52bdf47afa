import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { promisify } from 'node:util';
import { compileC } from './compile-c.js';

const run = promisify(execFile);

/** Why this machine cannot mount a file system of a test; false if it can. */
export async function fuseObstacle(): Promise<string | false> {
  if (process.getuid?.() !== 0) return 'mounting needs root';
  try {
    accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
    await run('pkg-config', ['--exists', 'fuse3']);
    return false;
  } catch {
    return 'needs /dev/fuse and libfuse3-dev';
  }
}

/** Compiles a file system of a test (`compileC`). */
export async function compileFileSystem(name: string, source: string): Promise<string> {
  const { stdout } = await run('pkg-config', ['--cflags', '--libs', 'fuse3']);
  return compileC(name, [source], stdout.trim().split(/\s+/));
}
