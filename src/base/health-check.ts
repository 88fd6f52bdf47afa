import { coded, recordOf, type Text, type TextRecord } from './codes/coded-text.js';

/** The state of a health check. `warning`: the owner should look at it; `failed`: something does not work. */
export type HealthState = 'ok' | 'warning' | 'failed';

/** The result of a health check. Both texts are for people; `whatToDo` is '' if there is nothing to do. */
export interface HealthFinding {
  readonly state: HealthState;
  readonly text: Text;
  readonly whatToDo: Text;
  /** Chips on I²C that it advises to enable: `bme280@1-0076`. */
  readonly chips?: readonly string[];
}

/**
 * Collects the findings of the gateway's parts by the name of the check. Setting an equal finding changes
 * nothing.
 */
export interface HealthChecks {
  set(name: string, finding: HealthFinding): void;
}

/** The texts of a finding as functions return them. */
export interface FindingTexts {
  /** One line per problem if there are several. */
  readonly Text: string;
  readonly WhatToDo: string;
  readonly CodedText: TextRecord;
  readonly CodedWhatToDo: TextRecord;
}

export const findingTexts = ({ text, whatToDo }: Pick<HealthFinding, 'text' | 'whatToDo'>): FindingTexts => ({
  Text: text.toString(),
  WhatToDo: whatToDo.toString(),
  CodedText: recordOf(text),
  CodedWhatToDo: recordOf(whatToDo),
});

/** A finding without a problem. */
export const healthy = (text: Text = coded`FINE: fine`): HealthFinding => ({
  state: 'ok',
  text,
  whatToDo: '',
});

/** Discards all findings; for tests and for parts that run without a gateway. */
export const noHealthChecks: HealthChecks = { set: () => undefined };
