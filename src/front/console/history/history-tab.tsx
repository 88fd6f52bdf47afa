import { effect, useSignal } from '@preact/signals';
import { useEffect, useId, useMemo } from 'preact/hooks';
import type { Cancel } from '../../../base/clock.js';
import type { LoggedValue } from '../../../client/generated/records.js';
import { realTiming } from '../../../client/timing.js';
import type { TreeNode } from '../../web/model.js';
import { objectType, variableType } from '../../web/objects.js';
import { recordTexts } from '../../web/i18n/record-texts.js';
import { type ConsoleApp, useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { CheckField } from '../parts/check-field.js';
import { useLoaded } from '../load.js';
import { LoadedView } from '../parts/loaded-view.js';
import { instanceOf, nameOf } from '../search.js';
import { Plot } from './plot.js';

/** Lengths of the periods, seconds. */
const PERIODS = { hour: 3600, day: 86_400, week: 604_800, month: 2_678_400, year: 31_622_400 } as const;
type Period = keyof typeof PERIODS;
/** Maximum number of records that the gateway returns in one call. */
const LIMIT = 10_000;
/** While the variable changes, its records are loaded at most this often, ms. */
const RELOAD_MS = 1000;
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
  const chosen = useSignal(variables.find((one) => model.logged.value.has(one.id))?.id ?? variables[0]?.id);
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
                {nameOf(model, one)}
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
  const { state: logging, reload: reloadLogging } = useLoaded(
    async () => archive !== undefined && app.call('AC_GetLoggingStatus', archive, variable.id),
    [variable.id],
  );
  const { state, reload, refresh } = useLoaded(
    () =>
      archive === undefined
        ? Promise.resolve(NOTHING)
        : load(app, { archive, variable, period: period.value }),
    [variable.id, period.value],
  );
  useEffect(() => afterChanges(variable, refresh), [variable]);
  if (archive === undefined) return <p class="soft">{history.noArchive}</p>;
  const toggle = async (isOn: boolean) => {
    await app.act(() => app.call('AC_SetLoggingStatus', archive, variable.id, isOn));
    reloadLogging();
    // The value is recorded when recording begins.
    reload();
  };
  const isLogged = logging.value !== undefined && 'value' in logging.value && logging.value.value;
  return (
    <>
      <CheckField label={history.record} checked={isLogged} onChange={(isOn) => void toggle(isOn)} />
      <div class="segments" role="group" aria-label={history.period}>
        {(Object.keys(PERIODS) as Period[]).map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={period.value === name}
            onClick={() => (period.value = name)}
          >
            {recordTexts()[name]}
          </button>
        ))}
      </div>
      <LoadedView state={state}>
        {({ records, start }) =>
          records.length === 0 ? (
            <p class="soft">{isLogged ? recordTexts().empty : history.notRecorded}</p>
          ) : (
            <Records key={period.value} variable={variable} records={records} start={start} />
          )
        }
      </LoadedView>
    </>
  );
}

/** The records of a period. */
interface Loaded {
  /** Oldest first; the first one may be older than the period, where its value still applies. */
  readonly records: readonly LoggedValue[];
  /** First second of the period. */
  readonly start: number;
}

const NOTHING: Loaded = { records: [], start: 0 };

interface Query {
  readonly archive: number;
  readonly variable: TreeNode;
  readonly period: Period;
}

async function load(app: ConsoleApp, { archive, variable: { id }, period }: Query): Promise<Loaded> {
  const start = Math.floor(app.gateway.now() / 1000) - PERIODS[period];
  // Until now by the gateway's clock: that of the page may be behind it.
  const records = await app.call('AC_GetLoggedValues', archive, id, start, 0, LIMIT);
  const before =
    records.length < LIMIT ? await app.call('AC_GetLoggedValues', archive, id, 0, start - 1, 1) : [];
  return { records: [...records, ...before].reverse(), start };
}

/** Calls back after changes of a variable, once for those that arrive together. */
function afterChanges({ value, changed }: TreeNode, callback: () => void): () => void {
  let cancel: Cancel | undefined;
  let isFirst = true;
  const stop = effect(() => {
    // Both, because times have seconds only.
    void value.value;
    void changed.value;
    if (!isFirst)
      cancel ??= realTiming.after(RELOAD_MS, () => {
        cancel = undefined;
        callback();
      });
    isFirst = false;
  });
  return () => {
    stop();
    cancel?.();
  };
}

interface RecordsProps extends Loaded {
  readonly variable: TreeNode;
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
                <th>{recordTexts().time}</th>
                <th>{recordTexts().value}</th>
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
      {records.length === LIMIT && <p class="soft">{recordTexts().cut}</p>}
    </>
  );
}

function NumberPlot({ variable, records, start }: RecordsProps) {
  const app = useApp();
  const { data } = variable.entry.value;
  const isBoolean = data.type === variableType.boolean;
  const { times, values } = useMemo(() => {
    const isKnown = records[0] !== undefined && records[0].TimeStamp <= start;
    // A period begins with the value that applied then, and the newest value still applies.
    const lead = isKnown ? [] : [start];
    return {
      times: [
        ...lead,
        ...records.map(({ TimeStamp }) => Math.max(TimeStamp, start)),
        app.gateway.now() / 1000,
      ],
      values: [
        ...lead.map(() => null),
        ...records.map(({ Value }) => Number(Value)),
        Number(records[records.length - 1]?.Value ?? 0),
      ],
    };
  }, [records]);
  return (
    <Plot
      times={times}
      values={values}
      isInteger={data.type !== variableType.float}
      isStepped={data.type !== variableType.float}
      label={nameOf(app.gateway.model, variable)}
      timeZone={app.gateway.model.timezone}
      moment={(unixMs) => app.moment(unixMs)}
      format={(value) =>
        isBoolean && value % 1 !== 0 ? '' : app.format(variable, isBoolean ? value !== 0 : value)
      }
    />
  );
}
