import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { array, bool, declare, int, optional, type FunctionDeclaration } from '../../device/declare.js';
import type { TreeObject } from '../../kernel/object.js';
import { checkArchiveInstance } from '../archive/archive.js';
import { readAggregatedValues, readLoggedValues } from '../archive/records.js';
import { Areas } from '../web-front/areas.js';
import type { ChartSpan, Density } from './period.js';
import { checkedList } from '../argument-checks.js';
import { aggregationSpans, chartSpans, densities, moreAggregationSpans } from '../enumerations.js';
import { chartData, visibility } from './chart-shapes.js';
import type { Ports } from '../ports.js';
import * as shapes from '../archive/archive-shapes.js';

/** What a caller may see: everything, or the area of a configurator. */
export interface VisibleObjects {
  /** An object; undefined if it does not exist or is not visible. */
  find(id: number): TreeObject | undefined;
  hasProfile(name: string): boolean;
}

/** The chart and the period that a call requests. */
export interface ChartRequest {
  readonly objectId: number;
  readonly startS: number;
  readonly span: ChartSpan;
  readonly dense: Density;
  /** Whether each dataset is visible, in order; the chart's own setting applies to the remaining ones. */
  readonly visibility: readonly boolean[];
}

/** The size of a chart, and how its axes are scaled. */
export interface ChartLayout {
  readonly isExtrema: boolean;
  readonly isDyn: boolean;
  readonly width: number;
  readonly height: number;
  /** For a place inside a page: without a `<style>`, which the policy of a page may forbid. */
  readonly isInline?: boolean;
}

/** A family of chart functions: its prefix, who may call it, and what its first parameter makes visible. */
interface ChartFamily {
  readonly prefix: 'AC' | 'WFC';
  readonly access: 'owner' | 'webfront';
  readonly reach: (instanceId: number) => VisibleObjects;
  readonly where: string;
}

/** Charts for the archive and for web fronts, and the archive functions of web fronts. */
export function chartFunctions(ports: Ports): FunctionDeclaration[] {
  const areas = new Areas(ports);
  const { kernel } = ports;
  const sides: readonly ChartFamily[] = [
    {
      prefix: 'AC',
      access: 'owner',
      where: '',
      reach: (id) => {
        checkArchiveInstance(ports, id);
        return {
          find: (one) => kernel.tree.find(one),
          hasProfile: (name) => kernel.profiles.find(name) !== undefined,
        };
      },
    },
    {
      prefix: 'WFC',
      access: 'webfront',
      where: ' in the area of a configurator',
      reach: (id) => {
        const area = areas.of(id);
        return {
          find: (one) => (area.contains(one) ? kernel.tree.find(one) : undefined),
          hasProfile: (name) => area.profiles().has(name),
        };
      },
    },
  ];
  return [
    ...sides.flatMap((side) => [...fetching(ports, side), ...rendering(ports, side)]),
    ...records(ports, areas),
  ];
}

const InstanceID = int('InstanceID');
const which = [
  int('ObjectID'),
  int('StartTime'),
  int('TimeSpan', chartSpans),
  int('Density', densities),
] as const;
const Visibility = array('Visibility', visibility);

function fetching(ports: Ports, { prefix, access, reach, where }: ChartFamily): FunctionDeclaration[] {
  const fetch = async (id: number, chart: ChartRequest) => {
    const known = reach(id);
    return (await import('./build-chart.js')).fetchChart(ports, known, chart);
  };
  return [
    declare({
      name: `${prefix}_FetchChartData`,
      parameters: [InstanceID, ...which],
      result: 'array',
      shape: chartData,
      access,
      help: `The data of a chart of a variable, or of a chart media object${where}, from a time on (0: the current period).`,
      run: (_caller, id, ...chart) => fetch(id, chartOf(chart)),
    }),
    declare({
      name: `${prefix}_FetchChartDataEx`,
      parameters: [InstanceID, ...which, Visibility],
      result: 'array',
      shape: chartData,
      access,
      help: `Like ${prefix}_FetchChartData, with the visibility of each dataset.`,
      run: async (_caller, id, ...[objectId, startS, span, dense, given]) =>
        fetch(id, chartOf([objectId, startS, span, dense], visibleOf(given))),
    }),
  ];
}

