/** Takes note of limits that took effect: logged at a bounded rate, and shown in health for a while. */
export interface LimitReporter {
  /**
   * `limit` names the limit with its value (`128 connections per address`), `who` against whom it took effect, `whatToDo`
   * what the owner can do. Called at any rate.
   */
  report(limit: string, who: string, whatToDo: string): void;
}

/** For tests and parts whose limits nobody follows. */
export const silentLimitReporter: LimitReporter = { report: () => undefined };
