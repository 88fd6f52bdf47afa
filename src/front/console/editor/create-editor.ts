import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  type Completion,
  type CompletionContext,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript, localCompletionSource } from '@codemirror/lang-javascript';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, forEachDiagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Cancel } from '../../../base/clock.js';
import { realTiming } from '../../../client/timing.js';
import { CHECK_SOURCE, checkCalls } from './check-calls.js';
import type { TextProblem } from './code-editor.js';
import { completeIdents, type NamedObject } from './complete-idents.js';
import { completeMembers } from './complete-members.js';
import { type ReferenceFunction, signatureOf } from './reference.js';
import { signatureHelp } from './signature-help.js';

interface EditorOptions {
  readonly language: 'javascript' | 'typescript' | 'yaml';
  readonly label: string;
  readonly value: string;
  readonly functions: () => readonly ReferenceFunction[];
  readonly objects: () => readonly NamedObject[];
  /** What the check of the calls found; it follows the typing. */
  readonly onCheck: (problems: readonly TextProblem[]) => void;
  readonly onChange: (value: string) => void;
  readonly onSave: () => void;
  readonly onRun: () => void;
}

/** The calls are checked when nothing was typed for this long, ms. */
const CHECK_MS = 500;

/** An editor that was created. */
export interface EditorHandle {
  /** Shows another text; nothing happens if it is shown already. */
  replace(value: string): void;
  mark(problems: readonly TextProblem[]): void;
  /** Checks the calls, as after typing. */
  check(): void;
  destroy(): void;
}

/** Creates an editor below a shadow root. */
export function createEditor(root: ShadowRoot, options: EditorOptions): EditorHandle {
  const { language, label, value, functions, onChange, onCheck, onSave, onRun } = options;
  const run = (action: () => void) => () => {
    action();
    return true;
  };
  let cancelCheck: Cancel | undefined;
  const check = () => {
    if (language === 'yaml') return;
    const found = checkCalls(view.state, functions());
    const others: Diagnostic[] = [];
    forEachDiagnostic(view.state, (one, from, to) => {
      if (one.source !== CHECK_SOURCE) others.push({ ...one, from, to });
    });
    view.dispatch(setDiagnostics(view.state, [...others, ...found]));
    onCheck(found.map((one) => problemOf(view.state, one)));
  };
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: value,
      extensions: [
        keymap.of([
          { key: 'Mod-s', run: run(onSave), preventDefault: true },
          { key: 'Mod-Enter', run: run(onRun), preventDefault: true },
        ]),
        lineNumbers(),
        lintGutter(),
        history(),
        search({ top: true }),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        EditorState.tabSize.of(2),
        languageOf(options),
        signatureHelp(functions),
        typedOverSelection,
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...searchKeymap,
          ...historyKeymap,
          ...lintKeymap,
          ...defaultKeymap,
        ]),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged) return;
          const { doc } = update.state;
          onChange(doc.eq(shown.doc) ? shown.text : doc.toString());
          // The check of an older text is outdated.
          cancelCheck?.();
          cancelCheck = realTiming.after(CHECK_MS, check);
        }),
        syntaxHighlighting(colours),
        theme,
      ],
    }),
  });
  /** What is shown, with its line ends: those of a document are always LF. */
  let shown = { text: value, doc: view.state.doc };
  return {
    replace(text) {
      const { doc } = view.state;
      shown = { text, doc: view.state.toText(text) };
      if (!doc.eq(shown.doc)) view.dispatch({ changes: { from: 0, to: doc.length, insert: shown.doc } });
    },
    mark(problems) {
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((problem) => diagnosticOf(view.state, problem)),
        ),
      );
      check();
    },
    check,
    destroy() {
      cancelCheck?.();
      view.destroy();
    },
  };
}

/**
 * Replaces a selection that is typed over. The browser itself would copy the colours of the replaced text into
 * a style attribute, which the policy of the page forbids and reports.
 */
const typedOverSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { main } = view.state.selection;
    if (inputType !== 'insertText' || data === null || main.empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true });
    const handlers = view.state.facet(EditorView.inputHandler);
    if (!handlers.some((handle) => handle(view, main.from, main.to, data, insert))) view.dispatch(insert());
    return true;
  },
});

