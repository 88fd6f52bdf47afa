import { coded, type CodedText } from '../../base/codes/coded-text.js';
import { objectType } from '../../kernel/object.js';
import type { DocumentPath } from '../document.js';
import {
  operations,
  type ActionConfig,
  type ConditionConfig,
  type ScheduleConfig,
} from '../schema/event-schema.js';
import { requireObject, reviewScript, reviewValue, type TreeReview } from './review-context.js';
import type { ActionFact } from './review-facts.js';
import type { EventNode } from '../schema/gateway-schema.js';
import type { ListedObject } from './tree-model.js';
import { didYouMean } from '../../base/did-you-mean.js';

/** Reviews an event: missing targets, values of another type, script text that can't be compiled. */
export async function reviewEvent(review: TreeReview, node: EventNode, path: DocumentPath): Promise<void> {
  const { trigger, action, script, schedule, conditions = [] } = node;
  if (trigger !== undefined) compare(review, trigger, [...path, 'trigger']);
  if (action !== undefined) await reviewAction(review, action, [...path, 'action']);
  if (script !== undefined) await reviewScript(review, { text: script, path: [...path, 'script'] });
  if (schedule !== undefined) await reviewSchedule(review, schedule, [...path, 'schedule']);
  for (const [i, part] of conditions.entries()) reviewCondition(review, part, [...path, 'conditions', i]);
}

async function reviewSchedule(
  review: TreeReview,
  { actions }: ScheduleConfig,
  path: DocumentPath,
): Promise<void> {
  for (const [i, { script, action }] of actions.entries()) {
    const entryPath: DocumentPath = [...path, 'actions', i];
    if (script !== undefined) await reviewScript(review, { text: script, path: [...entryPath, 'script'] });
    if (action !== undefined) await reviewAction(review, action, [...entryPath, 'action']);
  }
}

function reviewCondition(review: TreeReview, part: ConditionConfig, path: DocumentPath): void {
  if (part.variable !== undefined) compare(review, { ...part, variable: part.variable }, path);
  if (part.than !== undefined) variableAt(review, part.than, [...path, 'than']);
  for (const word of operations)
    for (const [i, inner] of (part[word] ?? []).entries()) reviewCondition(review, inner, [...path, word, i]);
}

/** Reviews a variable and the value it is compared with. */
function compare(review: TreeReview, of: { variable: string; value?: unknown }, path: DocumentPath): void {
  const { variable, value } = of;
  const found = variable === '' ? undefined : variableAt(review, variable, [...path, 'variable']);
  if (found?.type !== undefined && value !== undefined)
    reviewValue(review.document, found.type, { value, path: [...path, 'value'] });
}

/**
 * The variable at an ident path; undefined if there is none, which is a problem, or if that can't be known.
 */
function variableAt(review: TreeReview, target: string, path: DocumentPath): ListedObject | undefined {
  if (!requireObject(review, target, path)) return undefined;
  const { model, document } = review;
  const found = model.at(target);
  if (found === undefined || found === 'unknown') return undefined;
  if (found.kind === 'variable') return found;
  document.addProblem(path, coded`NOT_VARIABLE: ${target} is not a variable${variablesOf(review, target)}`);
  return undefined;
}

function variablesOf({ model }: TreeReview, target: string): CodedText | '' {
  const idents = model.variablesBelow(target);
  return idents.length === 0
    ? ''
    : coded`BOARD_HAS: ; it has ${idents.map((ident) => `${target}/${ident}`).join(', ')}`;
}

/** The keys of a listed action, by parameter name. */
const KEYS = { VALUE: 'value', SCRIPT: 'script' } as const;

async function reviewAction(review: TreeReview, given: ActionConfig, path: DocumentPath): Promise<void> {
  const { document, facts } = review;
  const { name, target, parent, script } = given;
  const actions = await facts.actions();
  const action = actions.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (parent !== undefined) requireObject(review, parent, [...path, 'parent']);
  if (action === undefined) {
    const names = actions.map((one) => one.name);
    document.addProblem(
      [...path, 'name'],
      coded`NO_ACTION: there is no action ${name}${didYouMean(name, names) || coded`KNOWN: ; known: ${names.join(', ')}`}`,
    );
    return;
  }
  for (const [parameter, key] of Object.entries(KEYS)) {
    const isAccepted = action.parameters.includes(parameter);
    if (isAccepted && given[key] === undefined)
      document.addProblem(
        path,
        coded`ACTION_REQUIRES_ADD: the action ${action.name} requires a ${key}; add ${key}`,
      );
    if (!isAccepted && given[key] !== undefined)
      document.addProblem(
        [...path, key],
        coded`ACTION_DOES_NOT_ACCEPT: the action ${action.name} does not accept a ${key}; remove it`,
      );
  }
  if (script !== undefined) await reviewScript(review, { text: script, path: [...path, 'script'] });
  if (target !== undefined) reviewTarget(review, action, { target, value: given.value, path });
}

function reviewTarget(
  review: TreeReview,
  action: ActionFact,
  { target, value, path }: { target: string; value: unknown; path: DocumentPath },
): void {
  const at: DocumentPath = [...path, 'target'];
  if (!requireObject(review, target, at)) return;
  const found = review.model.at(target);
  if (found === undefined || found === 'unknown') return;
  const { kind, type, isReadOnly = false, hasAction = false } = found;
  const isApplicable = action.fits({ type: objectType[kind], valueType: type, isReadOnly });
  // A variable that only its module sets accepts values if it has an action.
  const isReadOnlyTarget = action.isForVariables && isReadOnly && !hasAction;
  if (!isApplicable || isReadOnlyTarget)
    review.document.addProblem(
      at,
      coded`ACTION_CAN_NOT_PERFORMED: the action ${action.name} can't be performed on ${target}${why(review, target, found)}`,
    );
  else if (type !== undefined && value !== undefined)
    reviewValue(review.document, type, { value, path: [...path, 'value'] });
}

function why(review: TreeReview, target: string, { kind, isReadOnly, hasAction }: ListedObject): CodedText {
  if (kind !== 'variable') return coded`OF_KIND:  (${kind})${variablesOf(review, target)}`;
  if (isReadOnly !== true) return coded`NAME_OTHER_TYPE: ; name a variable of another type`;
  return hasAction === true
    ? coded`DEVICE_SETS_IT: ; only its device sets it: use the action Switch to a value`
    : coded`IT_IS_READ_ONLY: ; it is read-only`;
}
