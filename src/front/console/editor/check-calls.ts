import { ensureSyntaxTree, syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorState } from '@codemirror/state';
import { closestWord } from '../../../base/did-you-mean.js';
import { automation } from '../i18n/automation.js';
import type { SyntaxNode } from './infer-type.js';
import { type ReferenceFunction, signatureOf } from './reference.js';

/** Marks that this check made; the others are of the gateway. */
export const CHECK_SOURCE = 'stellwerk';
/** Marks of a text at most: after the first ones, the others often follow from them. */
const LISTED = 50;
/** Longest time for parsing what is not yet parsed, ms. */
const PARSING_MS = 50;
/** Functions of scripts that are not in the reference. */
const SCRIPT_FUNCTIONS: ReadonlySet<string> = new Set(['include', 'print']);
/** Names of the families of the reference: what looks like one and is not declared is mistyped. */
const FAMILY = /^[A-Z][A-Za-z]{0,9}_\w+$/;

/**
 * What is wrong with the calls of a script, from the reference of the gateway: functions that do not exist,
 * and wrong numbers of arguments. And the first place at which the text is not JavaScript or TypeScript.
 */
export function checkCalls(state: EditorState, functions: readonly ReferenceFunction[]): Diagnostic[] {
  const byName = new Map(functions.map((one) => [one.name, one]));
  const text = (node: SyntaxNode) => state.sliceDoc(node.from, node.to);
  const own = new Set<string>();
  const calls: SyntaxNode[] = [];
  let broken: SyntaxNode | undefined;
  const tree = ensureSyntaxTree(state, state.doc.length, PARSING_MS) ?? syntaxTree(state);
  tree.iterate({
    enter: ({ node, type }) => {
      if (type.isError) broken ??= node;
      else if (type.name === 'VariableDefinition') own.add(text(node));
      else if (type.name === 'CallExpression') calls.push(node);
    },
  });
  const found: Diagnostic[] = [];
  const { check } = automation().scripts;
  const mark = ({ from, to }: SyntaxNode, message: string) => {
    if (found.length < LISTED)
      found.push({ from, to: Math.max(to, from), severity: 'warning', message, source: CHECK_SOURCE });
  };
  if (broken !== undefined) mark(broken, check.syntax);
  // The reference is not loaded yet.
  if (byName.size === 0) return found;
  // What another script declares is not known here.
  const hasIncludes = calls.some(({ firstChild }) => firstChild !== null && text(firstChild) === 'include');
  for (const call of calls) {
    const name = call.firstChild;
    const list = call.getChild('ArgList');
    if (name?.name !== 'VariableName' || list === null || own.has(text(name))) continue;
    const declared = byName.get(text(name));
    if (declared !== undefined) {
      const count = argumentsIn(list);
      const least = declared.parameters.filter(({ isOptional }) => !isOptional).length;
      if (count !== undefined && (count < least || count > declared.parameters.length))
        mark(name, check.count(count, signatureOf(declared)));
    } else if (!(text(name) in globalThis) && !SCRIPT_FUNCTIONS.has(text(name))) {
      const near = closestWord(text(name), [...byName.keys()]);
      if ((near !== undefined && !hasIncludes) || FAMILY.test(text(name)))
        mark(name, check.unknown(text(name), near));
    }
  }
  return found;
}

/** Number of arguments; undefined: not known, because one is spread or the text is not complete. */
function argumentsIn(list: SyntaxNode): number | undefined {
  let count = 0;
  for (let node = list.firstChild; node !== null; node = node.nextSibling) {
    if (node.name === 'Spread' || node.type.isError) return undefined;
    if (!['(', ')', ',', 'LineComment', 'BlockComment'].includes(node.name)) count += 1;
  }
  return count;
}
