import { resolve } from 'node:path';
import type { AnyFunction, Client } from '../../client/index.js';
import { BACKUP_STEPS } from '../../store/backup.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { runMaintenance } from '../maintenance/run-maintenance.js';
import {
  gatewayClient,
  gatewayOptions,
  locateData,
  type GatewayArguments,
} from '../arguments/locate-gateway.js';
import { callWithProgress } from '../output/call-with-progress.js';
import { escapeControls } from '../output/terminal.js';

/** `stellwerk backup FILE`: everything of a gateway in one file; the other forms are about its targets. */
export const backup = command({
  usage: 'backup [options] FILE | key | list [TARGET] | run TARGET | verify TARGET [NAME]',
  about: `Writes a backup of a gateway to FILE: the tree with all values, scripts, configuration, icons and media. The
gateway may be running. FILE may contain secrets and is readable by its owner only. Ctrl-C cancels it and leaves no
file; the step that copies the database ends first.

The other forms ask the running gateway, and are about the targets in its configuration (backup.targets):
key creates the recovery key, which encrypts the backups, and prints it once; list shows the targets, or the
backups of one; run stores a backup now; verify restores a backup, by default the newest, into a scratch directory
and compares what is there with what was stored. For a FILE with one of these names, write ./list.`,
  options: {
    ...gatewayOptions,
    data: {
      type: 'string',
      value: 'DIR',
      help: 'with FILE: the data directory; default /var/lib/stellwerk, in a checkout data/',
    },
  },
  words: [1, 3],
  exits:
    '0 done, 1 failed (FILE exists, a target does not reply, a backup is damaged), 69 the gateway cannot be reached, 130 cancelled',
  run: async (options, [first = '', target = '', name = '']) => {
    const act = TARGET_COMMANDS[first];
    if (act !== undefined) return act(options, target, name);
    if (target !== '') throw new UsageError('give one FILE');
    return writeBackupFile(options, first);
  },
});

interface BackupArguments extends GatewayArguments {
  readonly data?: string;
}

async function writeBackupFile(options: BackupArguments, file: string): Promise<number> {
  const { data, config } = locateData(options.data, options.config);
  const { bytes, leftOut } = await runMaintenance(
    { kind: 'backup', directory: resolve(data), to: resolve(file), config },
    { textOf: (done) => `${BACKUP_STEPS[done] ?? ''} …`, cancelled: `${file} was not written` },
  );
  const what = config === undefined ? 'without a configuration (--config FILE)' : `with ${config}`;
  process.stdout.write(`${file}: ${bytes} bytes, from ${data}, ${what}\n`);
  if (leftOut.length > 0) process.stdout.write(`too large, and left out: ${leftOut.join(', ')}\n`);
  return exitCode.ok;
}

type TargetCommand = (options: GatewayArguments, target: string, name: string) => Promise<number>;

const TARGET_COMMANDS: Readonly<Record<string, TargetCommand>> = {
  key: async (options) => {
    const gateway = await gatewayClient(options);
    const { Key } = (await gateway.call('GW_CreateRecoveryKey')) as { Key: string };
    process.stdout.write(`${Key}\n`);
    process.stderr.write(
      'Keep this key outside of the box: it is shown this once, and backups cannot be read without it.\n',
    );
    return exitCode.ok;
  },
  list: async (options, target) => {
    const gateway = await gatewayClient(options);
    process.stdout.write(target === '' ? await targetsText(gateway) : await backupsText(gateway, target));
    return exitCode.ok;
  },
  run: async (options, target) => {
    const gateway = await gatewayClient(options);
    const made = (await callWithProgress(gateway, 'GW_RunTargetBackup', requireTarget(target))) as {
      readonly Name: string;
      readonly StoredBytes: number;
      readonly StoredChunks: number;
      readonly Chunks: number;
    };
    process.stdout.write(
      `${made.Name}: ${made.Chunks} chunks, ${made.StoredChunks} of them new, ${made.StoredBytes} bytes stored\n`,
    );
    return exitCode.ok;
  },
  verify: async (options, target, name) => {
    const gateway = await gatewayClient(options);
    const found = (await callWithProgress(gateway, 'GW_VerifyTargetBackup', requireTarget(target), name)) as {
      readonly Name: string;
      readonly Objects: number;
      readonly Values: number;
      readonly ArchiveRecords: number;
    };
    process.stdout.write(
      `${found.Name}: restored and compared: ${found.Objects} objects, ${found.Values} values, ${found.ArchiveRecords} records\n`,
    );
    return exitCode.ok;
  },
};

function requireTarget(target: string): string {
  if (target === '') throw new UsageError('give the name of a target; stellwerk backup list shows them');
  return target;
}

const timeText = (ms: number): string =>
  ms === 0 ? 'never' : new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

async function targetsText(gateway: Client<AnyFunction>): Promise<string> {
  const { KeyID, Targets } = (await gateway.call('GW_GetBackupTargets')) as {
    readonly KeyID: string;
    readonly Targets: readonly {
      readonly Name: string;
      readonly Kind: string;
      readonly LastMs: number;
      readonly VerifiedMs: number;
      readonly Problem: string;
      readonly VerifyProblem: string;
    }[];
  };
  const rows = Targets.map(({ Name, Kind, LastMs, VerifiedMs, Problem, VerifyProblem }) => [
    Name,
    Kind,
    timeText(LastMs),
    timeText(VerifiedMs),
    [Problem, VerifyProblem].filter((text) => text !== '').join('; '),
  ]);
  const key = KeyID === '' ? 'no recovery key: stellwerk backup key' : `recovery key ${KeyID}`;
  return `${key}\n${columns([['target', 'kind', 'last backup (UTC)', 'verified (UTC)', 'problem'], ...rows])}`;
}

async function backupsText(gateway: Client<AnyFunction>, target: string): Promise<string> {
  const found = (await gateway.call('GW_GetTargetBackups', target)) as {
    readonly Name: string;
    readonly CreatedMs: number;
  }[];
  return columns([
    ['backup', 'made (UTC)'],
    ...found.map(({ Name, CreatedMs }) => [Name, timeText(CreatedMs)]),
  ]);
}

/** Lines with aligned columns. */
function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((text, i) => escapeControls(text).padEnd(widths[i] ?? 0)).join('  ');
  return rows.map((row) => `${line(row).trimEnd()}\n`).join('');
}
