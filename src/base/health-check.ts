/** The state of a health check. `warning`: the owner should look at it; `failed`: something does not work. */
export type HealthState = 'ok' | 'warning' | 'failed';

/** The result of a health check. Both texts are for people; `whatToDo` is '' if there is nothing to do. */
export interface HealthFinding {
  readonly state: HealthState;
  readonly text: string;
  readonly whatToDo: string;
}

/**
 * Collects the findings of the gateway's parts by the name of the check. Setting an equal finding changes
 * nothing.
 */
export interface HealthChecks {
  set(name: string, finding: HealthFinding): void;
}

/** A finding without a problem. */
export const healthy = (text = 'fine'): HealthFinding => ({ state: 'ok', text, whatToDo: '' });

/** Discards all findings; for tests and for parts that run without a gateway. */
export const noHealthChecks: HealthChecks = { set: () => undefined };