function rendering(ports: Ports, { prefix, access, reach, where }: ChartFamily): FunctionDeclaration[] {
  const how = [bool('IsExtrema'), bool('IsDyn'), int('Width'), int('Height')] as const;
  const render = async (id: number, chart: ChartRequest, drawing: ChartLayout) => {
    const known = reach(id);
    return (await import('./build-chart.js')).renderChart(ports, known, { chart, drawing });
  };
  return [
    declare({
      name: `${prefix}_RenderChart`,
      parameters: [InstanceID, ...which, ...how],
      result: 'string',
      access,
      help: `A chart of a variable, or of a chart media object${where}, as SVG with a size in pixels.`,
      run: (_caller, id, ...[objectId, startS, span, dense, isExtrema, isDyn, width, height]) =>
        render(id, chartOf([objectId, startS, span, dense]), { isExtrema, isDyn, width, height }),
    }),
    declare({
      name: `${prefix}_RenderChartEx`,
      parameters: [InstanceID, ...which, ...how, Visibility],
      result: 'string',
      access,
      help: `Like ${prefix}_RenderChart, with the visibility of each dataset.`,
      run: async (
        _caller,
        id,
        ...[objectId, startS, span, dense, isExtrema, isDyn, width, height, given]
      ) => {
        const chart = chartOf([objectId, startS, span, dense], visibleOf(given));
        return render(id, chart, { isExtrema, isDyn, width, height });
      },
    }),
    declare({
      name: `${prefix}_RenderChartInline`,
      parameters: [InstanceID, ...which, ...how, optional(Visibility)],
      result: 'string',
      access,
      help: `Like ${prefix}_RenderChartEx, for embedding in a page: the SVG has no style element and inherits the colour of the page.`,
      run: async (
        _caller,
        id,
        ...[objectId, startS, span, dense, isExtrema, isDyn, width, height, given]
      ) => {
        const chart = chartOf([objectId, startS, span, dense], visibleOf(given ?? []));
        return render(id, chart, { isExtrema, isDyn, width, height, isInline: true });
      },
    }),
  ];
}

function records(ports: Ports, areas: Areas): FunctionDeclaration[] {
  const range = [int('StartTime'), int('EndTime'), int('Limit')] as const;
  const VariableID = int('VariableID');
  const check = (configuratorId: number, id: number) => {
    if (!areas.of(configuratorId).contains(id)) throw fault('NOT_OF_TYPE', 'Variable', id);
  };
  return [
    declare({
      name: 'WFC_GetLoggedValues',
      parameters: [InstanceID, VariableID, ...range],
      result: 'array',
      shape: shapes.loggedValues,
      access: 'webfront',
      help: 'Like AC_GetLoggedValues, for a variable in the area of a configurator.',
      run: async (_caller, configuratorId, id, startS, endS, limit) => {
        check(configuratorId, id);
        return readLoggedValues(ports, id, { startS, endS, limit });
      },
    }),
    declare({
      name: 'WFC_GetAggregatedValues',
      parameters: [
        InstanceID,
        VariableID,
        int('AggregationSpan', aggregationSpans, moreAggregationSpans),
        ...range,
      ],
      result: 'array',
      shape: shapes.aggregatedValues,
      access: 'webfront',
      help: 'Like AC_GetAggregatedValues, for a variable in the area of a configurator.',
      run: async (_caller, configuratorId, id, span, startS, endS, limit) => {
        check(configuratorId, id);
        return readAggregatedValues(ports, id, { span, startS, endS, limit });
      },
    }),
  ];
}

/** The request for a chart; the numbers have been checked against their enumerations. */
function chartOf(
  [objectId, startS, span, dense]: readonly [number, number, number, number],
  visible: readonly boolean[] = [],
): ChartRequest {
  return { objectId, startS, span: span as ChartSpan, dense: dense as Density, visibility: visible };
}

/** Maximum number of datasets in a call; a chart has fewer. */
const VISIBILITY_LIMIT = 1000;

function visibleOf(given: unknown[] | Record<string, unknown>): readonly boolean[] {
  return checkedList(given, 'Visibility', VISIBILITY_LIMIT).map((one) => {
    if (one === true || one === 1) return true;
    if (one === false || one === 0) return false;
    throw fault(
      'PARAMETER_TYPE',
      'Visibility',
      coded`EXPECTED_LIST_TRUE_FALSE: expected a list of true and false`,
    );
  });
}
