import type { Cancel } from '../base/clock.js';
import type { PublishRule, VariableRole } from '../base/codes/stable-codes.js';
import type { Kernel } from '../kernel/kernel.js';
import { message } from '../kernel/messages.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import type { Profile } from '../kernel/profiles/profile-data.js';
import { quality, type QualityProblem } from '../kernel/quality.js';
import type { Value, VariableType } from '../kernel/value.js';
import { isKnown, type Variable } from '../kernel/variables.js';
import type { PerformAction } from './toggle.js';

/** A variable of another object, as read by a module that publishes parts of the tree. */
export interface TreeVariable {
  readonly id: number;
  /** The id of the instance or category that it belongs to. */
  readonly parentId: number;
  readonly ident: string;
  /** The steps from the root, separated by `/`: the ident of each object, or its id if it has none. */
  readonly path: string;
  readonly name: string;
  readonly type: VariableType;
  readonly role: VariableRole;
  readonly profile: Profile | undefined;
  readonly hasAction: boolean;
  /** Whether the archive sums its increases. */
  readonly isCounter: boolean;
}

/** The object that has variables: an instance, or a category. */
export interface TreeGroup {
  readonly id: number;
  /** As {@link TreeVariable.path}. */
  readonly path: string;
  readonly name: string;
  /** The name of the instance's module; empty for other objects. */
  readonly module: string;
  readonly variables: readonly TreeVariable[];
}

/**
 * `onValue` is called with the id of a variable that was updated or whose quality changed, and whether its
 * value differs; `onStructure` after any other change.
 */
interface TreeListener {
  onValue(id: number, hasChanged: boolean): void;
  onStructure(): void;
}

/** The present value of a variable. */
interface TreeValue {
  /** Undefined if it is not known. */
  readonly value: Value | undefined;
  /** False while its quality is bad. */
  readonly isAvailable: boolean;
  /** Why it is not good. */
  readonly problem: QualityProblem | undefined;
  /** When it was updated, or measured if the device has said so; unix milliseconds, 0 if never. */
  readonly atMs: number;
}

/** The tree, for a module that publishes parts of it. */
export interface TreeView {
  /** The variables at and below ident paths, by parent, hidden ones left out. */
  groupsBelow(paths: readonly string[]): readonly TreeGroup[];
  /**
   * As {@link TreeView.groupsBelow}: adds the objects that have this publish rule, and omits those that have
   * another one.
   */
  groupsFor(rule: PublishRule, paths: readonly string[]): readonly TreeGroup[];
  /** The variable at an ident path, or STATE of the instance there. */
  variableAt(path: string): TreeVariable | undefined;
  /** The paths at which there is no object. */
  missing(paths: readonly string[]): readonly string[];
  /** The value of a variable. */
  valueOf(id: number): TreeValue;
  watch(listener: TreeListener): Cancel;
  /** Requests a value, as `RequestAction` does. Rejects with the fault of the device or its rules. */
  request(id: number, value: Value): Promise<void>;
}

/** Messages about objects, variables and profiles, except for values. */
const STRUCTURE = [
  [10_400, 10_499],
  [10_600, 10_699],
  [11_300, 11_399],
] as const;

export function createTreeView(kernel: Kernel, performAction: PerformAction): TreeView {
  const { tree, variables, profiles, changes } = kernel;
  const find = (id: number): Variable | undefined => {
    const object = tree.find(id);
    return object?.is(objectType.variable) === true ? object : undefined;
  };
  const facts = (variable: Variable): TreeVariable => ({
    id: variable.id,
    parentId: variable.parent?.id ?? 0,
    ident: variable.ident,
    path: pathOf(variable),
    name: variable.displayName,
    type: variable.data.type,
    role: variable.data.role,
    profile: profiles.find(variable.data.customProfile || variable.data.profile),
    hasAction: variables.actionTargetOf(variable) !== 0,
    isCounter: variable.data.logging?.counter === true,
  });
  const groupsOf = (all: readonly Variable[]): TreeGroup[] => {
    const found = Map.groupBy(new Set(all), (variable) => variable.parent ?? variable);
    return Array.from(found, ([parent, group]) => ({
      id: parent.id,
      path: pathOf(parent),
      name: parent.displayName,
      module: parent.is(objectType.instance) ? parent.data.moduleName : '',
      variables: group.map(facts),
    }));
  };
  return {
    groupsBelow: (paths) => groupsOf(paths.flatMap((path) => [...variablesBelow(tree.findByPath(path))])),
    groupsFor: (rule, paths) => {
      const roots = paths.map((path) => tree.findByPath(path));
      const marked = Iterator.from(tree.all()).filter(({ publish }) => publish === rule);
      return groupsOf([...roots, ...marked].flatMap((root) => [...variablesBelow(root, rule)]));
    },
    variableAt: (path) => {
      const found = tree.findByPath(path);
      const variable = found?.is(objectType.instance) === true ? found.children?.byIdent('STATE') : found;
      return variable?.is(objectType.variable) === true ? facts(variable) : undefined;
    },
    missing: (paths) => paths.filter((path) => tree.findByPath(path) === undefined),
    valueOf: (id) => {
      const variable = find(id);
      const problem = variable?.data.qualityProblem;
      return {
        value: variable && isKnown(variable) ? variable.data.value : undefined,
        isAvailable: variable !== undefined && problem?.state !== quality.bad,
        problem,
        atMs: variable?.data.reportTimes?.sourceMs ?? (variable?.data.updated ?? 0) * 1000,
      };
    },
    watch: ({ onValue, onStructure }) =>
      changes.listen(({ Message, SenderID, Data }) => {
        if (Message === message.VM_UPDATE) onValue(SenderID, Data[1] === true);
        else if (Message === message.GW_QUALITY) onValue(SenderID, false);
        else if (
          Message === message.GW_PUBLISH ||
          STRUCTURE.some(([first, last]) => Message >= first && Message <= last)
        )
          onStructure();
      }),
    request: async (id, value) => {
      const variable = variables.get(id);
      await performAction(variable, value);
    },
  };
}

function pathOf(object: TreeObject): string {
  const steps: string[] = [];
  for (let one = object; one.parent !== null; one = one.parent)
    steps.unshift(one.ident === '' ? String(one.id) : one.ident);
  return steps.join('/');
}

/**
 * The variables at and below an object that residents may see; with a rule, without objects of another one.
 */
function* variablesBelow(object: TreeObject | undefined, rule?: PublishRule): Generator<Variable> {
  if (object === undefined || object.hidden) return;
  if (rule !== undefined && object.publish !== '' && object.publish !== rule) return;
  if (object.is(objectType.variable)) yield object;
  for (const child of object.children ?? []) yield* variablesBelow(child, rule);
}
