import type { CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import { TypeInference } from './infer-type.js';
import { typedText, type ReferenceFunction } from './reference.js';

/** Longest time for parsing what is not yet parsed, ms. */
const PARSING_MS = 50;
/** The members of lists that scripts use most. */
const LIST_MEMBERS = [
  'at',
  'every',
  'filter',
  'find',
  'forEach',
  'includes',
  'join',
  'length',
  'map',
  'slice',
  'some',
  'sort',
];

/** Completes the members of records that functions of the reference return: `SVC_GetObject(id).`. */
export function completeMembers(
  context: CompletionContext,
  functions: readonly ReferenceFunction[],
): CompletionResult | null {
  const word = context.matchBefore(/\.\w*$/);
  if (word === null) return null;
  const { state, pos } = context;
  // What was just typed may not be parsed yet.
  const tree = ensureSyntaxTree(state, pos, PARSING_MS) ?? syntaxTree(state);
  const access = tree.resolveInner(word.from + 1, -1).parent;
  if (access?.name !== 'MemberExpression') return null;
  const type = new TypeInference(state, functions).typeOf(access.firstChild);
  if (type === undefined) return null;
  const isList = type.item() !== undefined;
  return {
    from: word.from + 1,
    validFor: /^\w*$/,
    options: isList
      ? LIST_MEMBERS.map((label) => ({ label, type: label === 'length' ? 'property' : 'method' }))
      : type.members().map((member) => ({
          label: member.name,
          type: 'property',
          detail: member.type.name,
          info: `${typedText(member)}${member.description === '' ? '' : `\n${member.description}`}`,
        })),
  };
}
