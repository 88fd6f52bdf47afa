import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ChartDataset } from '../../../client/generated/records.js';
import { every } from '../../web/every.js';
import { dateFormat, formatDate } from '../../web/format.js';
import { texts } from '../../web/i18n/i18n.js';
import { recordTexts } from '../../web/i18n/record-texts.js';
import { Icon } from '../../web/parts/icon.js';
import { useApp, type App } from '../app.js';
import { MissingPage } from '../pages/page-head.js';
import { Chart } from './chart.js';
import { unshifted } from './geometry.js';
import { periods, shifted, type Period } from './periods.js';
import { historyTexts } from './texts.js';
import { valueText } from './value-text.js';

/** Charts are reloaded at this interval while the present period is shown, ms. */
const REFRESH_MS = 60_000;
/** Rows of the table. */
const MAX_ROWS = 500;

/** What was requested, and the reply; undefined: it is on its way. */
interface Loaded {
  readonly period: Period;
  /** Unix seconds; 0: the present period. */
  readonly start: number;
  /** Distinguishes two requests for the same period. */
  readonly number: number;
  readonly datasets: readonly ChartDataset[] | undefined;
  readonly hasFailed: boolean;
}

/** The history of a variable, or a chart of several. */
export function HistoryPage({ id }: { readonly id: number }) {
  const app = useApp();
  const own = historyTexts();
  const { back } = texts();
  const history = recordTexts();
  void app.gateway.model.structure.value;
  const node = app.gateway.model.find(id);
  const shown = useSignal<Loaded>({
    period: 'day',
    start: 0,
    number: 0,
    datasets: undefined,
    hasFailed: false,
  });
  const { period, start, number, datasets, hasFailed } = shown.value;
  const isLive = !app.isInert.value;
  useEffect(() => {
    if (!isLive) return;
    const load = () => void fetchChart(app, id, shown.peek()).then((loaded) => takeOver(shown, loaded));
    load();
    return start === 0 ? every(REFRESH_MS, load) : undefined;
  }, [id, number, isLive]);
  if (node === undefined) return <MissingPage />;
  const choose = (next: Period, from = 0) =>
    (shown.value = { period: next, start: from, number: number + 1, datasets: undefined, hasFailed: false });
  const present = unshifted(datasets ?? []);
  const begin = present?.StartTime ?? 0;
  const zone = app.gateway.model.timezone;
  return (
    <main class="history">
      <header class="room-head">
        <button class="control" aria-label={back} onClick={() => app.router.back()}>
          <Icon name="back" />
        </button>
        <h1>{app.nameOf(node)}</h1>
      </header>
      <div class="controls choice" role="group" aria-label={history.period}>
        {periods.map((one) => (
          <button key={one} class="segment" aria-pressed={one === period} onClick={() => choose(one)}>
            {history[one]}
          </button>
        ))}
      </div>
      <div class="span">
        <button
          class="control"
          aria-label={own.previous}
          aria-disabled={begin === 0}
          onClick={() => begin > 0 && choose(period, shifted(begin, { period, by: -1, zone }))}
        >
          <Icon name="back" />
        </button>
        <span>{present === undefined ? '' : spanText(app, period, present)}</span>
        <button
          class="control forward"
          aria-label={own.next}
          aria-disabled={start === 0 || begin === 0}
          onClick={() => {
            if (start === 0 || begin === 0) return;
            const next = shifted(begin, { period, by: 1, zone });
            choose(period, shifted(next, { period, by: 1, zone }) * 1000 > app.gateway.now() ? 0 : next);
          }}
        >
          <Icon name="back" />
        </button>
      </div>
      <div class="chart-place" aria-busy={datasets === undefined && !hasFailed}>
        {hasFailed ? (
          <p class="problem" role="alert">
            {own.failed}
          </p>
        ) : datasets === undefined ? (
          <p class="soft">{own.loading}</p>
        ) : datasets.every(({ Points }) => Points.length === 0) ? (
          <p class="soft">{history.empty}</p>
        ) : (
          <>
            <Chart datasets={datasets} label={own.chart(app.nameOf(node))} />
            <Table datasets={datasets} />
          </>
        )}
      </div>
      {datasets?.some(({ IsCut }) => IsCut) === true && <p class="soft">{history.cut}</p>}
    </main>
  );
}

function takeOver(shown: { value: Loaded; peek: () => Loaded }, loaded: Loaded): void {
  if (loaded.number === shown.peek().number) shown.value = loaded;
}

async function fetchChart({ gateway, facts }: App, id: number, requested: Loaded): Promise<Loaded> {
  const { period, start } = requested;
  try {
    const parameters = [facts.id, id, start, periods.indexOf(period), 0];
    const datasets = (await gateway.call('WFC_FetchChartData', parameters)) as readonly ChartDataset[];
    return { ...requested, datasets, hasFailed: false };
  } catch {
    return { ...requested, datasets: undefined, hasFailed: true };
  }
}

/** Which period is shown, in the gateway's time zone. */
function spanText(app: App, period: Period, { StartTime, EndTime }: ChartDataset): string {
  const zone = app.gateway.model.timezone;
  const from = StartTime * 1000;
  const until = EndTime * 1000;
  const date = dateFormat(zone, { dateStyle: 'medium' });
  switch (period) {
    case 'hour':
      return `${date.format(from)}, ${app.time(from)} – ${app.time(until)}`;
    case 'day':
      return dateFormat(zone, { dateStyle: 'full' }).format(from);
    case 'week':
      return `${date.format(from)} – ${date.format(until - 1)}`;
    case 'month':
      return dateFormat(zone, { month: 'long', year: 'numeric' }).format(from);
    default:
      return dateFormat(zone, { year: 'numeric' }).format(from);
  }
}

/** The same as the chart, for those who cannot see it. */
function Table({ datasets }: { readonly datasets: readonly ChartDataset[] }) {
  const own = historyTexts();
  return (
    <details>
      <summary>{own.table}</summary>
      {datasets.map((dataset) => (
        <DatasetTable key={dataset.Index} dataset={dataset} />
      ))}
    </details>
  );
}

function DatasetTable({ dataset }: { readonly dataset: ChartDataset }) {
  const app = useApp();
  const own = historyTexts();
  const history = recordTexts();
  const { Points, Title, VariableID, Kind } = dataset;
  const format = valueText(app, app.gateway.model.find(VariableID), dataset);
  const { timezone } = app.gateway.model;
  const isAverage = Kind === 'line';
  return (
    <div class="table">
      <table>
        <caption>{Title}</caption>
        <thead>
          <tr>
            <th scope="col">{history.time}</th>
            <th scope="col">{history.value}</th>
            {isAverage && <th scope="col">{own.minimum}</th>}
            {isAverage && <th scope="col">{own.maximum}</th>}
          </tr>
        </thead>
        <tbody>
          {Points.slice(-MAX_ROWS).map(({ TimeStamp, Value, Min, Max }) => (
            <tr key={TimeStamp}>
              <th scope="row">{formatDate(TimeStamp * 1000, timezone, 'short')}</th>
              <td>{format(Value)}</td>
              {isAverage && <td>{format(Min)}</td>}
              {isAverage && <td>{format(Max)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
