import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { functionsOf } from './reference.js';
import type { NamedObject } from './complete-idents.js';
import { type EditorHandle, createEditor } from './create-editor.js';

/** A place in the text and what is wrong there; lines and columns count from 1. */
export interface TextProblem {
  readonly line: number;
  readonly column: number;
  readonly text: string;
  readonly isWarning?: boolean;
}

interface CodeEditorProps {
  readonly language: 'javascript' | 'typescript' | 'yaml';
  readonly label: string;
  /** The text at first, and whenever `revision` changes; in between the editor has the newest. */
  readonly value: string;
  readonly revision: number;
  readonly problems: readonly TextProblem[];
  /** The gateway's OpenRPC document, as soon as it is loaded. */
  readonly reference?: Readonly<Record<string, unknown>> | undefined;
  /** Objects whose idents are completed. */
  readonly objects?: () => readonly NamedObject[];
  readonly onCheck?: (problems: readonly TextProblem[]) => void;
  readonly onChange: (value: string) => void;
  readonly onSave: () => void;
  readonly onRun?: () => void;
}

/**
 * A text editor with colours, completion and marks of problems. It is in a shadow root: there its styles are
 * constructed sheets, which the page's policy allows.
 */
export function CodeEditor(props: CodeEditorProps) {
  const { language, label, value, revision, problems, reference } = props;
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorHandle | null>(null);
  const latest = useRef(props);
  latest.current = props;
  const functions = useMemo(() => (reference === undefined ? [] : functionsOf(reference)), [reference]);
  const known = useRef(functions);
  known.current = functions;
  useEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const created = createEditor(root, {
      language,
      label,
      value,
      functions: () => known.current,
      objects: () => latest.current.objects?.() ?? [],
      onCheck: (found) => latest.current.onCheck?.(found),
      onChange: (text) => latest.current.onChange(text),
      onSave: () => latest.current.onSave(),
      onRun: () => latest.current.onRun?.(),
    });
    editor.current = created;
    return () => created.destroy();
  }, [language, label]);
  // Before anything else can be typed, which would be replaced as well.
  useLayoutEffect(() => editor.current?.replace(latest.current.value), [revision]);
  useEffect(() => editor.current?.mark(problems), [problems, language, label]);
  useEffect(() => editor.current?.check(), [functions]);
  return <div ref={host} class="code-editor" />;
}
