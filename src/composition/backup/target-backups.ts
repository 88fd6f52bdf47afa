import { join } from 'node:path';
import type { BackupJob, BackupResults } from '../../backup/backup-job.js';
import { reasonOf } from '../../backup/failure-reason.js';
import { RecoveryKey } from '../../backup/recovery-key.js';
import { runInWorker } from '../../backup/run-backup-job.js';
import type { TargetSettings } from '../../backup/targets/open-target.js';
import { coded, joined, recordOf } from '../../base/codes/coded-text.js';
import { codeOf, fault, messageOf } from '../../base/fault.js';
import { DAY_MS } from '../../base/local-time.js';
import type { Log } from '../../base/log.js';
import { SerialQueue } from '../../base/serial-queue.js';
import type { TaskList, TaskProgress } from '../../base/tasks/task-list.js';
import { ConfigurationError } from '../../config/document.js';
import type { BackupConfig, TargetConfig } from '../../config/schema/backup-schema.js';
import type { TargetBackupsPort } from '../../functions/ports.js';
import { packageVersion } from '../../service/system.js';
import type { Foundation } from '../foundation.js';
import { placeFetched } from './pending-restore.js';
import { readRecoveryKey, writeRecoveryKey } from './recovery-key-file.js';
import {
  DEFAULT_AT,
  isDue,
  isVerifyDue,
  lastScheduledMs,
  retryAfterMs,
  targetsFinding,
  VERIFY_RETRY_MS,
} from './target-schedule.js';
import { parseTarget, targetIdentity, targetSettings, withSecrets } from './target-settings.js';
import { TargetStates, type KnownTarget } from './target-states.js';

/** What is kept by default. */
const KEPT = { days: 7, weeks: 4, months: 6 };
/** Interval for checking whether a backup is due, ms. */
const CHECK_MS = 60_000;
/**
 * A scheduled backup uses the daily one of the data directory if it is that fresh, ms: several targets share
 * it.
 */
const FRESH_MS = 60 * 60 * 1000;
/** The user that tasks of the schedule have. */
const SCHEDULE = 'schedule';

/** A job without what all jobs of a gateway have in common. */
type Work<K extends BackupJob['kind']> = Omit<Extract<BackupJob, { kind: K }>, 'target' | 'key' | 'nowMs'>;

interface Dependencies {
  readonly foundation: Pick<Foundation, 'store' | 'directory' | 'clock' | 'health' | 'configSource'>;
  readonly config: () => BackupConfig | undefined;
  readonly tasks: TaskList;
  readonly log: Log;
}

/** The encrypted backups on targets: made every day, compared every week, and on request. */
export class TargetBackups implements TargetBackupsPort {
  readonly #dependencies: Dependencies;
  readonly #states: TargetStates;
  /** One job at a time: each reads everything, and may use a slow connection. */
  readonly #queue = new SerialQueue();
  #sinceMs: number;
  #key: RecoveryKey | undefined;
  #isChecking = false;
  #isClosed = false;

  private constructor(dependencies: Dependencies) {
    const { directory, clock } = dependencies.foundation;
    this.#dependencies = dependencies;
    this.#states = new TargetStates(directory);
    this.#sinceMs = clock.nowMs();
  }

