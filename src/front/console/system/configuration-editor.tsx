import type {
  ConfigurationProblem,
  ConfigurationText,
  ReloadReport,
} from '../../../client/generated/records.js';
import { texts } from '../../web/i18n/i18n.js';
import { lazy } from '../../web/parts/lazy.js';
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { readFacts } from '../../web/facts.js';
import { useApp } from '../app.js';
import { sentence } from '../i18n/gateway-texts.js';
import { systemTexts } from '../i18n/system.js';
import { saveFile } from '../parts/save-file.js';
import { OverlayRemoval } from './overlay-removal.js';
import { RestartButton } from './restart-button.js';
import { useConfiguration } from './use-configuration.js';
import { Problem } from '../parts/problem.js';

const CodeEditor = lazy(async () => (await import('../editor/code-editor.js')).CodeEditor);
const Conflict = lazy(async () => (await import('../parts/conflict.js')).Conflict);

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
        <Problem text={state.error.value} />
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
      <Source
        stored={stored}
        onRemoved={(report) => void state.replaced(report)}
        onFailed={() => void state.load()}
      />
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
      <Downloads />
    </div>
  );
}

interface EditorFiles {
  readonly schema: string;
}

/** The configuration with the tree as it is, and the schema for editors. */
function Downloads() {
  const app = useApp();
  const isBusy = useSignal(false);
  const { configuration: text } = systemTexts();
  const { schema = '' } = readFacts<EditorFiles>();
  const save = async () => {
    isBusy.value = true;
    await app.act(async () => {
      const { Text } = await app.call('GW_ExportConfiguration', true);
      saveFile('gateway.yaml', [Text]);
    });
    isBusy.value = false;
  };
  return (
    <section>
      <h2>{text.downloads}</h2>
      <p class="row-head">
        <button class="plain" type="button" disabled={isBusy.value} onClick={() => void save()}>
          {text.exportTree}
        </button>
        <a class="plain" href={`/front/${schema}`} download="gateway.schema.json">
          {text.schema}
        </a>
      </p>
      <small>{text.exportHint}</small>
    </section>
  );
}

function markOf({ Line, Column, Severity, CodedText }: ConfigurationProblem) {
  return { line: Line, column: Column, text: sentence(CodedText), isWarning: Severity !== 'error' };
}

interface SourceProps {
  readonly stored: ConfigurationText;
  readonly onRemoved: (report: ReloadReport) => void;
  readonly onFailed: () => void;
}

/** Which file it is, and where a change goes. */
function Source({ stored, onRemoved, onFailed }: SourceProps) {
  const { Path: path, IsOverlay: isOverlay, IsWritable: isWritable } = stored;
  const { configuration: text } = systemTexts();
  if (!isOverlay) return <p class="soft">{isWritable ? text.file(path) : text.readOnly(path)}</p>;
  return (
    <div class="card">
      <p>{text.overlay(path)}</p>
      <p class="row-head">
        <OverlayRemoval present={stored} onRemoved={onRemoved} onFailed={onFailed} />
      </p>
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
          {problems.map(({ Line, Column, Path, Severity, Text, CodedText }) => (
            <li key={`${Line}:${Column}:${Text}`} class={Severity === 'error' ? 'failed' : 'warning'}>
              <strong>{`${text.severities[Severity]}, ${text.place(Line, Column)}`}</strong>
              <span>{Path === '' ? sentence(CodedText) : `${Path}: ${sentence(CodedText)}`}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** What a change did, and what is left to do. */
function Report({ report: { Applied, NeedsRestart, CodedProblems } }: { readonly report: ReloadReport }) {
  const { configuration: text } = systemTexts();
  return (
    <section class="card">
      <h2>{text.report}</h2>
      {Applied.length + NeedsRestart.length + CodedProblems.length === 0 && <p>{text.nothing}</p>}
      <ReportList title={text.applied} items={Applied} />
      <ReportList title={text.reloadProblems} items={CodedProblems.map((problem) => sentence(problem))} />
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
