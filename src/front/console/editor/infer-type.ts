import type { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import type { ReferenceFunction, ReferenceType } from './reference.js';

export type SyntaxNode = ReturnType<typeof syntaxTree>['topNode'];

/** Methods of lists that return one of their items, and those that return a list of them. */
const ITEM_METHODS = new Set(['at', 'find', 'findLast', 'pop', 'shift']);
const LIST_METHODS = new Set(['concat', 'filter', 'reverse', 'slice', 'sort', 'toReversed', 'toSorted']);
/** Methods of lists that call a function with an item first. */
const CALLING_METHODS = new Set([
  'every',
  'filter',
  'find',
  'findIndex',
  'findLast',
  'flatMap',
  'forEach',
  'map',
  'some',
]);
/** A longer chain of names is not followed: it may be a cycle. */
const DEPTH = 12;

/** The types of expressions in a text, as far as they follow from what functions of the reference return. */
export class TypeInference {
  readonly #state: EditorState;
  readonly #results: ReadonlyMap<string, ReferenceType>;

  constructor(state: EditorState, functions: readonly ReferenceFunction[]) {
    this.#state = state;
    this.#results = new Map(functions.map(({ name, result }) => [name, result]));
  }

  /** The type of an expression; undefined: not known. */
  typeOf(node: SyntaxNode | null, depth = 0): ReferenceType | undefined {
    if (node === null || depth > DEPTH) return undefined;
    switch (node.name) {
      case 'ParenthesizedExpression':
        return this.typeOf(node.firstChild?.nextSibling ?? null, depth + 1);
      case 'AwaitExpression':
        return this.typeOf(node.lastChild, depth + 1);
      case 'CallExpression':
        return this.#resultOf(node.firstChild, depth + 1);
      case 'MemberExpression':
        return this.#memberOf(node, depth + 1);
      case 'VariableName':
        return this.#variable(node, depth + 1);
      default:
        return undefined;
    }
  }

  #text({ from, to }: SyntaxNode): string {
    return this.#state.sliceDoc(from, to);
  }

  #resultOf(callee: SyntaxNode | null, depth: number): ReferenceType | undefined {
    if (callee?.name === 'VariableName') return this.#results.get(this.#text(callee));
    const method = callee?.name === 'MemberExpression' ? callee.getChild('PropertyName') : null;
    if (callee === null || method === null) return undefined;
    const list = this.typeOf(callee.firstChild, depth);
    const name = this.#text(method);
    if (ITEM_METHODS.has(name)) return list?.item();
    return LIST_METHODS.has(name) && list?.item() !== undefined ? list : undefined;
  }

  #memberOf(node: SyntaxNode, depth: number): ReferenceType | undefined {
    const type = this.typeOf(node.firstChild, depth);
    const property = node.getChild('PropertyName');
    if (property === null) return type?.item();
    const name = this.#text(property);
    return type?.members().find((member) => member.name === name)?.type;
  }

  /** The type of a variable, from the nearest definition of its name above. */
  #variable(node: SyntaxNode, depth: number): ReferenceType | undefined {
    const name = this.#text(node);
    let definition: SyntaxNode | undefined;
    let root = node;
    while (root.parent !== null) root = root.parent;
    root.cursor().iterate(({ name: kind, from, to, node: found }) => {
      if (kind === 'VariableDefinition' && to <= node.from && this.#state.sliceDoc(from, to) === name)
        definition = found;
    });
    return definition && this.#defined(definition, depth);
  }

  #defined(definition: SyntaxNode, depth: number): ReferenceType | undefined {
    const { parent } = definition;
    switch (parent?.name) {
      case 'VariableDeclaration': {
        const next = definition.nextSibling;
        const equals = next?.name === 'TypeAnnotation' ? next.nextSibling : next;
        return equals?.name === 'Equals' ? this.typeOf(equals.nextSibling, depth) : undefined;
      }
      case 'ForOfSpec':
        return this.typeOf(parent.getChild('of')?.nextSibling ?? null, depth)?.item();
      case 'ParamList':
        return this.#parameter(parent, definition, depth);
      default:
        return undefined;
    }
  }

  /** `items.map((item) => …)`: the first parameter is an item. */
  #parameter(parameters: SyntaxNode, definition: SyntaxNode, depth: number): ReferenceType | undefined {
    const call = parameters.parent?.parent?.parent;
    const callee = call?.name === 'CallExpression' ? call.firstChild : undefined;
    const method = callee?.name === 'MemberExpression' ? callee.getChild('PropertyName') : undefined;
    const isFirst = parameters.getChild('VariableDefinition')?.from === definition.from;
    if (!isFirst || !method || !CALLING_METHODS.has(this.#text(method))) return undefined;
    return this.typeOf(callee?.firstChild ?? null, depth)?.item();
  }
}