  /** Reads what is known, and begins to make backups. Call `close` at the end. */
  static async start(dependencies: Dependencies): Promise<TargetBackups> {
    const { directory, clock, health } = dependencies.foundation;
    const backups = new TargetBackups(dependencies);
    await backups.#states.load();
    backups.#key = await readRecoveryKey(directory).catch((thrown: unknown) => {
      dependencies.log.error({}, `the recovery key cannot be read: ${messageOf(thrown)}`);
      return undefined;
    });
    health.addCheck('backup targets', () =>
      targetsFinding(
        backups.#targets().map((target) => [target.name, backups.#states.of(backups.#known(target))]),
        {
          hasKey: backups.#key !== undefined,
          isVerified: dependencies.config()?.verify !== 'off',
          nowMs: clock.nowMs(),
          sinceMs: backups.#sinceMs,
        },
      ),
    );
    backups.#stop = clock.every(CHECK_MS, () => void backups.#makeDue());
    return backups;
  }

  #stop: () => void = () => undefined;

  /** Makes no more backups. Those in progress are cancelled with their tasks. */
  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  /** See {@link TargetBackupsPort}. */
  list(): ReturnType<TargetBackupsPort['list']> {
    const { nowMs } = this.#now();
    const { at = DEFAULT_AT } = this.#dependencies.config() ?? {};
    return {
      KeyID: this.#key?.id ?? '',
      Targets: this.#targets().map((target) => {
        const { lastMs, lastName, retryMs, failure, verifiedMs, verifyFailure } = this.#states.of(
          this.#known(target),
        );
        const nextMs = Math.max(
          retryMs,
          lastScheduledMs(at, nowMs) + (lastMs < lastScheduledMs(at, nowMs) ? 0 : 86_400_000),
        );
        return {
          Name: target.name,
          Kind: (['webdav', 's3', 'sftp'] as const).find((kind) => target[kind] !== undefined) ?? 'path',
          LastMs: lastMs,
          LastName: lastName,
          NextMs: nextMs,
          VerifiedMs: verifiedMs,
          Problem: failure?.Text ?? '',
          CodedProblem: failure ?? recordOf(''),
          VerifyProblem: verifyFailure?.Text ?? '',
          CodedVerifyProblem: verifyFailure ?? recordOf(''),
        };
      }),
    };
  }

  /** See {@link TargetBackupsPort}. */
  async createKey(): Promise<{ readonly Key: string; readonly KeyID: string }> {
    const key = RecoveryKey.create();
    await this.useKey(key);
    return { Key: key.toText(), KeyID: key.id };
  }

  /** Encrypts with this key from now on. */
  async useKey(key: RecoveryKey): Promise<void> {
    await writeRecoveryKey(this.#dependencies.foundation.directory, key);
    this.#key = key;
    // No target has a backup of this key yet.
    this.#sinceMs = this.#now().nowMs;
  }

  /** See {@link TargetBackupsPort}. */
  async test(given: object, progress: TaskProgress): Promise<boolean> {
    const name = 'name' in given ? given.name : undefined;
    const stored = this.#targets().find((one) => one.name === name);
    const target = await this.#parsed(withSecrets(given, stored && targetSettings(stored)));
    return runInWorker({ kind: 'test', target, key: '', ...this.#now() }, progress);
  }

  async #parsed(given: object): Promise<TargetSettings> {
    try {
      return await parseTarget(this.#dependencies.foundation.configSource().file, given);
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      const wrong = thrown.findings.map(({ key, text }) => {
        const member = key.replace(/^backup\.targets\[0\]\.?/, '');
        return member === '' ? text : coded`ABOUT: ${member}: ${text}`;
      });
      throw fault('CONFIGURATION_INVALID', joined(wrong));
    }
  }

  /** See {@link TargetBackupsPort}. */
  async backups(name: string, progress: TaskProgress): ReturnType<TargetBackupsPort['backups']> {
    const found = await this.#run<'list'>(this.#target(name), { kind: 'list' }, progress);
    return found.map(({ name: Name, madeMs: CreatedMs }) => ({ Name, CreatedMs }));
  }

  /** See {@link TargetBackupsPort}. */
  run(name: string, progress: TaskProgress): ReturnType<TargetBackupsPort['run']> {
    const target = this.#target(name);
    return this.#queue.run(() => this.#upload(target, progress, 0));
  }

  /** See {@link TargetBackupsPort}. */
  verify(name: string, backup: string, progress: TaskProgress): ReturnType<TargetBackupsPort['verify']> {
    const target = this.#target(name);
    return this.#queue.run(() => this.#verify(target, backup, progress));
  }

  /** See {@link TargetBackupsPort}. */
  restore(name: string, backup: string, progress: TaskProgress): Promise<string> {
    const target = this.#target(name);
    const { directory } = this.#dependencies.foundation;
    const folder = join(directory, 'restore.new');
    const work: Work<'fetch'> = { kind: 'fetch', name: backup || 'latest', folder };
    return this.#queue.run(async () =>
      placeFetched(directory, { ...(await this.#run<'fetch'>(target, work, progress)), folder }),
    );
  }

  async #upload({ name, ...rest }: TargetConfig, progress: TaskProgress, freshMs: number) {
    const target = { name, ...rest };
    const known = this.#known(target);
    const { directory } = this.#dependencies.foundation;
    const { keep } = this.#dependencies.config() ?? {};
    try {
      this.#requireKey();
      const work: Work<'upload'> = {
        kind: 'upload',
        directory,
        state: join(directory, 'backups', await this.#stateFile(freshMs)),
        version: packageVersion(),
        retention: { ...KEPT, ...keep },
      };
      const { problem, ...made } = await this.#run<'upload'>(target, work, progress);
      const { nowMs } = this.#now();
      await this.#states.set(known, {
        lastMs: nowMs,
        lastName: made.name,
        failures: 0,
        retryMs: 0,
        failure: problem,
        verifyRetryMs: 0,
      });
      this.#dependencies.log.info({ target: name, ...made }, 'a backup was stored on the target');
      return {
        Name: made.name,
        StoredBytes: made.storedBytes,
        StoredChunks: made.storedChunks,
        Chunks: made.chunks,
        DeletedBackups: made.deletedBackups,
      };
    } catch (thrown) {
      const { nowMs } = this.#now();
      if (codeOf(thrown) === 'CANCELLED') {
        // Not a failure of the target; only the schedule waits before it tries again.
        await this.#states.set(known, { retryMs: nowMs + retryAfterMs(1) });
        throw thrown;
      }
      const failures = this.#states.of(known).failures + 1;
      const failure = recordOf(reasonOf(thrown));
      this.#log(name, thrown);
      await this.#states.set(known, { failures, retryMs: nowMs + retryAfterMs(failures), failure });
      throw thrown;
    }
  }

  /** The name of a backup in the data directory: the newest if it is fresh, otherwise a new one. */
  async #stateFile(freshMs: number): Promise<string> {
    const { store, clock } = this.#dependencies.foundation;
    const newest = (await store.backups()).find(({ reason }) => reason === 'daily');
    if (newest !== undefined && Math.abs(clock.nowMs() - newest.madeMs) < freshMs) return newest.name;
    return (await store.backup('daily')).file;
  }

  async #verify(target: TargetConfig, backup: string, progress: TaskProgress) {
    const known = this.#known(target);
    const scratch = join(this.#dependencies.foundation.directory, 'verify.new');
    try {
      const work: Work<'verify'> = { kind: 'verify', name: backup || 'latest', scratch };
      const { name, objects, values, archiveRecords } = await this.#run<'verify'>(target, work, progress);
      await this.#states.set(known, { verifiedMs: this.#now().nowMs, verifyFailure: null });
      return { Name: name, Objects: objects, Values: values, ArchiveRecords: archiveRecords };
    } catch (thrown) {
      if (codeOf(thrown) !== 'CANCELLED') {
        this.#log(target.name, thrown);
        await this.#states.set(known, {
          verifyFailure: recordOf(reasonOf(thrown)),
          verifyRetryMs: this.#now().nowMs + VERIFY_RETRY_MS,
        });
      }
      throw thrown;
    }
  }

  /** Makes and compares what is due. Does not reject. */
  async #makeDue(): Promise<void> {
    if (this.#isChecking || this.#key === undefined) return;
    this.#isChecking = true;
    const { at = DEFAULT_AT, verify = 'weekly' } = this.#dependencies.config() ?? {};
    try {
      for (const target of this.#targets()) {
        const { name } = target;
        if (this.#isClosed) return;
        const state = this.#states.of(this.#known(target));
        if (isDue(state, at, this.#now().nowMs)) {
          // A retry makes no new one each time: those would replace the older ones in the data directory.
          const freshMs = state.failures > 0 ? DAY_MS : FRESH_MS;
          await this.#runDue((progress) =>
            this.#queue.run(() => this.#upload(this.#target(name), progress, freshMs)),
          );
        }
        if (verify === 'weekly' && isVerifyDue(this.#states.of(this.#known(target)), this.#now().nowMs))
          await this.#runDue((progress) => this.verify(name, '', progress));
      }
    } finally {
      this.#isChecking = false;
    }
  }

  /** Does a job as a task of the schedule. Does not reject: a target that fails stops no other one. */
  async #runDue(job: (progress: TaskProgress) => Promise<unknown>): Promise<void> {
    try {
      await this.#dependencies.tasks.run('backup', SCHEDULE, job);
    } catch {
      // The state of the target has the failure, which health and the log report.
    }
  }

  #run<K extends BackupJob['kind']>(
    target: TargetConfig,
    work: Work<K>,
    progress: TaskProgress,
  ): Promise<BackupResults[K]> {
    const key = this.#requireKey().toText();
    const job = { ...work, target: targetSettings(target), key, ...this.#now() };
    // The compiler does not see that the parts of a job make the job of their kind.
    return runInWorker(job as unknown as Extract<BackupJob, { kind: K }>, progress);
  }

  #requireKey(): RecoveryKey {
    if (this.#key === undefined)
      throw fault(
        'NOT_SUPPORTED',
        coded`WHAT_WITHOUT_RECOVERY_KEY: A backup on a target without a recovery key`,
      );
    return this.#key;
  }

  #targets(): readonly TargetConfig[] {
    return this.#dependencies.config()?.targets ?? [];
  }

  #target(name: string): TargetConfig {
    const target = this.#targets().find((one) => one.name === name);
    if (target === undefined) throw fault('NAME_NOT_FOUND', name);
    return target;
  }

  #known(target: TargetConfig): KnownTarget {
    return { name: target.name, identity: targetIdentity(target, this.#key?.id ?? '') };
  }

  #now(): { readonly nowMs: number } {
    return { nowMs: this.#dependencies.foundation.clock.nowMs() };
  }

  #log(target: string, thrown: unknown): void {
    this.#dependencies.log.warn({ target }, `the backup target failed: ${messageOf(thrown)}`);
  }
}
