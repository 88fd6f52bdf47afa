import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { coded } from '../base/codes/coded-text.js';
import { fault } from '../base/fault.js';
import { restoreBackup } from '../store/restore.js';
import type { Contents } from './backup-index.js';
import { indexMs } from './backup-index.js';
import { fetchBackup, verifyBackup } from './download.js';
import type { JobProgress } from './job-progress.js';
import { RecoveryKey } from './recovery-key.js';
import { Repository } from './repository.js';
import type { Retention } from './retention.js';
import { openTarget, type TargetSettings } from './targets/open-target.js';
import { testTarget } from './test-target.js';
import { uploadBackup, type UploadReport } from './upload.js';

/** What every job is about. */
interface JobTarget {
  readonly target: TargetSettings;
  /** The recovery key as text; a test needs none. */
  readonly key: string;
  readonly nowMs: number;
}

/** A job with a target; it is done in a thread of its own. */
export type BackupJob = JobTarget &
  (
    | {
        readonly kind: 'upload';
        readonly directory: string;
        readonly state: string;
        readonly version: string;
        readonly retention: Retention;
      }
    | { readonly kind: 'test' }
    | { readonly kind: 'list' }
    | { readonly kind: 'verify'; readonly name: string; readonly scratch: string }
    | { readonly kind: 'fetch'; readonly name: string; readonly folder: string }
    | {
        readonly kind: 'restore';
        readonly name: string;
        readonly directory: string;
        readonly config: string | undefined;
        readonly replace: boolean;
      }
  );

/** A backup on a target. */
interface ListedBackup {
  readonly name: string;
  readonly madeMs: number;
}

/** What a verification compared. */
interface VerifyReport extends Contents {
  readonly name: string;
}

/** What a fetch stored in its folder: the backup of the database, and other files → their paths in the data directory. */
interface FetchReport {
  readonly name: string;
  readonly state: string;
  readonly files: Readonly<Record<string, string>>;
}

/** The results of the jobs. */
export interface BackupResults {
  readonly upload: UploadReport;
  readonly test: boolean;
  readonly list: readonly ListedBackup[];
  readonly verify: VerifyReport;
  readonly fetch: FetchReport;
  /** One line for each file that was renamed or written. */
  readonly restore: readonly string[];
}

/** The name of the newest backup on a target. */
const NEWEST = 'latest';

/** Does a job. `name` may be {@link NEWEST}. */
export async function runBackupJob(job: BackupJob, progress: JobProgress): Promise<unknown> {
  // Servers reject requests whose date is 15 minutes off, and a job can last longer: the time must go on.
  await using target = await openTarget(job.target, progress.signal, systemClock().nowMs);
  if (job.kind === 'test') return await testTarget(target);
  const key = RecoveryKey.parse(job.key);
  const repository = new Repository(target, key);
  switch (job.kind) {
    case 'upload':
      return await uploadBackup(repository, { ...job, progress });
    case 'list':
      return (await repository.names()).map((name) => ({ name, madeMs: indexMs(name) }));
    case 'verify': {
      const name = await nameOf(repository, job.name, key);
      return { name, ...(await verifyBackup(repository, name, { ...job, progress })) };
    }
    case 'fetch': {
      const name = await nameOf(repository, job.name, key);
      rmSync(job.folder, { recursive: true, force: true });
      try {
        const { state, files } = await fetchBackup(repository, name, { folder: job.folder, progress });
        return { name, state, files };
      } catch (thrown) {
        // Otherwise a disk that it has filled up stays full.
        rmSync(job.folder, { recursive: true, force: true });
        throw thrown;
      }
    }
    case 'restore': {
      const name = await nameOf(repository, job.name, key);
      const folder = join(job.directory, 'restore.new');
      rmSync(folder, { recursive: true, force: true });
      try {
        const { state, files } = await fetchBackup(repository, name, { folder, progress });
        return restoreBackup({ ...job, backup: state, files });
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }
  }
}

async function nameOf(repository: Repository, name: string, key: RecoveryKey): Promise<string> {
  if (name !== NEWEST) return name;
  const [newest] = await repository.names();
  if (newest === undefined)
    throw fault(
      'BACKUP_TARGET_FAILED',
      coded`NO_BACKUP_OF_KEY: it has no backup encrypted with the key ${key.id}; check the key and the folder`,
    );
  return newest;
}
