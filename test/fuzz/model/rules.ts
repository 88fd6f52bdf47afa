import { conditionRules } from './conditions.js';
import { deletionRules } from './deletions.js';
import { eventRules } from './events/events.js';
import { instanceRules } from './instances.js';
import { mediaRules } from './media.js';
import type { Model, Rule } from './model.js';
import { objectRules } from './objects.js';
import { scriptRules } from './scripts.js';
import { taskRules } from './tasks.js';
import { valueRules } from './values.js';

const rules: Readonly<Record<string, Rule>> = {
  ...objectRules,
  ...deletionRules,
  ...taskRules,
  ...valueRules,
  ...eventRules,
  ...conditionRules,
  ...mediaRules,
  ...scriptRules,
  ...instanceRules,
};

/** One call: `made` is the id that the gateway assigned, for those that create. */
export interface Call {
  readonly name: string;
  readonly params: readonly unknown[];
  readonly made: number;
}

/** Applies a call. Throws a ModelFault. */
export function applyCall(model: Model, { name, params, made }: Call): unknown {
  const rule = rules[name];
  if (rule === undefined) throw new Error(`the model knows no ${name}`);
  return rule(model, ...([...params, made] as never[]));
}
