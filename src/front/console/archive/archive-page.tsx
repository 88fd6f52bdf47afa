import { useId } from 'preact/hooks';
import type { AggregationVariable } from '../../../client/generated/records.js';
import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import { objectType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { lazy } from '../../web/parts/lazy.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { HistoryTab } from '../history/history-tab.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { useActivity, useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { fullName } from '../audit/call-list.js';
import { instanceOf, nameOf } from '../search.js';

const RecordDialog = lazy(async () => (await import('./record-dialogs.js')).RecordDialog);

/** What has no messages is read again at most this often, ms. */
const RELOAD_MS = 2000;

/** All recorded variables with their statistics, and the history of the selected one. */
export function ArchivePage({ id }: { readonly id: string }) {
  const app = useApp();
  const { model } = app.gateway;
  const archive = instanceOf(model, 'Archive Control')?.id ?? 0;
  const selected = model.find(Number(id));
  const { state, reload, refresh } = useLoaded(
    async () => (archive === 0 ? [] : app.call('AC_GetAggregationVariables', archive, true)),
    [archive, id],
  );
  useActivity(RELOAD_MS, refresh);
  // What was entered must survive the end of the session.
  const dialog = app.form<'export' | 'import'>('records');
  const { archive: text } = automation();
  const add = async (variable: number) => {
    if (!(await app.act(() => app.call('AC_SetLoggingStatus', archive, variable, true)))) return;
    reload();
    app.router.go('archive', variable);
  };
  return (
    <main class={selected?.type === objectType.variable ? 'split chosen' : 'split'}>
      <h1 class="unseen">{words().pages.archive}</h1>
      <section class="pane">
        <ObjectChoice
          label={text.add}
          id={0}
          none={text.add}
          accepts={({ type }) => type === objectType.variable}
          onChange={(variable) => void add(variable)}
        />
        {archive !== 0 && (
          <p class="row-head">
            <button class="plain" type="button" onClick={() => (dialog.value = 'export')}>
              {text.export}
            </button>
            <button class="plain" type="button" onClick={() => (dialog.value = 'import')}>
              {text.import}
            </button>
          </p>
        )}
        <LoadedView state={state}>
          {(variables) => (
            <>
              {variables.length === 0 && <p class="soft">{text.none}</p>}
              <ul class="rows">
                {variables.map((variable) => (
                  <VariableRow
                    key={variable.VariableID}
                    variable={variable}
                    isSelected={variable.VariableID === selected?.id}
                  />
                ))}
              </ul>
            </>
          )}
        </LoadedView>
      </section>
      <section class="pane">
        <a class="up" href={addressOf('archive')}>
          <Icon name="back" />
          {texts().back}
        </a>
        {selected?.type === objectType.variable ? (
          <article key={selected.id} class="inspector">
            <h2>{nameOf(model, selected)}</h2>
            <AggregationField archive={archive} variable={selected} />
            <HistoryTab node={selected} />
          </article>
        ) : (
          <p class="soft">{text.choose}</p>
        )}
      </section>
      {dialog.value !== undefined && (
        <RecordDialog
          kind={dialog.value}
          archive={archive}
          variables={state.value !== undefined && 'value' in state.value ? state.value.value : []}
          selected={selected?.type === objectType.variable ? selected.id : 0}
          onClose={() => (dialog.value = undefined)}
        />
      )}
    </main>
  );
}

interface VariableRowProps {
  readonly variable: AggregationVariable;
  readonly isSelected: boolean;
}

function VariableRow({ variable, isSelected }: VariableRowProps) {
  const app = useApp();
  const { archive } = automation();
  const { VariableID, RecordCount, FirstTime } = variable;
  const { model } = app.gateway;
  const variableNode = model.find(VariableID);
  return (
    <li>
      <a href={addressOf('archive', VariableID)} aria-current={isSelected ? 'true' : undefined}>
        <Icon name="Graph" />
        <span>
          {variableNode === undefined ? `${archive.deleted} ${VariableID}` : fullName(app, variableNode)}
          <small>
            {archive.records(RecordCount)}
            {FirstTime > 0 && ` · ${app.moment(FirstTime * 1000)}`}
          </small>
        </span>
      </a>
    </li>
  );
}

interface AggregationFieldProps {
  readonly archive: number;
  readonly variable: TreeNode;
}

function AggregationField({ archive, variable }: AggregationFieldProps) {
  const app = useApp();
  const id = useId();
  const { archive: text } = automation();
  const { state, reload } = useLoaded(
    () => app.call('AC_GetAggregationType', archive, variable.id),
    [archive, variable.id],
  );
  const change = async (type: 0 | 1) => {
    await app.act(() => app.call('AC_SetAggregationType', archive, variable.id, type));
    reload();
  };
  // A variable that is not recorded has no aggregation.
  if (state.value === undefined || 'error' in state.value) return null;
  return (
    <div class="field">
      <label for={id}>{text.aggregation}</label>
      <select
        id={id}
        value={state.value.value}
        onChange={({ currentTarget }) => void change(currentTarget.value === '1' ? 1 : 0)}
      >
        <option value={0}>{text.gauge}</option>
        <option value={1}>{text.counter}</option>
      </select>
    </div>
  );
}
