/** How a job reports how far it is, and notices that it must end. */
export interface JobProgress {
  readonly signal: AbortSignal;
  /** Yields to what else the thread does. Rejects with the signal's reason once it was aborted. */
  report(done: number, total: number): Promise<void>;
}
