/** How a named health check stands: fine, needs a look, or something does not work. */
export type CheckState = 'ok' | 'warning' | 'failed';

/** What a part of the gateway found out about itself. Both texts are for people; `whatToDo` is '' when nothing is. */
export interface Finding {
  readonly state: CheckState;
  readonly text: string;
  readonly whatToDo: string;
}

/** Where parts of the gateway put their findings, each under a name of its own. Setting an equal one changes nothing. */
export interface Checks {
  set(name: string, finding: Finding): void;
}

/** Nothing to complain about. */
export const fine = (text = 'fine'): Finding => ({ state: 'ok', text, whatToDo: '' });

/** Forgets all findings; for tests and for parts that are used without a gateway. */
export const noChecks: Checks = { set: () => undefined };
