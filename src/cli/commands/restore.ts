import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { RecoveryKey } from '../../backup/recovery-key.js';
import type { BackupJob } from '../../backup/backup-job.js';
import { runInWorker } from '../../backup/run-backup-job.js';
import type { TargetSettings } from '../../backup/targets/open-target.js';
import { systemClock } from '../../base/clock.js';
import { writeRecoveryKey } from '../../composition/backup/recovery-key-file.js';
import { parseTarget } from '../../composition/backup/target-settings.js';
import { findNewestIntactBackup } from '../../store/backup.js';
import { LOCK_FILE } from '../../store/directory-lock.js';
import { RESTORE_STEPS } from '../../store/restore.js';
import { readFirstLine } from '../arguments/locate-gateway.js';
import { command, UsageError } from '../command.js';
import { runMaintenance } from '../maintenance/run-maintenance.js';
import { exitCode } from '../exit-codes.js';
import { chownBelow, chownConfig, chownFile } from '../file-ownership.js';
import { ProgressLine } from '../output/progress-line.js';
import { promptHidden } from '../output/terminal.js';

/** `stellwerk restore FILE`: restores a backup. */
export const restore = command({
  usage: 'restore [options] FILE|NAME|latest',
  about: `Restores a backup to the data directory, and its configuration to --config FILE. Stop the gateway first: nothing
is changed while a gateway uses the directory, or if the backup is damaged. Replaced files are kept under other
names. latest is the newest valid daily backup of the data directory. Ctrl-C cancels a restore, and nothing is
changed; the last step, which replaces the files, cannot be cancelled.

With --target, an encrypted backup is restored, with the records of the archive, certificates and keys: NAME, or
latest for the newest. It asks for the recovery key, unless --key-file has it.`,
  options: {
    data: { type: 'string', value: 'DIR', help: 'the data directory; may be missing or empty' },
    config: {
      type: 'string',
      value: 'FILE',
      help: "where the backup's configuration goes; without it, it is left out",
    },
    target: {
      type: 'string',
      value: 'PATH',
      help: 'the target: a directory, or a YAML file with an entry as in backup.targets',
    },
    'key-file': {
      type: 'string',
      value: 'FILE',
      help: 'the recovery key is the first line of this file; - is stdin',
    },
    replace: { type: 'boolean', help: 'replace an existing database and configuration' },
  },
  words: [1, 1],
  exits: '0 done, 1 not done, 130 cancelled',
  run: async ({ data, config, target, 'key-file': keyFile, replace = false }, [file = '']) => {
    if (data === undefined) throw new UsageError('give the data directory: --data DIR');
    const directory = resolve(data);
    const common = {
      kind: 'restore',
      directory,
      config: config === undefined ? undefined : resolve(config),
      replace,
      nowMs: systemClock().nowMs(),
    } as const;
    const restoring =
      target === undefined
        ? runMaintenance(
            { ...common, backup: file === 'latest' ? newestOf(directory) : resolve(file) },
            { textOf: (step) => `${RESTORE_STEPS[step] ?? ''} …`, cancelled: 'nothing was changed' },
          )
        : restoreFromTarget(common, { name: file, target, keyFile });
    const done = await restoring.catch((thrown: unknown) => {
      // The service's user must be able to open it.
      chownFile(join(directory, LOCK_FILE));
      throw thrown;
    });
    chownBelow(directory);
    if (config !== undefined) chownConfig(resolve(config));
    process.stdout.write(`${done.join('\n')}\n`);
    return exitCode.ok;
  },
});

type RestoreJob = Extract<BackupJob, { kind: 'restore' }>;

interface EncryptedBackup {
  readonly name: string;
  readonly target: string;
  readonly keyFile: string | undefined;
}

/** Restores an encrypted backup, whose key is the gateway's key afterwards. */
async function restoreFromTarget(
  common: Omit<RestoreJob, 'name' | 'target' | 'key'>,
  { name, target, keyFile }: EncryptedBackup,
): Promise<readonly string[]> {
  const settings = await readTarget(resolve(target));
  const text = keyFile === undefined ? await promptHidden('Recovery key: ') : readFirstLine(keyFile);
  const key = RecoveryKey.parse(text);
  using line = new ProgressLine(() => systemClock().nowMs());
  const report = (done: number, total: number) => {
    if (!line.signal.aborted && total > 0) line.update(`${Math.floor((100 * done) / total)} %`);
  };
  const job: RestoreJob = { ...common, name, target: settings, key: key.toText() };
  const done = await runInWorker(job, { signal: line.signal, report });
  await writeRecoveryKey(common.directory, key);
  return done;
}

/** A target: a directory, or a file with its entry. */
async function readTarget(path: string): Promise<TargetSettings> {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return { name: 'restore', path };
  const given: unknown = parse(readFileSync(path, 'utf8'));
  if (typeof given !== 'object' || given === null) throw new UsageError(`${path} has no entry of a target`);
  return parseTarget(join(dirname(path), 'target'), given);
}

function newestOf(directory: string): string {
  const { path, skipped } = findNewestIntactBackup(directory);
  for (const why of skipped) process.stderr.write(`skipped: ${why.text}\n`);
  if (path === undefined) throw new Error(`there is no intact backup in ${directory}/backups`);
  return path;
}
