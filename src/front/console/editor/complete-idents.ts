import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';

/** An object that a script may name. */
export interface NamedObject {
  readonly ident: string;
  readonly name: string;
}

/** Completes idents of objects within strings, such as the parameter of `SVC_GetObjectIDByIdent`. */
export function completeIdents(
  context: CompletionContext,
  objects: () => readonly NamedObject[],
): CompletionResult | null {
  const { name, from } = syntaxTree(context.state).resolveInner(context.pos, -1);
  if (!['String', 'TemplateString'].includes(name)) return null;
  const word = context.matchBefore(/\w*$/);
  if (word === null || (word.from === word.to && !context.explicit) || word.from <= from) return null;
  const known = new Map(objects().map((one) => [one.ident, one.name]));
  return {
    from: word.from,
    validFor: /^\w*$/,
    options: [...known]
      .filter(([ident]) => ident !== '')
      .map(([ident, detail]) => ({ label: ident, type: 'variable', detail })),
  };
}
