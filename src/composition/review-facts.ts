import { systemClock } from '../base/clock.js';
import type {
  ActionFact,
  ReviewFacts,
  ScriptSyntaxError,
  TargetFact,
} from '../config/review/review-facts.js';
import { referenceKind } from '../device/module.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { canReferTo } from '../device/property-references.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { variableType } from '../kernel/value.js';
import type { ScriptText } from '../script/protocol.js';

/** A variable that every action for variables can run on. */
const ANY_VARIABLE: TargetFact = {
  type: objectType.variable,
  valueType: variableType.boolean,
  isReadOnly: false,
};

/**
 * The facts about scripts, functions and the machine that the review of a configuration needs; loaded on
 * first use.
 */
export const reviewFacts: ReviewFacts = {
  actions,
  checkScript,
  prefixes,
  kernelLines,
};

async function actions(): Promise<readonly ActionFact[]> {
  const { builtInActions } = await import('../functions/events/built-in-actions.js');
  return builtInActions.map(({ name, parameters, canRunOn: fits }) => ({
    name,
    parameters: parameters.map((parameter) => parameter.name),
    isForVariables: fits?.(placeholder(ANY_VARIABLE)) ?? false,
    fits: (target: TargetFact) => fits?.(placeholder(target)) ?? true,
  }));
}

/** The part of an object that an action checks to decide whether it can run on it. */
function placeholder({ type, valueType, isReadOnly }: TargetFact): TreeObject {
  const object = { is: (other: number) => other === type, readOnly: isReadOnly, data: { type: valueType } };
  // Actions read nothing else of an object before they run.
  return object as unknown as TreeObject;
}

async function checkScript(script: ScriptText): Promise<ScriptSyntaxError | undefined> {
  const { compile, CompileError } = await import('../script/script-compiler.js');
  try {
    compile(script, true);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof CompileError)) throw thrown;
    const { line, column } = thrown.at ?? { line: 1, column: 1 };
    return { line, column: Math.max(column, 1), text: thrown.message };
  }
}

async function prefixes(modules: ModuleRegistry): Promise<ReadonlySet<string>> {
  const { declaredFunctions } = await import('../functions/declared-functions.js');
  const names = declaredFunctions(modules, systemClock()).map(({ name }) => name);
  return new Set(names.flatMap((name) => (name.includes('_') ? [name.slice(0, name.indexOf('_'))] : [])));
}

async function kernelLines(modules: ModuleRegistry): Promise<ReadonlySet<string>> {
  const finders = [...modules.all()].filter(({ properties }) => canReferTo(properties, referenceKind.line));
  const found = await Promise.all(
    finders.map(async ({ findHardware: find }) => (await find?.().catch(() => [])) ?? []),
  );
  return new Set(found.flat().flatMap(({ kind, name }) => (kind === 'line' ? [name] : [])));
}
