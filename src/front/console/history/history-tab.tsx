import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { LoggedValue } from '../../../client/generated/records.js';
import type { TreeNode } from '../../web/model.js';
import { objectType, variableType } from '../../web/objects.js';
import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { instanceOf } from '../search.js';
import { Plot } from './plot.js';

/** Lengths of the periods, seconds. */
const PERIODS = { hour: 3600, day: 86_400, week: 604_800, month: 2_678_400, year: 31_622_400 } as const;
type Period = keyof typeof PERIODS;
/** Most records that the gateway returns in one call. */
const LIMIT = 10_000;
/** Rows of the table. */
const ROWS = 200;

/** The records of a variable, or of a variable of an instance. */
export function HistoryTab({ node }: { readonly node: TreeNode }) {
  const id = useId();
  const { model } = useApp().gateway;
  const variables =
    node.type === objectType.variable
      ? [node]
      : model.children(node.id).filter(({ type }) => type === objectType.variable);
  const chosen = useSignal(variables.find((one) => model.logged.has(one.id))?.id ?? variables[0]?.id);
  const variable = variables.find((one) => one.id === chosen.value);
  if (variable === undefined) return <p class="soft">{words().tree.noValues}</p>;
  return (
    <>
      {variables.length > 1 && (
        <div class="field">
          <label for={id}>{words().history.variable}</label>
          <select
            id={id}
            value={variable.id}
            onChange={(event) => (chosen.value = Number(event.currentTarget.value))}
          >
            {variables.map((one) => (
              <option key={one.id} value={one.id}>
                {one.entry.value.name}
              </option>
            ))}
          </select>
        </div>
      )}
      <VariableHistory key={variable.id} variable={variable} />
    </>
  );
}

function VariableHistory({ variable }: { readonly variable: TreeNode }) {
  const app = useApp();
  const { model } = app.gateway;
  const archive = instanceOf(model, 'Archive Control')?.id;
  const period = useSignal<Period>('day');
  const { history } = words();
  const { state: logging, reload } = useLoaded(
    async () => archive !== undefined && app.call('AC_GetLoggingStatus', archive, variable.id),
    [variable.id],
  );
  const { state } = useLoaded(async () => {
    if (archive === undefined) return [];
    const end = Math.ceil(app.gateway.now() / 1000);
    const records = await app.call(
      'AC_GetLoggedValues',
      archive,
      variable.id,
      end - PERIODS[period.value],
      end,
      LIMIT,
    );
    return records.reverse();
  }, [variable.id, period.value, variable.changed.value]);
  if (archive === undefined) return <p class="soft">{history.noArchive}</p>;
  const toggle = async (isOn: boolean) => {
    await app.act(() => app.call('AC_SetLoggingStatus', archive, variable.id, isOn));
    reload();
  };
  const isLogged = logging.value !== undefined && 'value' in logging.value && logging.value.value;
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          checked={isLogged}
          onChange={({ currentTarget }) => void toggle(currentTarget.checked)}
        />
        {history.record}
      </label>
      <div class="segments" role="group" aria-label={history.period}>
        {(Object.keys(PERIODS) as Period[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={period.value === name}
            onClick={() => (period.value = name)}
          >
            {texts().history[name]}
          </button>
        ))}
      </div>
      <LoadedView state={state}>
        {(records) =>
          records.length === 0 ? (
            <p class="soft">{isLogged ? texts().history.empty : history.notRecorded}</p>
          ) : (
            <Records
              variable={variable}
              records={records}
              start={app.gateway.now() / 1000 - PERIODS[period.value]}
            />
          )
        }
      </LoadedView>
    </>
  );
}

interface RecordsProps {
  readonly variable: TreeNode;
  /** Oldest first. */
  readonly records: readonly LoggedValue[];
  /** First second of the period. */
  readonly start: number;
}

function Records({ variable, records, start }: RecordsProps) {
  const app = useApp();
  const { type } = variable.entry.value.data;
  const { history } = words();
  const newest = records.slice(-ROWS).reverse();
  return (
    <>
      {type !== variableType.string && <NumberPlot variable={variable} records={records} start={start} />}
      <details open={type === variableType.string}>
        <summary>{history.table(records.length)}</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th>{texts().history.time}</th>
                <th>{texts().history.value}</th>
              </tr>
            </thead>
            <tbody>
              {newest.map(({ TimeStamp, Value }, index) => (
                <tr key={index}>
                  <td>{app.moment(TimeStamp * 1000)}</td>
                  <td>{app.format(variable, Value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </>
  );
}

function NumberPlot({ variable, records, start }: RecordsProps) {
  const app = useApp();
  const { name, data } = variable.entry.value;
  const isBoolean = data.type === variableType.boolean;
  const first = records[0]?.TimeStamp ?? start;
  // The newest value still applies.
  const last = records.at(-1)?.Value ?? 0;
  const now = app.gateway.now() / 1000;
  return (
    <Plot
      times={[Math.min(start, first), ...records.map(({ TimeStamp }) => TimeStamp), now]}
      values={[null, ...records.map(({ Value }) => Number(Value)), Number(last)]}
      isWhole={data.type !== variableType.float}
      isStepped={data.type !== variableType.float}
      label={name}
      timeZone={app.gateway.model.timezone}
      format={(value) =>
        isBoolean && value % 1 !== 0 ? '' : app.format(variable, isBoolean ? value !== 0 : value)
      }
    />
  );
}
