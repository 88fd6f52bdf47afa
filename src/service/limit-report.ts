import { logKind } from '../base/codes/log-kinds.js';
import { coded, joined, type Text } from '../base/codes/coded-text.js';
import { healthy, type HealthFinding } from '../base/health-check.js';
import type { Clock } from '../base/clock.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';

/**
 * How long health reports a limit after it last took effect, ms: long enough to be noticed, short enough to
 * show that an attack is over.
 */
const SHOWN_MS = 60 * 60_000;
/** Interval of the log lines per limit, ms, so that a flood of requests does not flood the log. */
const LOGGED_EVERY_MS = 10 * 60_000;
/** Maximum number of distinct limits; there are far fewer. */
const LIMITS_LIMIT = 64;
/** Limits named in the text of the health check. */
const NAMED = 5;

interface Effect {
  count: number;
  who: string;
  lastMs: number;
  loggedMs: number;
  readonly limit: Text;
  readonly whatToDo: Text;
}

/** Records which limits took effect, how often, and the last client that each affected. */
export class LimitReport implements LimitReporter {
  readonly #clock: Pick<Clock, 'monotonicNs'>;
  readonly #log: Log;
  readonly #effects = new Map<string, Effect>();

  constructor(clock: Pick<Clock, 'monotonicNs'>, log: Log) {
    this.#clock = clock;
    this.#log = log;
  }

  /** See {@link LimitReporter}. */
  report(limit: Text, who: string, whatToDo: Text): void {
    const nowMs = this.#nowMs();
    let effect = this.#effects.get(limit.toString());
    if (effect === undefined) {
      if (this.#effects.size >= LIMITS_LIMIT) return;
      effect = { limit, count: 0, who, lastMs: nowMs, loggedMs: Number.NEGATIVE_INFINITY, whatToDo };
      this.#effects.set(limit.toString(), effect);
    }
    effect.count += 1;
    effect.who = who;
    effect.lastMs = nowMs;
    if (nowMs - effect.loggedMs < LOGGED_EVERY_MS) return;
    effect.loggedMs = nowMs;
    this.#log.warn(
      { kind: logKind.limitReached, limit: limit.toString(), who, count: effect.count },
      `the limit of ${limit.toString()} took effect: ${whatToDo.toString()}`,
    );
  }

  /** The health check: a warning while a limit took effect within the last hour. */
  finding(): HealthFinding {
    const nowMs = this.#nowMs();
    for (const [limit, { lastMs }] of this.#effects)
      if (nowMs - lastMs > SHOWN_MS) this.#effects.delete(limit);
    const effects = [...this.#effects].sort(([, a], [, b]) => b.lastMs - a.lastMs).slice(0, NAMED);
    if (effects.length === 0)
      return healthy(coded`NO_LIMIT_TOOK_EFFECT: no limit took effect within the last hour`);
    const texts = effects.map(
      ([, { limit, count, who }]) =>
        coded`LIMIT_TOOK_EFFECT: the limit of ${limit} took effect ${count} times, last for ${who}`,
    );
    const actions = new Map(effects.map(([, { whatToDo }]) => [whatToDo.toString(), whatToDo]));
    return { state: 'warning', text: joined(texts), whatToDo: joined([...actions.values()]) };
  }

  #nowMs(): number {
    return Number(this.#clock.monotonicNs() / 1_000_000n);
  }
}
