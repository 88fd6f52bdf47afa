import type { Text } from '../base/codes/coded-text.js';
import {
  findingTexts,
  type FindingTexts,
  type HealthState,
  type HealthChecks,
  type HealthFinding,
} from '../base/health-check.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import { maskUrls } from '../base/url-secrets.js';
import { LimitReport } from './limit-report.js';

/** A named health check, as `GW_GetHealth` returns it. */
export interface CheckRecord extends FindingTexts {
  readonly Name: string;
  readonly State: HealthState;
  /** Time of the last change of the state, unix seconds. */
  readonly Since: number;
}

/** The result of `GW_GetHealth`: the most severe state of all checks, and each check. */
export interface HealthRecord {
  readonly State: HealthState;
  readonly Checks: readonly CheckRecord[];
}

/**
 * The gateway's health: findings that components report, and checks that run when health is requested.
 */
export class Health implements HealthChecks {
  /** Limits that took effect; the check `limits`. */
  readonly limits: LimitReport;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #findings = new Map<string, { readonly finding: HealthFinding; readonly sinceMs: number }>();
  #machine: readonly string[] = [];
  readonly #onRequest = new Map<string, () => HealthFinding>();

  constructor(clock: Clock, log: Log) {
    this.#clock = clock;
    this.#log = log;
    this.limits = new LimitReport(clock, log);
    this.addCheck('limits', () => this.limits.finding());
  }

  /** Sets a finding; changes of its state are logged. */
  set(name: string, reported: HealthFinding): void {
    const finding = { ...reported, text: masked(reported.text), whatToDo: masked(reported.whatToDo) };
    const before = this.#findings.get(name);
    const isSame = before?.finding.state === finding.state;
    if (isSame && before !== undefined && textOf(before.finding) === textOf(finding)) return;
    this.#findings.set(name, {
      finding,
      sinceMs: isSame && before !== undefined ? before.sinceMs : this.#clock.nowMs(),
    });
    if (isSame || (before === undefined && finding.state === 'ok')) return;
    const level = finding.state === 'ok' ? 'info' : finding.state === 'warning' ? 'warn' : 'error';
    this.#log[level](
      { check: name },
      [...finding.text.toString().split('\n'), finding.whatToDo.toString()]
        .filter((text) => text !== '')
        .join('; '),
    );
  }

  /** Sets the findings of the machine check and removes those that it no longer reports. */
  setMachineFindings(findings: ReadonlyMap<string, HealthFinding>): void {
    for (const name of this.#machine) if (!findings.has(name)) this.#findings.delete(name);
    this.#machine = [...findings.keys()];
    for (const [name, finding] of findings) this.set(name, finding);
  }

  /** Adds a check that runs whenever health is requested. */
  addCheck(name: string, check: () => HealthFinding): void {
    this.#onRequest.set(name, check);
  }

  record(): HealthRecord {
    for (const [name, check] of this.#onRequest) this.set(name, check());
    const checks = [...this.#findings].map(([Name, { finding, sinceMs }]) => ({
      Name,
      State: finding.state,
      Since: Math.floor(sinceMs / 1000),
      ...findingTexts(finding),
    }));
    const overall = (['failed', 'warning'] as const).find((state) =>
      checks.some((check) => check.State === state),
    );
    return { State: overall ?? 'ok', Checks: checks };
  }
}

/** A text with a code has masked its URLs itself. */
const masked = (text: Text): Text => (typeof text === 'string' ? maskUrls(text) : text);

const textOf = ({ text, whatToDo }: HealthFinding): string => `${text.toString()}\n${whatToDo.toString()}`;
