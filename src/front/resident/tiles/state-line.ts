import { formatAge, formatMoment } from '../../web/format.js';
import { texts } from '../../web/i18n/i18n.js';
import type { CommandState } from '../../web/commands.js';
import type { TreeNode } from '../../web/model.js';
import type { App } from '../app.js';

/** How a tile looks. */
type Tone = 'live' | 'refused' | 'restricted' | 'pending' | 'stale' | 'bad' | 'estimated' | 'unknown';

/** The line below a tile's name: the value, and what a resident must know about it. */
export interface StateLine {
  readonly tone: Tone;
  readonly value: string;
  readonly reason: string;
}

/** The state of a variable in words. Subscribes to all that it depends on. */
export function stateLine(app: App, variable: TreeNode): StateLine {
  const { quality, rule, pending } = variable.state.value;
  const value = app.format(variable, variable.value.value);
  const command = app.commands.stateOf(variable.id).value;
  const { tile, reasons } = texts();
  if (quality !== undefined && quality.state === 2) {
    const reason = reasons[quality.reason] ?? tile.unreachable;
    return quality.reason === 'NOT_KNOWN'
      ? { tone: 'estimated', value: tile.notKnown, reason: '' }
      : { tone: 'bad', value: tile.unknownValue, reason };
  }
  if (command?.kind === 'refused') return { tone: 'refused', value, reason: refusalText(app, command) };
  if (command?.kind === 'unknown') return { tone: 'unknown', value, reason: tile.outcomeUnknown };
  if (quality !== undefined) {
    const age = formatAge(app.gateway.now() - variable.updated.value * 1000);
    return {
      tone: 'stale',
      value,
      reason: `${tile.asOf(age)} · ${reasons[quality.reason] ?? quality.reason}`,
    };
  }
  if (pending !== undefined) {
    const what = app.format(variable, pending.value);
    const reason = pending.atMs === 0 ? what : texts().pendingAt(what, momentText(app, pending.atMs));
    return { tone: 'pending', value, reason };
  }
  if (rule !== undefined)
    return { tone: 'restricted', value, reason: ruleText(app, rule.code, rule.untilMs) };
  return { tone: 'live', value, reason: '' };
}

/** Why a command was rejected, with the time at which it becomes possible. */
export function refusalText(app: App, state: CommandState & { readonly kind: 'refused' }): string {
  if (state.rule !== '') return ruleText(app, state.rule, state.untilMs);
  const { errors } = texts();
  return errors[state.code] ?? errors['OTHER'] ?? '';
}

function ruleText(app: App, code: string, untilMs: number): string {
  const { rules, ruleUntil } = texts();
  const rule = rules[code] ?? rules['UNKNOWN'] ?? '';
  return untilMs === 0 ? rule : ruleUntil(rule, momentText(app, untilMs));
}

function momentText(app: App, unixMs: number): string {
  return formatMoment(unixMs, app.gateway.now(), app.gateway.model.timezone);
}
