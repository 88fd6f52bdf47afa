import { systemClock } from '../../base/clock.js';
import { resolve } from 'node:path';
import { findNewestSoundBackup } from '../../store/backup.js';
import { restoreBackup } from '../../store/restore.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { chownBelow, chownConfig } from '../file-ownership.js';

/** `stellwerk restore FILE`: restores a backup. */
export const restore = command({
  usage: 'restore [options] FILE|latest',
  about: `Restores a backup to the data directory, and its configuration to --config FILE. Stop the gateway first: nothing
is changed while a gateway uses the directory, or if the backup is damaged. Replaced files are kept under other
names. latest is the newest valid daily backup of the data directory.`,
  options: {
    data: { type: 'string', value: 'DIR', help: 'the data directory; may be missing or empty' },
    config: {
      type: 'string',
      value: 'FILE',
      help: "where the backup's configuration goes; without it, it is left out",
    },
    replace: { type: 'boolean', help: 'replace an existing database and configuration' },
  },
  words: [1, 1],
  exits: '0 done, 1 not done',
  run: async ({ data, config, replace = false }, [file = '']) => {
    if (data === undefined) throw new UsageError('give the data directory: --data DIR');
    const directory = resolve(data);
    const done = restoreBackup({
      backup: file === 'latest' ? newestOf(directory) : resolve(file),
      directory,
      config: config === undefined ? undefined : resolve(config),
      replace,
      nowMs: systemClock().nowMs(),
    });
    chownBelow(directory);
    if (config !== undefined) chownConfig(resolve(config));
    process.stdout.write(`${done.join('\n')}\n`);
    return exitCode.ok;
  },
});

function newestOf(directory: string): string {
  const { path, passedOver } = findNewestSoundBackup(directory);
  for (const why of passedOver) process.stderr.write(`passed over: ${why}\n`);
  if (path === undefined) throw new Error(`there is no intact backup in ${directory}/backups`);
  return path;
}
