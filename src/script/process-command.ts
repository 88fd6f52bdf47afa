import { coded } from '../base/codes/coded-text.js';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { healthy, type HealthFinding } from '../base/health-check.js';
import { PACKAGE_ROOT, nativeFile } from '../base/package-root.js';

const CHILD = fileURLToPath(new URL('./child.js', import.meta.url));
/** Confines a script process before it executes Node (native/launcher.c). */
const LAUNCHER = nativeFile('stellwerk-script');
/** Declares the program's files as ES modules. */
const PACKAGE = `${PACKAGE_ROOT}package.json`;

/** Growth of the heap beyond its limit that is allowed while the script's position is determined. */
const HEAP_SLACK_MIB = 64;

/**
 * The command that runs `program` confined, as a child of `parent`; it may read `paths` in addition to the
 * system's libraries.
 */
export function confinedCommand(
  parent: number,
  paths: readonly string[],
  program: readonly string[],
): string[] {
  return [LAUNCHER, String(parent), ...paths, '--', ...program];
}

/** The command of a script process. */
export function scriptCommand(heapMiB: number): string[] {
  const flags = [
    `--max-old-space-size=${heapMiB + HEAP_SLACK_MIB}`,
    '--max-semi-space-size=1',
    // Prints a line for each full garbage collection: the only way to know the live heap of a running script.
    '--trace-gc',
    '--trace-gc-ignore-scavenger',
    '--trace-sigint',
    '--disable-warning=ExperimentalWarning',
    // For the callback that rejects a script's dynamic imports (child-run.ts).
    '--experimental-vm-modules',
    // A script's own context has `eval`. The process's context has not, and its intrinsics can't be changed.
    '--disallow-code-generation-from-strings',
    '--frozen-intrinsics',
    // The process can't read the system's OpenSSL configuration.
    '--openssl-config=/dev/null',
    '--permission',
    `--allow-fs-read=${dirname(CHILD)}/`,
  ];
  const parent = process.pid;
  const program = [process.execPath, ...flags, CHILD, String(parent)];
  return confinedCommand(parent, [dirname(CHILD), PACKAGE], program);
}

/** The launcher's output about a restriction that is not in force. */
const MISSING = /^stellwerk-script: (.*)$/gm;
/** Kernels without Landlock are common, and it only restricts reading. */
const LANDLOCK = 'Landlock';

/** A health finding from the launcher's output; undefined if there is none. */
export function confinementFinding(stderr: string): HealthFinding | undefined {
  const all = [...stderr.matchAll(MISSING)].map(([, text = '']) => text);
  if (all.length === 0) return undefined;
  const text = coded`SCRIPTS_UNCONFINED: script processes run without some of their restrictions: ${all.join('; ')}`;
  if (all.every((one) => one.includes(LANDLOCK))) return healthy(text);
  const whatToDo = coded`CONFINE_SCRIPTS: use a kernel with CONFIG_SECCOMP_FILTER (Debian’s kernels have it) and the installed unit; until then, let only users with shell access write scripts`;
  return { state: 'warning', text, whatToDo };
}
