import { join } from 'node:path';
import { RecoveryKey } from '../../backup/recovery-key.js';
import { runInWorker } from '../../backup/run-backup-job.js';
import { coded, joined } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { isRecord } from '../../api/rpc/rpc.js';
import { parseJsonOr } from '../../base/json.js';
import { ConfigurationError } from '../../config/document.js';
import { placeFetched } from './pending-restore.js';
import { writeRecoveryKey } from './recovery-key-file.js';
import { parseTarget } from './target-settings.js';

/** What somebody with the claim code restores. */
interface ClaimedBackup {
  /** The recovery key. */
  readonly key: string;
  /** An entry of `backup.targets` as JSON, with `path`, `webdav` or `s3`. */
  readonly target: string;
}

/** The members that name files of the gateway, whose content must not be sent to a server of someone's choice. */
const FILES = new Set(['passwordFile', 'secretKeyFile', 'ca', 'keyFile']);

/**
 * Fetches the newest backup of a target into a data directory without an owner; the next start restores it.
 * Returns its name. Throws `INVALID_REQUEST`, and as `runInWorker`; then nothing has changed.
 */
export async function fetchForClaim(
  directory: string,
  given: ClaimedBackup,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<string> {
  const key = RecoveryKey.parse(given.key);
  const target = await targetOf(directory, given.target);
  const folder = join(directory, 'restore.new');
  const job = { kind: 'fetch', name: 'latest', folder, target, key: key.toText(), nowMs } as const;
  const fetched = await runInWorker(job, { signal, report: () => undefined });
  const name = await placeFetched(directory, { ...fetched, folder });
  await writeRecoveryKey(directory, key);
  return name;
}

async function targetOf(directory: string, text: string) {
  const given = parseJsonOr<unknown>(text, undefined);
  const members = isRecord(given) ? Object.values(given).filter(isRecord).flatMap(Object.keys) : [];
  if (!isRecord(given) || members.some((name) => FILES.has(name)))
    throw fault(
      'INVALID_REQUEST',
      coded`CLAIM_TARGET: target must be a path, webdav or s3, without files of the gateway`,
    );
  try {
    return await parseTarget(join(directory, 'target'), given);
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    throw fault('INVALID_REQUEST', joined(thrown.findings.map(({ text: why }) => why)));
  }
}
