/** What the stand-ins for `declare` and tap share with the worker. */
export interface CurrentRun {
  /** Aborted when the run is over. */
  over: AbortSignal;
  /** The function that does nothing in this run; undefined where all work, to show that the tests pass. */
  stubbed: string | undefined;
  /** The functions that have been called since the run began. */
  readonly called: Set<string>;
  /** The subtests that the test file has declared so far, in its order. */
  readonly subtests: Subtest[];
}

/** One `t.test` at the top level of a test file. */
export interface Subtest {
  readonly name: string;
  readonly body: (t: unknown) => unknown;
}

/** Runs follow one another in a worker, so there is one at a time. */
export const currentRun: CurrentRun = {
  over: new AbortController().signal,
  stubbed: undefined,
  called: new Set(),
  subtests: [],
};
