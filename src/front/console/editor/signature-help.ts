import type { EditorState, Extension } from '@codemirror/state';
import { showTooltip, type Tooltip } from '@codemirror/view';
import { type ReferenceFunction, signatureOf } from './reference.js';

/** How far before the cursor a call may begin, characters. */
const REACH = 400;

/** Shows the signature of the function whose parameters are being typed, above the line. */
export function signatureHelp(functions: () => readonly ReferenceFunction[]): Extension {
  return showTooltip.compute(['doc', 'selection'], (state) => tooltipOf(state, functions()));
}

function tooltipOf(state: EditorState, functions: readonly ReferenceFunction[]): Tooltip | null {
  const { head, empty } = state.selection.main;
  if (!empty) return null;
  const start = Math.max(0, head - REACH);
  const call = openCall(state.sliceDoc(start, head));
  const found = call === undefined ? undefined : functions.find(({ name }) => name === call.name);
  if (found === undefined || call === undefined) return null;
  return {
    pos: start + call.at,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-signature';
      dom.textContent = signatureOf(found);
      return { dom };
    },
  };
}

/** The innermost call that is open at the end of the text. Brackets in strings are rare enough to ignore. */
function openCall(text: string): { readonly name: string; readonly at: number } | undefined {
  let depth = 0;
  for (let at = text.length - 1; at >= 0; at -= 1) {
    const character = text[at];
    if (character === ';' || character === '}') return undefined;
    if (character === ')') depth += 1;
    if (character !== '(') continue;
    if (depth > 0) {
      depth -= 1;
      continue;
    }
    const [name] = /[A-Za-z_]\w*$/.exec(text.slice(0, at)) ?? [];
    if (name !== undefined) return { name, at: at - name.length };
  }
  return undefined;
}