function languageOf({ language, functions, objects }: EditorOptions): Extension {
  // Tab indents in YAML, where spaces matter; elsewhere it leaves the editor.
  if (language === 'yaml') return [yaml(), autocompletion(), keymap.of([indentWithTab])];
  return [
    javascript({ typescript: language === 'typescript' }),
    autocompletion({
      override: [
        localCompletionSource,
        (context) => completeIdents(context, objects),
        (context) => completeMembers(context, functions()) ?? completeFunction(context, functions()),
      ],
    }),
  ];
}

const GLOBALS: readonly Completion[] = [
  'SELF',
  'SENDER',
  'VARIABLE',
  'VALUE',
  'OLDVALUE',
  'EVENT',
  'TARGET',
  'PARAMETERS',
].map((label) => ({ label, type: 'constant' }));

function completeFunction(context: CompletionContext, functions: readonly ReferenceFunction[]) {
  const word = context.matchBefore(/[A-Za-z_]\w*$/);
  if (word === null && !context.explicit) return null;
  // After a dot there are only members.
  if (context.matchBefore(/\.\w*$/) !== null) return null;
  return {
    from: word?.from ?? context.pos,
    validFor: /^\w*$/,
    options: [
      ...GLOBALS,
      ...['print', 'include', 'console'].map((label) => ({ label, type: 'function' })),
      ...functions.map((one) => ({
        label: one.name,
        type: 'function',
        detail: `(${one.parameters.map(({ name }) => name).join(', ')})`,
        info: `${signatureOf(one)}\n${one.summary}`,
      })),
    ],
  };
}

function problemOf({ doc }: EditorState, { from, message }: Diagnostic): TextProblem {
  const line = doc.lineAt(from);
  return { line: line.number, column: from - line.from + 1, text: message, isWarning: true };
}

/** Marks the word at a place, or the end of its line. */
function diagnosticOf({ doc }: EditorState, { line, column, text, isWarning }: TextProblem): Diagnostic {
  const at = doc.line(Math.min(Math.max(1, line), doc.lines));
  const from = Math.min(at.from + Math.max(0, column - 1), at.to);
  const [word = ''] = /^\w+|^\S/.exec(doc.sliceString(from, at.to)) ?? [];
  return { from, to: from + word.length, severity: isWarning === true ? 'warning' : 'error', message: text };
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--mark)', fontWeight: '600' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--on-ink)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--stale)' },
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: [tags.function(tags.variableName), tags.propertyName], color: 'var(--text)', fontWeight: '550' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const theme = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--card)', fontSize: '0.9375rem' },
  '&.cm-focused': { outline: '3px solid var(--focus)', outlineOffset: '-3px' },
  '.cm-scroller': { fontFamily: 'ui-monospace, monospace', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--back)',
    color: 'var(--soft)',
    borderRight: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'transparent' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, ::selection': {
    backgroundColor: 'var(--on)',
  },
  '.cm-matchingBracket': { outline: '1px solid var(--edge)', backgroundColor: 'transparent !important' },
  '.cm-tooltip': {
    backgroundColor: 'var(--card)',
    color: 'var(--text)',
    border: '1px solid var(--edge)',
    borderRadius: '8px',
    maxWidth: 'min(36rem, 90vw)',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { backgroundColor: 'var(--on)', color: 'var(--on-ink)' },
  '.cm-completionDetail': { fontStyle: 'normal', color: 'inherit' },
  '.cm-completionInfo': { whiteSpace: 'pre-wrap', padding: '0.5rem 0.75rem' },
  '.cm-signature': { padding: '0.25rem 0.75rem', fontSize: '0.875rem', whiteSpace: 'pre-wrap' },
  '.cm-signature > div': { color: 'var(--soft)' },
  // The policy of the page forbids the images of the library.
  '.cm-lintRange': { backgroundImage: 'none' },
  '.cm-lintRange-error': { textDecoration: 'underline wavy var(--bad)' },
  '.cm-lintRange-warning': { textDecoration: 'underline wavy var(--stale)' },
  '.cm-lint-marker': {
    content: '""',
    borderRadius: '50%',
    width: '0.75em',
    height: '0.75em',
    marginTop: '0.35em',
  },
  '.cm-lint-marker-error': { content: '""', backgroundColor: 'var(--bad)' },
  '.cm-lint-marker-warning': { content: '""', backgroundColor: 'var(--stale)' },
  '.cm-diagnostic': { whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-panels': { backgroundColor: 'var(--back)', color: 'var(--text)' },
  '.cm-textfield': { backgroundColor: 'var(--card)', color: 'var(--text)', borderColor: 'var(--edge)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'var(--card)', borderColor: 'var(--edge)' },
});
