import { syntaxTree } from '@codemirror/language';
import type { EditorState, Extension } from '@codemirror/state';
import { showTooltip, type Tooltip } from '@codemirror/view';
import type { SyntaxNode } from './infer-type.js';
import { typedText, type ReferenceFunction, type ReferenceType } from './reference.js';

/** Shows the signature of the function whose arguments are being typed, above the line. */
export function signatureHelp(functions: () => readonly ReferenceFunction[]): Extension {
  return showTooltip.compute(['doc', 'selection'], (state) => tooltipOf(state, functions()));
}

function tooltipOf(state: EditorState, functions: readonly ReferenceFunction[]): Tooltip | null {
  const { head, empty } = state.selection.main;
  const call = empty ? openCall(state, head) : undefined;
  const found = functions.find(({ name }) => name === call?.name);
  if (found === undefined || call === undefined) return null;
  return {
    pos: call.at,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-signature';
      dom.append(`${found.name}(`);
      for (const [index, parameter] of found.parameters.entries()) {
        const one = document.createElement(index === call.argument ? 'b' : 'span');
        one.textContent = typedText(parameter);
        dom.append(index === 0 ? '' : ', ', one);
      }
      dom.append(`): ${found.result.name}`);
      const argument = found.parameters[call.argument];
      const detail =
        argument && [argument.description, recordText(argument.type)].filter((one) => one !== '');
      if (detail !== undefined && detail.length > 0) {
        const line = document.createElement('div');
        line.textContent = detail.join('\n');
        dom.append(line);
      }
      return { dom };
    },
  };
}

/** What a record, or a list of them, has: `SettingChange: { Path: string, Value: unknown }`. */
function recordText(type: ReferenceType): string {
  const record = type.item() ?? type;
  const members = record.members();
  return members.length === 0 ? '' : `${record.name}: { ${members.map(typedText).join(', ')} }`;
}

/** The innermost call of a name whose arguments are around a place, with the number of its argument there. */
function openCall(state: EditorState, head: number) {
  let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1);
  // The arguments end where the body of a function begins.
  for (; node !== null && !['Block', 'Script'].includes(node.name); node = node.parent) {
    const callee = node.prevSibling;
    const isClosed = node.lastChild?.name === ')' && node.lastChild.to <= head;
    if (node.name !== 'ArgList' || node.from >= head || isClosed || callee?.name !== 'VariableName') continue;
    const commas = node.getChildren(',').filter(({ to }) => to <= head);
    return { name: state.sliceDoc(callee.from, callee.to), at: callee.from, argument: commas.length };
  }
  return undefined;
}
