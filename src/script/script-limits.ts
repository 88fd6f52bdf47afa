/** What a script may use before it is stopped; each is a reason that its failure names. */
export interface ScriptLimits {
  /** Wall-clock time of one run. */
  readonly timeMs: number;
  /** What lives on the JavaScript heap. */
  readonly heapMiB: number;
  /** All memory of the process, buffers outside the heap included; about 60 MiB are Node's own. */
  readonly residentMiB: number;
  /** Characters printed; the original's is 1,048,576 (ScriptOutputBufferLimit, interface §4). */
  readonly output: number;
  /** Calls of one run: more is a flood. */
  readonly calls: number;
  /** Calls a second, after those that may come at once: a flood is slowed down until it is stopped. */
  readonly callsPerS: number;
  /** Scripts that run at the same time, those that others wait for not counted: each is a process of about 60 MiB. */
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
