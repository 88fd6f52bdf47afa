import { coded } from '../../base/codes/coded-text.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import { variableTypeNames } from '../../kernel/value.js';
import { convertValue } from '../../kernel/convert.js';
import type { VariableType } from '../../kernel/value.js';
import type { Claims } from './claims.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import type { ReviewFacts } from './review-facts.js';
import type { TreeModel } from './tree-model.js';
import { didYouMean } from '../../base/did-you-mean.js';

export interface TreeReview {
  readonly document: ConfigDocument;
  readonly model: TreeModel;
  readonly modules: ModuleRegistry;
  readonly claims: Claims;
  readonly facts: ReviewFacts;
  /** The types of all known profiles. */
  readonly profiles: ReadonlyMap<string, VariableType>;
  /** Files that instances refer to, to be checked for existence. */
  readonly files: { readonly path: DocumentPath; readonly file: string }[];
}

/** Adds a problem if there is no object at an ident path. Returns true if there is one, or may be. */
export function requireObject({ document, model }: TreeReview, target: string, path: DocumentPath): boolean {
  if (model.at(target) !== undefined) return true;
  const near = didYouMean(target, model.paths());
  document.addProblem(
    path,
    coded`NO_OBJECT_AT: there is no object at ${target}${near || coded`GIVE_IDENTS: ; give the idents from the root, like ground_floor/lamp`}`,
    { kind: 'object', name: target },
  );
  return false;
}

/** The values of each variable type, for messages; the index is the interface's number. */
const VALUES = [
  coded`GIVE_BOOLEAN: true or false`,
  coded`GIVE_INTEGER: an integer`,
  coded`GIVE_NUMBER: a number`,
  coded`GIVE_TEXT: a text`,
] as const;

/** Adds a problem if a value can't be converted to the type. */
export function reviewValue(
  document: ConfigDocument,
  type: VariableType,
  of: { value: unknown; path: DocumentPath },
): void {
  try {
    convertValue(type, of.value);
  } catch {
    document.addProblem(
      of.path,
      coded`VARIABLE_CAN_NOT_VALUE: a variable of type ${variableTypeNames[type]} can't have this value; give ${VALUES[type]}`,
    );
  }
}

/** Adds a problem if a script can't be compiled. */
export async function reviewScript(
  { document, facts }: TreeReview,
  { text, path, file = 'event.js' }: { text: string; path: DocumentPath; file?: string },
): Promise<void> {
  const error = await facts.checkScript({ file, text });
  if (error !== undefined)
    document.addTextProblem(
      path,
      coded`SCRIPT_CAN_NOT_COMPILED: the script can't be compiled: ${error.text}`,
      error,
    );
}
