import type { ModuleRegistry } from '../../device/module-registry.js';
import type { ObjectType } from '../../kernel/object.js';
import type { VariableType } from '../../kernel/value.js';

/** An action that events can carry out (`functions/events/built-in-actions.ts`). */
export interface ActionFact {
  readonly name: string;
  /** The names of its parameters: `TARGET`, `VALUE` and others. */
  readonly parameters: readonly string[];
  /** Whether it gives its target a value. */
  readonly isForVariables: boolean;
  /** Whether it can be carried out on such an object. */
  fits(target: TargetFact): boolean;
}

/** What an action is to be carried out on. */
export interface TargetFact {
  readonly type: ObjectType;
  readonly valueType: VariableType | undefined;
  readonly isReadOnly: boolean;
}

/** Where a script's text can't be compiled, in lines and columns of its own, from 1. */
export interface ScriptSyntaxError {
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** What a review of a configuration needs to know of layers that it can't import. Each is loaded when it is asked for. */
export interface ReviewFacts {
  actions(): Promise<readonly ActionFact[]>;
  checkScript(script: {
    readonly file: string;
    readonly text: string;
  }): Promise<ScriptSyntaxError | undefined>;
  /** What the names of functions begin with: `SVC`, `HM`. */
  prefixes(modules: ModuleRegistry): Promise<ReadonlySet<string>>;
  /** The names of the lines that this machine's kernel knows. */
  kernelLines(modules: ModuleRegistry): Promise<ReadonlySet<string>>;
}
