import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { healthy, type HealthFinding } from '../base/health-check.js';
import { PACKAGE_ROOT, nativeFile } from '../base/package-root.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/** Confines a script's process before it becomes Node (native/launcher.c). */
const LAUNCHER = nativeFile('stellwerk-script');
/** Says that the program's files are ES modules. */
const PACKAGE = `${PACKAGE_ROOT}package.json`;

/** The heap may grow by so much beyond its limit, so that the script can still be asked where it is. */
const HEAP_SLACK_MIB = 64;

/** The command of a process that becomes `program`, confined, when `parent` starts it; it reads `paths` besides the system's libraries. */
export function confinedCommand(
  parent: number,
  paths: readonly string[],
  program: readonly string[],
): string[] {
  return [LAUNCHER, String(parent), ...paths, '--', ...program];
}

/** The command of a process for scripts. */
export function scriptCommand(heapMiB: number): string[] {
  const flags = [
    `--max-old-space-size=${heapMiB + HEAP_SLACK_MIB}`,
    '--max-semi-space-size=1',
    // A line about each whole collection: how much lives can't be known otherwise while a script runs.
    '--trace-gc',
    '--trace-gc-ignore-scavenger',
    '--trace-sigint',
    '--disable-warning=ExperimentalWarning',
    // For the callback with which a script's dynamic import fails (run.ts).
    '--experimental-vm-modules',
    // A script's own context has `eval`; the process's context has not, nor can its intrinsics be changed.
    '--disallow-code-generation-from-strings',
    '--frozen-intrinsics',
    // The process cannot read the system's.
    '--openssl-config=/dev/null',
    '--permission',
    `--allow-fs-read=${dirname(CHILD)}/`,
  ];
  const parent = process.pid;
  const program = [process.execPath, ...flags, CHILD, String(parent)];
  return confinedCommand(parent, [dirname(CHILD), PACKAGE], program);
}

/** What the launcher writes about a restriction that is not in force. */
const MISSING = /^stellwerk-script: (.*)$/gm;
/** Kernels without Landlock are common, and what it restricts is only reading. */
const LANDLOCK = 'Landlock';

/** A health finding of what the launcher wrote; undefined if it wrote nothing. */
export function confinementFinding(stderr: string): HealthFinding | undefined {
  const all = [...stderr.matchAll(MISSING)].map(([, text = '']) => text);
  if (all.length === 0) return undefined;
  const text = `script processes run with less than their usual restrictions: ${all.join('; ')}`;
  if (all.every((one) => one.includes(LANDLOCK))) return healthy(text);
  const whatToDo =
    'Use a kernel with CONFIG_SECCOMP_FILTER (Debian’s have it) and the unit as installed; until then give nobody scripts to write who may not have a shell';
  return { state: 'warning', text, whatToDo };
}
