/**
 * Replaces tap in a stub worker: the subtests of a file are collected, and the worker runs one of them alone.
 */
import { currentRun, type Subtest } from './current-run.js';

// The tests import tap by its default export.
// oxlint-disable-next-line import/no-default-export
export default {
  async test(name: string, ...rest: readonly unknown[]): Promise<void> {
    currentRun.subtests.push({ name, body: rest.at(-1) as Subtest['body'] });
  },
  setTimeout: (): void => undefined,
};
