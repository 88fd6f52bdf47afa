import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { AggregationVariable } from '../../../client/generated/records.js';
import { objectType } from '../../web/objects.js';
import { unixSeconds } from '../../web/zone-time.js';
import { errorText, useApp } from '../app.js';
import { useDraft } from '../forms/use-draft.js';
import { CheckField } from '../parts/check-field.js';
import { Dialog } from '../parts/dialog.js';
import { FormButtons } from '../parts/form-buttons.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { Problem } from '../parts/problem.js';
import { recordTexts } from './record-texts.js';
import { checkFile, countText, startExport, startImport } from './record-work.js';

type CheckedFile = Awaited<ReturnType<typeof checkFile>>;

interface ExportDialogProps {
  readonly archive: number;
  readonly variables: readonly AggregationVariable[];
  /** The variable on the page; 0: none. */
  readonly selected: number;
  readonly onClose: () => void;
}

/** What is entered. */
interface ExportDraft {
  readonly ids: readonly number[];
  readonly isAll: boolean;
  readonly format: 'csv' | 'jsonl';
  readonly from: string;
  readonly to: string;
}

/** Chooses records, and starts their export. */
function ExportDialog({ archive, variables, selected, onClose }: ExportDialogProps) {
  const app = useApp();
  const { model } = app.gateway;
  const id = useId();
  const { draft, set, clear, bind } = useDraft<ExportDraft>('records/export', {
    ids: selected === 0 ? [] : [selected],
    isAll: selected === 0,
    format: 'csv',
    from: '',
    to: '',
  });
  const { ids, isAll, format } = draft;
  const problem = useSignal('');
  const text = recordTexts();
  const choose = (variable: number, isChosen: boolean) => {
    const others = ids.filter((one) => one !== variable);
    set({ ids: isChosen ? [...others, variable] : others });
  };
  const close = () => {
    clear();
    onClose();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const msOf = (entered: string) => (unixSeconds(entered, model.timezone) ?? 0) * 1000;
    if (!isAll && ids.length === 0) {
      problem.value = text.none;
      return;
    }
    const range = { fromMs: msOf(draft.from), toMs: msOf(draft.to) };
    void startExport(app, archive, { ids: isAll ? [] : ids, format, ...range });
    close();
  };
  const listed = variables.flatMap(({ VariableID }) => model.find(VariableID) ?? []);
  return (
    <Dialog title={text.exportTitle} onClose={close}>
      <form class="form" onSubmit={submit}>
        <fieldset>
          <legend>{text.variables}</legend>
          <CheckField label={text.all} checked={isAll} onChange={(on) => set({ isAll: on })} />
          {!isAll && (
            <div class="choices">
              {listed.map((node) => (
                <CheckField
                  key={node.id}
                  label={node.name}
                  checked={ids.includes(node.id)}
                  onChange={(on) => choose(node.id, on)}
                />
              ))}
            </div>
          )}
        </fieldset>
        <div class="field">
          <label for={`${id}-format`}>{text.format}</label>
          <select id={`${id}-format`} {...bind('format')}>
            <option value="csv">{text.formats.csv}</option>
            <option value="jsonl">{text.formats.jsonl}</option>
          </select>
        </div>
        <div class="fields">
          {(['from', 'to'] as const).map((name) => (
            <div key={name} class="field">
              <label for={`${id}-${name}`}>{text[name]}</label>
              <input
                id={`${id}-${name}`}
                type="datetime-local"
                {...bind(name)}
                aria-describedby={`${id}-hint`}
              />
            </div>
          ))}
        </div>
        <small id={`${id}-hint`}>{text.rangeHint(model.timezone)}</small>
        <Problem text={problem.value} />
        <FormButtons submit={text.start} onClose={close} />
      </form>
    </Dialog>
  );
}

interface ImportDialogProps {
  readonly archive: number;
  readonly onClose: () => void;
}

/** Chooses a file, checks it completely, and starts its import if all lines are valid. */
function ImportDialog({ archive, onClose }: ImportDialogProps) {
  const app = useApp();
  const id = useId();
  // The file has to be chosen again after the end of the session: the browser keeps none.
  const { draft, set, clear } = useDraft('records/import', { variable: 0 });
  const close = () => {
    clear();
    onClose();
  };
  const isChecking = useSignal(false);
  const result = useSignal<CheckedFile | string | undefined>(undefined);
  const text = recordTexts();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const file = new FormData(form).get('file');
    if (!(file instanceof File)) return;
    isChecking.value = true;
    result.value = undefined;
    try {
      const found = await checkFile(app, { archive, file, variable: draft.variable });
      // It was cancelled meanwhile.
      if (!form.isConnected) return;
      if (found.count === 0 && found.records > 0) {
        void startImport(app, archive, found);
        close();
        return;
      }
      result.value = found.count === 0 ? text.empty : found;
    } catch (thrown) {
      result.value = errorText(thrown);
    }
    isChecking.value = false;
  };
  return (
    <Dialog title={text.importTitle} onClose={close}>
      <form class="form" onSubmit={(event) => void submit(event)}>
        <div class="field">
          <label for={`${id}-file`}>{text.file}</label>
          <input
            id={`${id}-file`}
            name="file"
            type="file"
            required
            accept=".csv,.tsv,.txt,.jsonl,.ndjson,.json"
            aria-describedby={`${id}-hint`}
            onChange={() => (result.value = undefined)}
          />
          <small id={`${id}-hint`}>{text.fileHint}</small>
        </div>
        <div class="field">
          <span>{text.only}</span>
          <ObjectChoice
            label={text.only}
            id={draft.variable}
            none={text.perLine}
            accepts={({ type }) => type === objectType.variable}
            onChange={(chosen) => set({ variable: chosen })}
          />
        </div>
        <p role="status">{isChecking.value && text.checking}</p>
        {result.value !== undefined && <CheckResult result={result.value} />}
        <FormButtons submit={text.submit} isDisabled={isChecking.value} onClose={close} />
      </form>
    </Dialog>
  );
}

/** What is wrong with a file, line by line. */
function CheckResult({ result }: { readonly result: CheckedFile | string }) {
  const text = recordTexts();
  if (typeof result === 'string') return <Problem text={result} />;
  const { count, problems } = result;
  return (
    <div role="alert">
      <p class="problem">{text.problems(countText(count))}</p>
      <ul class="cards">
        {problems.map((one, index) => (
          <li key={index} class="failed">
            <strong>{text.line(one.line)}</strong>
            <span>{one.text}</span>
          </li>
        ))}
      </ul>
      {count > problems.length && <p>{text.more(countText(count - problems.length))}</p>}
    </div>
  );
}

interface RecordDialogProps extends ExportDialogProps {
  readonly kind: 'export' | 'import';
}

/** The dialog that exports or imports records. */
export function RecordDialog({ kind, ...props }: RecordDialogProps) {
  return kind === 'export' ? <ExportDialog {...props} /> : <ImportDialog {...props} />;
}
