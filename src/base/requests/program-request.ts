/** A program to run. */
export interface ProgramRequest {
  /** Absolute path. */
  readonly file: string;
  readonly args: readonly string[];
  /** Whether to wait for the output, or only start the program. */
  readonly waitsForOutput: boolean;
}
