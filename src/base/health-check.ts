/** How a named health check stands: fine, needs a look, or something does not work. */
export type HealthState = 'ok' | 'warning' | 'failed';

/** What a part of the gateway found out about itself. Both texts are for people; `whatToDo` is '' when nothing is. */
export interface HealthFinding {
  readonly state: HealthState;
  readonly text: string;
  readonly whatToDo: string;
}

/** Where parts of the gateway put their findings, each under a name of its own. Setting an equal one changes nothing. */
export interface HealthChecks {
  set(name: string, finding: HealthFinding): void;
}

/** Nothing to complain about. */
export const healthy = (text = 'fine'): HealthFinding => ({ state: 'ok', text, whatToDo: '' });

/** Forgets all findings; for tests and for parts that are used without a gateway. */
export const noHealthChecks: HealthChecks = { set: () => undefined };
