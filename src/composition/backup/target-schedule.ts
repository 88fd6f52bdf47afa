import { coded, fromRecord, joined, type Text } from '../../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../../base/health-check.js';
import { DAY_MS, localDay, localInstant } from '../../base/local-time.js';
import type { TargetState } from './target-states.js';

/** The time of day by default. */
export const DEFAULT_AT = '03:15';
/** The first retry, and the longest interval between two, ms. */
const RETRY_MS = 15 * 60 * 1000;
const LONGEST_RETRY_MS = 6 * 60 * 60 * 1000;
/** The interval between two verifications if the first one failed: each fetches a complete backup. */
export const VERIFY_RETRY_MS = DAY_MS;
/** A target without a good backup for that long has failed: two were missed. */
const TOO_OLD_MS = 3 * DAY_MS;
const WEEK_MS = 7 * DAY_MS;

/** The newest time at which a backup should have been made. */
export function lastScheduledMs(at: string, nowMs: number): number {
  const [hour = 0, minute = 0] = at.split(':').map(Number);
  const today = localDay(nowMs);
  const onDay = (day: number) => localInstant(day, { hour, minute, second: 0 });
  return onDay(today) <= nowMs ? onDay(today) : onDay(today - 1);
}

/** Whether a backup should be made now. */
export function isDue({ lastMs, retryMs }: TargetState, at: string, nowMs: number): boolean {
  // After the clock was set back, the last backup is in the future.
  const isMissing = lastMs < lastScheduledMs(at, nowMs) || lastMs > nowMs + DAY_MS;
  return isMissing && isOver(retryMs, nowMs, LONGEST_RETRY_MS);
}

/**
 * Whether the newest backup should be compared with what a restore makes of it: not while backups fail, for
 * which there is a finding already.
 */
export function isVerifyDue(state: TargetState, nowMs: number): boolean {
  const { lastMs, failures, verifiedMs, verifyRetryMs } = state;
  const isOld = verifiedMs + WEEK_MS <= nowMs || verifiedMs > nowMs;
  return lastMs > 0 && failures === 0 && isOld && isOver(verifyRetryMs, nowMs, VERIFY_RETRY_MS);
}

/** Whether a retry is due; one that is too far away was set before the clock was set back. */
const isOver = (retryMs: number, nowMs: number, longestMs: number): boolean =>
  retryMs <= nowMs || retryMs > nowMs + longestMs;

/** When to retry after a number of failures in a row. */
export const retryAfterMs = (failures: number): number =>
  Math.min(LONGEST_RETRY_MS, RETRY_MS * 2 ** Math.min(10, failures - 1));

/**
 * The health of all targets. `sinceMs` is when the gateway was started, the first target was configured or the
 * recovery key was created. Failed verifications count only if there will be another one (`isVerified`).
 */
export function targetsFinding(
  targets: readonly (readonly [name: string, state: TargetState])[],
  {
    hasKey,
    isVerified,
    nowMs,
    sinceMs,
  }: {
    readonly hasKey: boolean;
    readonly isVerified: boolean;
    readonly nowMs: number;
    readonly sinceMs: number;
  },
): HealthFinding {
  if (targets.length === 0) return healthy(coded`NO_BACKUP_TARGETS: backups are kept on this machine only`);
  if (!hasKey)
    return {
      state: 'warning',
      text: coded`NO_RECOVERY_KEY: there is no recovery key, so no backup is stored on the targets`,
      whatToDo: coded`CREATE_RECOVERY_KEY: create the recovery key in the console, or with stellwerk backup key`,
    };
  const failed: Text[] = [];
  const warnings: Text[] = [];
  for (const [name, { lastMs, failure, verifyFailure }] of targets) {
    if (nowMs - Math.max(lastMs, sinceMs) > TOO_OLD_MS)
      failed.push(
        coded`TARGET_TOO_OLD: ${name} has no new backup for ${daysSince(Math.max(lastMs, sinceMs), nowMs)} days`,
      );
    if (isVerified && verifyFailure !== null)
      failed.push(coded`TARGET_NOT_VERIFIED: ${name}: ${fromRecord(verifyFailure)}`);
    if (failure !== null) warnings.push(coded`TARGET_FAILED: ${name}: ${fromRecord(failure)}`);
  }
  if (failed.length + warnings.length === 0)
    return healthy(coded`TARGETS_FINE: the newest backups are stored on ${targets.map(([name]) => name)}`);
  return {
    state: failed.length > 0 ? 'failed' : 'warning',
    text: joined([...failed, ...warnings], '\n'),
    whatToDo: coded`CHECK_TARGET: check the target and its entry in backup.targets; the gateway retries`,
  };
}

const daysSince = (thenMs: number, nowMs: number): number => Math.floor((nowMs - thenMs) / DAY_MS);
