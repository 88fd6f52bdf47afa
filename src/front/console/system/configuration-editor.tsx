import type { ConfigurationProblem, ReloadReport } from '../../../client/generated/records.js';
import { texts } from '../../web/i18n/i18n.js';
import { lazy } from '../../web/parts/lazy.js';
import { useMemo } from 'preact/hooks';
import { useApp } from '../app.js';
import { systemTexts } from '../i18n/system.js';
import { RestartButton } from './restart-button.js';
import { useConfiguration } from './use-configuration.js';

const CodeEditor = lazy(async () => (await import('../editor/code-editor.js')).CodeEditor);

/** The configuration as a text: checked while it is typed, saved and applied together. */
export function ConfigurationEditor() {
  const app = useApp();
  const state = useConfiguration();
  const { configuration: text, retry } = systemTexts();
  const draft = app.configurationDraft.value;
  const stored = state.stored.value;
  const problems = state.problems.value;
  const marks = useMemo(() => (problems ?? []).map(markOf), [problems]);
  if (state.error.value !== '')
    return (
      <div class="form">
        <p class="problem" role="alert">
          {state.error}
        </p>
        <p>
          <button class="plain" type="button" onClick={() => void state.load()}>
            {retry}
          </button>
        </p>
      </div>
    );
  if (stored === undefined) return <p class="soft">{texts().loading}</p>;
  return (
    <div class="sections">
      <Source path={stored.Path} isOverlay={stored.IsOverlay} isWritable={stored.IsWritable} />
      {state.conflict.value !== undefined && (
        <Conflict theirs={state.conflict.value.Text} onChoose={(mine) => void state.resolve(mine)} />
      )}
      <div class="row-head">
        <button
          class="primary"
          type="button"
          disabled={draft === undefined || state.isBusy.value}
          aria-keyshortcuts="Control+S"
          onClick={() => void state.save()}
        >
          {text.save}
        </button>
        {draft !== undefined && (
          <>
            <button class="plain" type="button" onClick={state.discard}>
              {text.discard}
            </button>
            <span class="soft">{text.isChanged}</span>
          </>
        )}
      </div>
      <CodeEditor
        language="yaml"
        label={text.text}
        value={draft?.text ?? stored.Text}
        revision={state.revision.value}
        problems={marks}
        onChange={state.change}
        onSave={() => void state.save()}
      />
      <p class="soft">{text.keys}</p>
      <Findings problems={problems} />
      {state.report.value !== undefined && <Report report={state.report.value} />}
    </div>
  );
}

function markOf({ Line, Column, Severity, Text }: ConfigurationProblem) {
  return { line: Line, column: Column, text: Text, isWarning: Severity !== 'error' };
}

interface SourceProps {
  readonly path: string;
  readonly isOverlay: boolean;
  readonly isWritable: boolean;
}

/** Which file it is, and where a change goes. */
function Source({ path, isOverlay, isWritable }: SourceProps) {
  const { configuration: text } = systemTexts();
  if (!isOverlay) return <p class="soft">{isWritable ? text.file(path) : text.readOnly(path)}</p>;
  return (
    <div class="card">
      <p>{text.overlay(path)}</p>
      <p class="soft">{text.overlayReturn}</p>
      <pre tabIndex={0}>{`sudo rm ${path}\nsudo systemctl reload stellwerk`}</pre>
    </div>
  );
}

interface ConflictProps {
  readonly theirs: string;
  readonly onChoose: (keepsMine: boolean) => void;
}

/** Somebody else has saved another text: shows it, and asks which one stays. */
function Conflict({ theirs, onChoose }: ConflictProps) {
  const { configuration: text } = systemTexts();
  return (
    <div class="card" role="alert">
      <p class="problem">{text.conflict}</p>
      <details>
        <summary>{text.theirs}</summary>
        <pre class="output" tabIndex={0}>
          {theirs}
        </pre>
      </details>
      <div class="row-head">
        <button class="plain" type="button" onClick={() => onChoose(false)}>
          {text.takeTheirs}
        </button>
        <button class="danger" type="button" onClick={() => onChoose(true)}>
          {text.keepMine}
        </button>
      </div>
    </div>
  );
}

function Findings({ problems }: { readonly problems: readonly ConfigurationProblem[] | undefined }) {
  const { configuration: text } = systemTexts();
  const summary =
    problems === undefined
      ? text.isChecking
      : problems.length === 0
        ? text.sound
        : text.problems(problems.length);
  return (
    <section>
      <p role="status">{summary}</p>
      {problems !== undefined && problems.length > 0 && (
        <ul class="cards findings">
          {problems.map(({ Line, Column, Path, Severity, Text }) => (
            <li key={`${Line}:${Column}:${Text}`} class={Severity === 'error' ? 'failed' : 'warning'}>
              <strong>{`${text.severities[Severity]}, ${text.place(Line, Column)}`}</strong>
              <span>{Path === '' ? Text : `${Path}: ${Text}`}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What a change did, and what is left to do. */
function Report({ report: { Applied, NeedsRestart, Problems } }: { readonly report: ReloadReport }) {
  const { configuration: text } = systemTexts();
  return (
    <section class="card">
      <h2>{text.report}</h2>
      {Applied.length + NeedsRestart.length + Problems.length === 0 && <p>{text.nothing}</p>}
      <ReportList title={text.applied} items={Applied} />
      <ReportList title={text.reloadProblems} items={Problems} />
      <ReportList title={text.needsRestart} items={NeedsRestart} />
      {NeedsRestart.length > 0 && (
        <p>
          <RestartButton />
        </p>
      )}
    </section>
  );
}

function ReportList({ title, items }: { readonly title: string; readonly items: readonly string[] }) {
  if (items.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </>
  );
}
