import type { ModuleRegistry } from '../../device/module-registry.js';
import type { ObjectType } from '../../kernel/object.js';
import type { VariableType } from '../../kernel/value.js';

/** An action that events can perform (`functions/events/built-in-actions.ts`). */
export interface ActionFact {
  readonly name: string;
  /** The names of its parameters: `TARGET`, `VALUE` and others. */
  readonly parameters: readonly string[];
  /** Whether it sets its target to a value. */
  readonly isForVariables: boolean;
  /** Whether it can be performed on such an object. */
  fits(target: TargetFact): boolean;
}

/** The target of an action. */
export interface TargetFact {
  readonly type: ObjectType;
  readonly valueType: VariableType | undefined;
  readonly isReadOnly: boolean;
}

/** A syntax error of a script. Line and column are those of the script, from 1. */
export interface ScriptSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** What a review needs from layers that `config` can't import. Each is loaded on first use. */
export interface ReviewFacts {
  actions(): Promise<readonly ActionFact[]>;
  checkScript(script: {
    readonly file: string;
    readonly text: string;
  }): Promise<ScriptSyntaxError | undefined>;
  /** The prefixes of function names: `SVC`, `HM`. */
  prefixes(modules: ModuleRegistry): Promise<ReadonlySet<string>>;
  /** The line names that this machine's kernel knows. */
  kernelLines(modules: ModuleRegistry): Promise<ReadonlySet<string>>;
}
