import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MARK = 'STELLWERK_TEST_NAMESPACE';

/**
 * Runs tests that mount disks. They run in a mount namespace of their own, which requires root: the file at
 * `url` is run once more in it. Without root `tests` gets the reason to skip them for.
 */
export async function withOwnMounts(
  url: string,
  tests: (skip: string | false) => Promise<void> | void,
): Promise<void> {
  const canUnshare = process.getuid?.() === 0 && spawnSync('unshare', ['-m', 'true']).status === 0;
  if (!canUnshare || process.env[MARK] !== undefined)
    return tests(canUnshare ? false : 'mounting a small disk requires root');
  const args = ['-m', process.execPath, ...process.execArgv, fileURLToPath(url)];
  const env = { ...process.env, [MARK]: 'yes' };
  process.exitCode = spawnSync('unshare', args, { stdio: 'inherit', env }).status ?? 1;
}
