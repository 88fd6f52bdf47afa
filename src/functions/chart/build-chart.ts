import { fault } from '../../base/fault.js';
import { ChunkedResult } from '../../base/json-chunks.js';
import { objectType } from '../../kernel/object.js';
import { variableType } from '../../kernel/value.js';
import type { ChartRequest, ChartLayout, VisibleObjects } from './chart-functions.js';
import type { Ports } from '../ports.js';
import { parseChart, chartOfVariable, profileOf, type ChartDefinition } from './chart-definition.js';
import { SIZE_LIMITS, drawChart } from './svg-drawing.js';
import { periodOf, type Period } from './period.js';
import { readSeries, type Series } from './series.js';

/** The media type of charts (interface §1). */
const CHART = 4;

/**
 * What a chart shows, a record for each dataset; see docs/use/web-front.md. Throws as {@link renderChart},
 * sizes apart.
 */
export async function fetchChart(
  ports: Ports,
  reach: VisibleObjects,
  chart: ChartRequest,
): Promise<ChunkedResult> {
  const { definition, period } = await chartIn(ports, reach, chart);
  const series = await read(ports, definition, { chart, period });
  let next = 0;
  return new ChunkedResult({
    next: () => {
      if (next > series.length) return undefined;
      const one = series[next++];
      if (one === undefined) return series.length === 0 ? '[]' : ']';
      return `${next === 1 ? '[' : ','}${JSON.stringify(recordOf(ports, one))}`;
    },
    close: () => void (next = series.length + 1),
  });
}

/**
 * A chart as SVG. Throws `OBJECT_MISSING` (also for an object that is not visible), `NOT_OF_TYPE`,
 * `VARIABLE_TYPE` for a string variable, `PARAMETER_BOUNDS`, and `CONFIGURATION_INVALID` for invalid content
 * of a chart.
 */
export async function renderChart(
  ports: Ports,
  reach: VisibleObjects,
  { chart, drawing }: { readonly chart: ChartRequest; readonly drawing: ChartLayout },
): Promise<string> {
  const { definition, period } = await chartIn(ports, reach, chart);
  for (const [name, size] of [
    ['Width', drawing.width],
    ['Height', drawing.height],
  ] as const)
    if (size < SIZE_LIMITS.minimum || size > SIZE_LIMITS.maximum) throw fault('PARAMETER_BOUNDS', name);
  const series = await read(ports, definition, { chart, period });
  return drawChart(ports.kernel, definition, { series, options: { span: chart.span, period, ...drawing } });
}

async function chartIn(
  ports: Ports,
  reach: VisibleObjects,
  { objectId, span, startS }: ChartRequest,
): Promise<{ definition: ChartDefinition; period: Period }> {
  const period = periodOf(span, startS, Math.floor(ports.clock.nowMs() / 1000));
  return { definition: await definitionOf(ports, reach, objectId), period };
}

async function definitionOf(ports: Ports, reach: VisibleObjects, id: number): Promise<ChartDefinition> {
  const { kernel } = ports;
  const object = reach.find(id);
  if (object === undefined) throw fault('OBJECT_MISSING', id);
  if (object.is(objectType.variable)) {
    if (object.data.type === variableType.string) throw fault('VARIABLE_TYPE', id);
    return chartOfVariable(kernel, object);
  }
  if (!object.is(objectType.media) || object.data.type !== CHART) throw fault('NOT_OF_TYPE', 'Chart', id);
  const content = await (await ports.media()).content(id);
  return parseChart(kernel, object.displayName, content.toString('utf8'), {
    variable: (one) => {
      const variable = reach.find(one);
      return variable?.is(objectType.variable) ? variable : undefined;
    },
    hasProfile: (name) => reach.hasProfile(name),
  });
}

/** Reads the values of the visible datasets one after another, so that other calls can run in between. */
async function read(
  ports: Ports,
  { datasets }: ChartDefinition,
  { chart: { span, dense, visibility }, period }: { chart: ChartRequest; period: Period },
): Promise<Series[]> {
  const readings = await ports.archive();
  const series: Series[] = [];
  for (const dataset of datasets)
    if (visibility[dataset.index] ?? dataset.visible)
      series.push(await readSeries(readings, dataset, { span, dense, period }));
  return series;
}

function recordOf({ kernel }: Ports, { dataset, period, span, points, isTruncated }: Series) {
  const { index, variable, title, kind, side, stroke, fill } = dataset;
  return {
    Index: index,
    VariableID: variable.id,
    Title: title,
    Kind: kind,
    Side: side,
    Profile: profileOf(kernel, variable.data)?.name ?? '',
    StrokeColor: stroke,
    FillColor: fill,
    StartTime: period.startS,
    EndTime: period.endS,
    AggregationSpan: span,
    IsCut: isTruncated,
    Points: points.map(({ atS, durationS, value, min, max }) => ({
      TimeStamp: atS,
      Duration: durationS,
      Value: value,
      Min: min,
      Max: max,
    })),
  };
}
