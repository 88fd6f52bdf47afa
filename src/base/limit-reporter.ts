import type { Text } from './codes/coded-text.js';

/** Reports limits that took effect: in the log at a limited rate, and in the health check for a while. */
export interface LimitReporter {
  /**
   * `limit` names the limit with its value (`128 connections per address`), `who` the peer that was limited,
   * `whatToDo` what the owner can do. May be called at any rate.
   */
  report(limit: Text, who: string, whatToDo: Text): void;
}

/** Reports nothing; for tests. */
export const silentLimitReporter: LimitReporter = { report: () => undefined };
