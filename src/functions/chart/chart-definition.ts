import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import type { Kernel } from '../../kernel/kernel.js';
import type { TreeObject } from '../../kernel/object.js';
import type { Profile } from '../../kernel/profiles/profile-data.js';
import { variableType } from '../../kernel/value.js';

/** Limits of the content of a chart. */
const CONTENT_LIMIT = 65_536;
const DATASETS_LIMIT = 16;
const AXES_LIMIT = 8;
const TITLE_LIMIT = 256;
/** Maximum shift of a dataset, in periods. */
const OFFSET_LIMIT = 1000;

/** How values are drawn: averages as a line, states as steps, consumption as bars. */
type DatasetKind = 'line' | 'step' | 'bar';
/** The side of the axis: 0 is left, 1 is right. */
export type AxisSide = 0 | 1;

/** One variable in a chart. */
export interface Dataset {
  /** Its index in the chart's list and in `Visibility`. */
  readonly index: number;
  readonly variable: TreeObject<2>;
  readonly title: string;
  readonly kind: DatasetKind;
  readonly side: AxisSide;
  /** CSS hex colour, or '' for the default. */
  readonly stroke: string;
  readonly fill: string;
  /** Shift of its values in periods; −1 means the previous period. */
  readonly offset: number;
  readonly visible: boolean;
}

/** The definition of a chart. */
export interface ChartDefinition {
  readonly title: string;
  readonly datasets: readonly Dataset[];
  /** Profiles of the left and right axis; '' for that of the first variable. */
  readonly axes: readonly [string, string];
}

/** The chart of a single variable. */
export function chartOfVariable(kernel: Kernel, variable: TreeObject<2>): ChartDefinition {
  const plain = { index: 0, side: 0, stroke: '', fill: '', offset: 0, visible: true } as const;
  const title = variable.displayName;
  return { title, datasets: [{ ...plain, variable, title, kind: kindOf(kernel, variable) }], axes: ['', ''] };
}

/** The variables and profiles that a chart may use. */
interface ChartScope {
  variable(id: number): TreeObject<2> | undefined;
  hasProfile(name: string): boolean;
}

/**
 * Parses the content of a chart media object. Datasets of unknown variables are skipped, and other invalid
 * values are replaced by defaults. Throws `CONFIGURATION_INVALID`.
 */
export function parseChart(
  kernel: Kernel,
  title: string,
  content: string,
  known: ChartScope,
): ChartDefinition {
  const { datasets, axes, type } = contentOf(content);
  return {
    title,
    datasets: listIn(datasets, DATASETS_LIMIT).flatMap((given, index): Dataset[] => {
      const one = recordIn(given);
      const id = one['variableID'];
      const variable = typeof id === 'number' ? known.variable(id) : undefined;
      if (variable === undefined) return [];
      const own = kindOf(kernel, variable);
      return [
        {
          index,
          variable,
          title: textIn(one['title']) || variable.displayName,
          kind: type === 'bar' && own === 'line' ? 'bar' : own,
          side: sideIn(one['side']),
          stroke: colorIn(one['strokeColor']),
          fill: colorIn(one['fillColor']),
          offset: offsetIn(one['timeOffset']),
          visible: one['visible'] !== false,
        },
      ];
    }),
    axes: axesIn(listIn(axes, AXES_LIMIT), known),
  };
}

function kindOf(kernel: Kernel, { data }: TreeObject<2>): DatasetKind {
  if (data.type === variableType.boolean) return 'step';
  if (data.logging?.counter === true) return 'bar';
  const profile = profileOf(kernel, data);
  const isState = data.type === variableType.integer && (profile?.associations.length ?? 0) > 0;
  return isState ? 'step' : 'line';
}

/** The profile of a variable, if it has one of its type. */
export function profileOf(kernel: Kernel, data: TreeObject<2>['data']): Profile | undefined {
  const profile = kernel.profiles.find(data.customProfile || data.profile);
  return profile?.type === data.type ? profile : undefined;
}

function contentOf(content: string): Record<string, unknown> {
  if (content.length > CONTENT_LIMIT)
    throw fault(
      'CONFIGURATION_INVALID',
      coded`CHART_LONGER_THAN_BYTES: the chart is longer than ${CONTENT_LIMIT} bytes`,
    );
  let given: unknown;
  try {
    given = JSON.parse(content);
  } catch {
    throw fault('CONFIGURATION_INVALID', coded`CHART_NOT_JSON: the chart is not JSON`);
  }
  const record = recordIn(given);
  if (!Array.isArray(record['datasets']))
    throw fault('CONFIGURATION_INVALID', coded`CHART_NO_DATASETS: the chart has no datasets`);
  return record;
}

function axesIn(axes: readonly unknown[], known: ChartScope): [string, string] {
  const profiles: [string, string] = ['', ''];
  for (const given of axes) {
    const { profile, side } = recordIn(given);
    if (typeof profile === 'string' && known.hasProfile(profile)) profiles[sideIn(side)] = profile;
  }
  return profiles;
}

function listIn(given: unknown, limit: number): readonly unknown[] {
  const list = Array.isArray(given) ? (given as unknown[]) : [];
  if (list.length > limit)
    throw fault(
      'CONFIGURATION_INVALID',
      coded`CHART_LIST_MORE_THAN: the chart has a list of more than ${limit}`,
    );
  return list;
}

const recordIn = (given: unknown): Record<string, unknown> =>
  typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};

const textIn = (given: unknown): string => (typeof given === 'string' ? given.slice(0, TITLE_LIMIT) : '');

const sideIn = (given: unknown): AxisSide => (given === 'right' || given === 1 ? 1 : 0);

function offsetIn(given: unknown): number {
  return Number.isSafeInteger(given) && Math.abs(given as number) <= OFFSET_LIMIT ? (given as number) : 0;
}

/** A colour as a CSS hex string, or as a number as in profiles. */
function colorIn(given: unknown): string {
  if (typeof given === 'string' && /^#([\da-f]{3}|[\da-f]{6}|[\da-f]{8})$/i.test(given)) return given;
  const isNumber = Number.isSafeInteger(given) && Number(given) >= 0 && Number(given) <= 0xffffff;
  return isNumber ? `#${Number(given).toString(16).padStart(6, '0')}` : '';
}
