import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { TreeNode } from '../../web/model.js';
import { lazy } from '../../web/parts/lazy.js';
import { addressOf } from '../../web/router.js';
import { errorText, useApp } from '../app.js';
import type { TextProblem } from '../editor/code-editor.js';
import { automation } from '../i18n/automation.js';
import { useLoaded } from '../load.js';
import { ConfirmationDialog } from '../parts/confirmation-dialog.js';
import { deleteObject } from '../tree/deletion.js';
import { Problem } from '../parts/problem.js';

const CodeEditor = lazy(async () => (await import('../editor/code-editor.js')).CodeEditor);
const Conflict = lazy(async () => (await import('../parts/conflict.js')).Conflict);

/** What a run returned: its output, or why it failed. */
type Outcome = { readonly output: string } | { readonly error: string } | 'running' | undefined;

/** The text of a script: edit, save, run, delete. A draft survives changing the page. */
export function ScriptEditor({ script }: { readonly script: TreeNode }) {
  const app = useApp();
  const { scripts } = automation();
  const stored = useSignal<string | undefined>(undefined);
  /** What somebody else has saved since the draft was begun; undefined: nothing. */
  const conflict = useSignal<string | undefined>(undefined);
  const outcome = useSignal<Outcome>(undefined);
  const isAsking = useSignal(false);
  const revision = useSignal(0);
  const runError = useSignal('');
  const hints = useSignal<readonly TextProblem[]>([]);
  const { name } = script;
  const { data } = script.entry.value;
  const { state: record, reload } = useLoaded(
    () => app.call('SVC_GetScript', script.id),
    [script.id, data.isBroken],
  );
  const { state: reference } = useLoaded(() => app.call('rpc.discover'), []);
  const { state: content } = useLoaded(() => app.call('SVC_GetScriptContent', script.id), [script.id]);
  useEffect(() => {
    if (content.value === undefined || 'error' in content.value) return;
    if (stored.peek() === content.value.value) return;
    stored.value = content.value.value;
    if (!app.drafts.peek().has(script.id)) revision.value += 1;
  }, [content.value]);
  const facts = record.value !== undefined && 'value' in record.value ? record.value.value : undefined;
  // A run also finds what the check of the text cannot.
  const error = runError.value || (facts?.ScriptError ?? '');
  const problems = useMemo(() => problemsOf(error), [error]);

  const draft = app.drafts.value.get(script.id);
  const setDraft = (text: string | undefined, newBase?: string) => {
    const drafts = new Map(app.drafts.peek());
    const base = newBase ?? drafts.get(script.id)?.base ?? stored.peek() ?? '';
    if (text === undefined || text === stored.peek()) drafts.delete(script.id);
    else drafts.set(script.id, { text, base });
    app.drafts.value = drafts;
  };
  const discard = () => {
    setDraft(undefined);
    conflict.value = undefined;
    revision.value += 1;
  };
  const save = async (): Promise<boolean> => {
    const saved = app.drafts.peek().get(script.id);
    if (saved === undefined) return true;
    const { text, base } = saved;
    let now = base;
    if (!(await app.act(async () => (now = await app.call('SVC_GetScriptContent', script.id))))) return false;
    // It has the text already if only the reply to a save was lost.
    conflict.value = now === base || now === text ? undefined : now;
    if (conflict.peek() !== undefined) return false;
    return app.act(async () => {
      await app.call('SVC_SetScriptContent', script.id, text);
      // What was typed meanwhile stays a draft, also if it is the text from before.
      const typed = app.drafts.peek().get(script.id)?.text ?? stored.peek();
      stored.value = text;
      setDraft(typed, text);
      runError.value = '';
      reload();
    }, scripts.saved);
  };
  const resolve = async (keepsMine: boolean) => {
    const theirs = conflict.peek();
    stored.value = theirs;
    if (!keepsMine) return discard();
    setDraft(app.drafts.peek().get(script.id)?.text, theirs);
    await save();
  };
  const run = async () => {
    if (!(await save())) return;
    outcome.value = 'running';
    try {
      outcome.value = { output: await app.call('SVC_RunScriptWait', script.id) };
      runError.value = '';
    } catch (thrown) {
      runError.value = errorText(thrown);
      outcome.value = { error: runError.value };
    }
    reload();
  };
  const sayProblem = data.isBroken === true ? scripts.syntaxError : scripts.problem;
  if (stored.value === undefined)
    return content.value !== undefined && 'error' in content.value ? (
      <Problem text={content.value.error} />
    ) : null;
  return (
    <article class="inspector">
      <header class="row-head">
        <h2>{name}</h2>
        <button
          class="primary"
          type="button"
          disabled={draft === undefined}
          aria-keyshortcuts="Control+S"
          onClick={() => void save()}
        >
          {scripts.save}
        </button>
        {outcome.value === 'running' ? (
          <button
            class="plain"
            type="button"
            onClick={() => void app.act(() => app.call('SVC_AbortScript', script.id))}
          >
            {scripts.stop}
          </button>
        ) : (
          <button class="plain" type="button" onClick={() => void run()}>
            {scripts.run}
          </button>
        )}
        <button class="plain" type="button" disabled={draft === undefined} onClick={discard}>
          {scripts.discard}
        </button>
        <button class="plain" type="button" onClick={() => (isAsking.value = true)}>
          {scripts.remove}
        </button>
      </header>
      <p class="soft">
        {facts?.ScriptFile} · {scripts.lastRun}{' '}
        {facts === undefined || facts.LastExecute === 0
          ? scripts.never
          : app.moment(facts.LastExecute * 1000)}{' '}
        · <a href={addressOf('tree', script.id)}>{scripts.inTree}</a>
      </p>
      {conflict.value !== undefined && (
        <Conflict theirs={conflict.value} onChoose={(keepsMine) => void resolve(keepsMine)} />
      )}
      <CodeEditor
        language={facts?.ScriptFile.endsWith('.ts') === true ? 'typescript' : 'javascript'}
        label={scripts.text(name)}
        value={draft?.text ?? stored.value}
        revision={revision.value}
        problems={problems}
        objects={() => [...app.gateway.model.all()].map(({ entry }) => entry.peek())}
        onCheck={(found) => (hints.value = found)}
        reference={
          reference.value !== undefined && 'value' in reference.value ? reference.value.value : undefined
        }
        onChange={setDraft}
        onSave={() => void save()}
        onRun={() => void run()}
      />
      <p class="soft">{scripts.leave}</p>
      {problems.map(({ line, text }) => (
        <Problem key={line} text={sayProblem(line, text)} />
      ))}
      <div class="hints" role="status" aria-label={scripts.check.label}>
        {hints.value.map(({ line, column, text }) => (
          <p key={`${line}:${column}`}>{scripts.problem(line, text)}</p>
        ))}
      </div>
      <Output outcome={outcome.value} sayProblem={sayProblem} />
      {isAsking.value && (
        <ConfirmationDialog
          title={scripts.removeQuestion(name)}
          action={scripts.remove}
          onConfirm={async () => {
            if (!(await deleteObject(app, script))) return;
            setDraft(undefined);
            app.router.go('scripts');
          }}
          onClose={() => (isAsking.value = false)}
        >
          <p>{scripts.removeHint}</p>
        </ConfirmationDialog>
      )}
    </article>
  );
}

interface OutputProps {
  readonly outcome: Outcome;
  readonly sayProblem: (line: number, text: string) => string;
}

function Output({ outcome, sayProblem }: OutputProps) {
  const { scripts } = automation();
  if (outcome === undefined) return null;
  if (outcome === 'running') return <p role="status">{scripts.running}</p>;
  return (
    <section role="status">
      <h3>{scripts.output}</h3>
      {'error' in outcome ? (
        <p class="problem">
          {problemsOf(outcome.error)
            .map(({ line, text }) => sayProblem(line, text))
            .join('') || outcome.error}
        </p>
      ) : outcome.output === '' ? (
        <p class="soft">{scripts.noOutput}</p>
      ) : (
        <pre class="output" tabIndex={0}>
          {outcome.output}
        </pre>
      )}
    </section>
  );
}

/** The place in `12345.js:3:5: the text` of a script's error. */
function problemsOf(error: string): TextProblem[] {
  const [, line, column, text = ''] = /[\w.-]+\.[jt]s:(\d+):(\d+): ([^]*)/.exec(error) ?? [];
  return line === undefined ? [] : [{ line: Number(line), column: Number(column), text }];
}
