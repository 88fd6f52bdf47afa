import type { Result } from 'tap-parser';

/** What came of one test file. */
export interface Outcome {
  readonly file: string;
  seconds: number;
  passed: number;
  readonly failed: string[];
  readonly skipped: string[];
}

export const newOutcome = (file: string): Outcome => ({
  file,
  seconds: 0,
  passed: 0,
  failed: [],
  skipped: [],
});

/** Adds the result of one assertion. */
export function addResult(outcome: Outcome, result: Result): void {
  if (result.skip !== false || result.todo !== false) outcome.skipped.push(nameOf(result));
  else if (result.ok) outcome.passed += 1;
  else outcome.failed.push(`${nameOf(result)}${diagnosisOf(result.diag)}`);
}

function nameOf(result: Result): string {
  const reason = [result.skip, result.todo].find((text) => typeof text === 'string' && text !== '');
  const name = [result.fullname, result.name].filter(Boolean).join(' > ');
  return reason === undefined ? name : `${name}: ${String(reason)}`;
}

/** The diagnosis of a failed assertion, as the test printed it. */
function diagnosisOf(diag: unknown): string {
  if (typeof diag !== 'object' || diag === null) return '';
  const { diff, stack } = diag as { diff?: unknown; stack?: unknown };
  const parts = [diff, stack].filter((part) => typeof part === 'string');
  return `\n${parts.length > 0 ? parts.join('\n') : JSON.stringify(diag)}`;
}

export function sumOf(outcomes: readonly Outcome[]): { passed: number; failed: number; skipped: number } {
  return {
    passed: outcomes.reduce((count, { passed }) => count + passed, 0),
    failed: outcomes.reduce((count, { failed }) => count + failed.length, 0),
    skipped: outcomes.reduce((count, { skipped }) => count + skipped.length, 0),
  };
}
