import { formatAge } from '../../web/format.js';
import { texts } from '../../web/i18n/i18n.js';
import type { CommandState } from '../../web/commands.js';
import type { TreeNode } from '../../web/model.js';
import type { Pending, QualityProblem } from '../../web/objects.js';
import type { App } from '../app.js';

/** How a tile looks. */
type Tone = 'live' | 'rejected' | 'restricted' | 'pending' | 'stale' | 'bad' | 'estimated' | 'unknown';

/** The line below a tile's name: the value, and what a resident must know about it. */
export interface StateLine {
  readonly tone: Tone;
  readonly value: string;
  readonly reason: string;
  /** The reason in a few words, for tiles; empty: as the reason. */
  readonly short: string;
  /** What else there is to know; only the sheet has room for it. */
  readonly also: string;
  /** When the reason ends, unix ms: shown as a countdown; 0: without one. */
  readonly untilMs: number;
}

/** Quality of the interface: 1 stale, 2 bad: the value is only the last one that was known. */
const BAD = 2;
/** A time that is closer has seconds. */
const SOON_MS = 120_000;

/** Whether the value of a variable is its present one, as far as the gateway knows. Subscribes. */
export const isKnown = ({ state }: TreeNode): boolean => state.value.quality?.state !== BAD;

/** Whether a switch is on, as far as the gateway knows. Subscribes. */
export const isOn = (variable: TreeNode): boolean => variable.value.value === true && isKnown(variable);

/** The state of a variable in words. Subscribes to all that it depends on. */
export function stateLine(app: App, variable: TreeNode): StateLine {
  const { quality, rule, pending } = variable.state.value;
  const command = app.commands.stateOf(variable.id).value;
  const { tile } = texts();
  const isEstimated = quality?.state === BAD && quality.reason === 'NOT_KNOWN';
  const isBad = quality?.state === BAD;
  const value = isEstimated
    ? tile.notKnown
    : isBad
      ? tile.unknownValue
      : app.format(variable, variable.value.value);
  const line = { value, short: '', also: '', untilMs: 0 };
  if (command?.kind === 'rejected')
    return { ...line, tone: 'rejected', reason: rejectionText(app, command), untilMs: command.untilMs };
  if (command?.kind === 'unknown') return { ...line, tone: 'unknown', reason: tile.outcomeUnknown };
  const scheduled = pending === undefined ? '' : pendingText(app, variable, pending);
  if (isEstimated) return { ...line, tone: 'estimated', reason: scheduled };
  if (isBad) return { ...line, tone: 'bad', reason: qualityText(quality) };
  if (quality !== undefined) {
    const age = formatAge(app.tick.value - variable.updated.value * 1000);
    return { ...line, tone: 'stale', reason: `${tile.asOf(age)} · ${qualityText(quality)}` };
  }
  if (rule !== undefined) {
    const { rules, shortRules } = texts();
    const reason = ruleText(app, rules[rule.code], rule.untilMs);
    const short = ruleText(app, shortRules[rule.code] ?? rules[rule.code], rule.untilMs);
    return { ...line, tone: 'restricted', reason, short, also: scheduled };
  }
  return { ...line, tone: scheduled === '' ? 'live' : 'pending', reason: scheduled };
}

/** Why a value is not good. */
function qualityText({ reason }: QualityProblem): string {
  const { reasons, tile } = texts();
  return reasons[reason] ?? tile.unreachable;
}

function pendingText(app: App, variable: TreeNode, { value, atMs, code }: Pending): string {
  const { pending, pendingAt, tile } = texts();
  const text = pending[code];
  if (text !== undefined) return text;
  const what = app.format(variable, value);
  return atMs === 0 || code === 'RUN_END' ? tile.target(what) : pendingAt(what, momentText(app, atMs));
}

/** Why a command was rejected, with the time at which it becomes possible. */
export function rejectionText(app: App, state: CommandState & { readonly kind: 'rejected' }): string {
  const { errors, rules } = texts();
  if (state.rule !== '') return ruleText(app, rules[state.rule], state.untilMs);
  return errors[state.code] ?? errors['OTHER'] ?? '';
}

/** A rule and its end. `rule`: its name; undefined: a newer gateway has rules that this page does not know. */
function ruleText(app: App, rule: string | undefined, untilMs: number): string {
  const { rules, ruleUntil } = texts();
  const name = rule ?? rules['UNKNOWN'] ?? '';
  return untilMs === 0 ? name : ruleUntil(name, momentText(app, untilMs));
}

function momentText(app: App, unixMs: number): string {
  return Math.abs(unixMs - app.gateway.now()) < SOON_MS ? app.time(unixMs, true) : app.moment(unixMs);
}
