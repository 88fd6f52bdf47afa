/** The resources that a script may use before it is stopped; the failure names the limit. */
export interface ScriptLimits {
  /** Wall-clock time of one run. */
  readonly timeMs: number;
  /** Live data on the JavaScript heap. */
  readonly heapMiB: number;
  /** Resident memory of the process, buffers outside the heap included; Node itself takes about 60 MiB. */
  readonly residentMiB: number;
  /**
   * Characters of output; the original product's default is 1,048,576 (ScriptOutputBufferLimit, interface
   * §4).
   */
  readonly output: number;
  /** Calls of one run. */
  readonly calls: number;
  /** Calls per second, after the initial burst: a flood is slowed down before it is stopped. */
  readonly callsPerS: number;
  /**
   * Scripts that run at the same time, not counting those that others wait for; each is a process of about 60
   * MiB.
   */
  readonly concurrent: number;
}

export const scriptLimits: ScriptLimits = {
  timeMs: 30_000,
  heapMiB: 64,
  residentMiB: 256,
  output: 1_048_576,
  calls: 25_000,
  callsPerS: 1000,
  concurrent: 4,
};
