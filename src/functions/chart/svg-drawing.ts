import { yieldToEventLoop } from '../../base/event-loop.js';
import type { Kernel } from '../../kernel/kernel.js';
import { valueAxisOf, type ValueAxis } from './value-axis.js';
import type { ChartDefinition, AxisSide } from './chart-definition.js';
import { drawBars, drawLine, drawSteps, type CurveStyle } from './curves.js';
import { EVERY_CHANGE, type ChartSpan, type Period } from './period.js';
import type { Series } from './series.js';
import { timeTicksOf, type TimeTick } from './time-axis.js';
import { element, escapeXml } from './svg-elements.js';

/** Minimum and maximum size of a drawing, pixels. */
export const SIZE_LIMITS = { minimum: 100, maximum: 4000 } as const;

/** Colours that are distinguishable on white and on black, also with most colour vision deficiencies. */
export const palette = [
  '#2f7fd6',
  '#cf6a0c',
  '#1a8f7d',
  '#cf4656',
  '#8563d0',
  '#5b8f22',
  '#bd5299',
  '#8a7550',
] as const;

const FONT = 12;
/** Approximate width of a character; text is not measured. */
const CHARACTER = FONT * 0.58;
const LINE_HEIGHT = 18;
const GAP = 8;
/** Minimum height of the plot, pixels; below, only the curves are drawn. */
const MIN_PLOT_HEIGHT = 60;
const LEGEND_LETTERS = 40;

/** How to draw a chart. */
export interface DrawingOptions {
  readonly span: ChartSpan;
  readonly period: Period;
  readonly isExtrema: boolean;
  readonly isDyn: boolean;
  readonly width: number;
  readonly height: number;
  /** Without the style of a standalone file. */
  readonly isInline?: boolean;
}

/** The rectangle of the curves, pixels. */
interface PlotArea {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/**
 * Draws a chart as SVG without scripts or external resources. Colours follow the surrounding page. Yields to
 * the event loop after each curve.
 */
export async function drawChart(
  kernel: Kernel,
  definition: ChartDefinition,
  { series, options }: { readonly series: readonly Series[]; readonly options: DrawingOptions },
): Promise<string> {
  const { width, height } = options;
  const legend = legendOf(series, options);
  const axes = ([0, 1] as const).map((side) => {
    const onSide = series.filter(({ dataset }) => dataset.side === side);
    const room = height - legend.height - 2 * LINE_HEIGHT;
    return valueAxisOf(kernel, onSide, { profile: definition.axes[side], ...options, height: room });
  });
  const plot = plotOf(axes, legend.height, options);
  const parts = [
    element('title', {}, escapeXml(definition.title)),
    options.isInline === true ? '' : STYLE,
    legend.text,
    ...valueAxes(axes, plot, width),
    timeAxis(plot, options),
    ...(await curvesOf(series, axes, { plot, options })),
  ];
  if (series.every(({ points }) => points.length === 0)) parts.push(noDataText(plot));
  return element(
    'svg',
    {
      xmlns: 'http://www.w3.org/2000/svg',
      class: 'chart',
      viewBox: `0 0 ${width} ${height}`,
      width,
      height,
      role: 'img',
      'font-family': 'system-ui, sans-serif',
      'font-size': FONT,
      fill: 'currentColor',
    },
    parts.filter((part) => part !== '').join('\n'),
  );
}

/** A standalone file follows the system's colour scheme; an embedded one follows the page. */
const STYLE =
  '<style>svg:root{color:#33373e}@media (prefers-color-scheme:dark){svg:root{color:#d6dae2}}</style>';

const textWidth = (text: string): number => text.length * CHARACTER;

/** Truncates a text to a width in pixels. */
function cut(text: string, room: number): string {
  const letters = Math.max(1, Math.floor(room / CHARACTER));
  return text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;
}

function plotOf(
  axes: readonly (ValueAxis | undefined)[],
  legendHeight: number,
  { width, height }: DrawingOptions,
): PlotArea {
  const [left, right] = axes.map((axis) => {
    const widest = Math.max(0, ...(axis?.scale.ticks.map(({ text }) => textWidth(text)) ?? []));
    return axis === undefined ? 0 : Math.min(widest, width / 4) + GAP;
  }) as [number, number];
  const hasUnits = axes.some((axis) => axis !== undefined && axis.unit !== '');
  const top = legendHeight + (hasUnits ? LINE_HEIGHT + 4 : GAP);
  const isTiny = height - top - LINE_HEIGHT < MIN_PLOT_HEIGHT;
  return {
    left: Math.max(left, GAP),
    right: width - Math.max(right, 2 * GAP),
    top: isTiny ? GAP : top,
    bottom: height - LINE_HEIGHT - 4,
  };
}

/** The legend; empty for a single series or if it leaves no room for the curves. */
function legendOf(
  series: readonly Series[],
  { width, height }: DrawingOptions,
): { text: string; height: number } {
  let [x, row] = [0, 0];
  const entries = series.map(({ dataset }, n) => {
    const name = cut(dataset.title, Math.min(LEGEND_LETTERS * CHARACTER, width - 6 * GAP));
    const room = textWidth(name) + 4 * GAP;
    if (x > 0 && x + room > width - GAP) [x, row] = [0, row + 1];
    const [at, y] = [x + GAP, row * LINE_HEIGHT + 13];
    x += room;
    const mark = element('rect', {
      x: at,
      y: y - 9,
      width: 10,
      height: 10,
      rx: 2,
      fill: colorOf(dataset.stroke, n),
    });
    return mark + element('text', { x: at + 14, y }, escapeXml(name));
  });
  const total = (row + 1) * LINE_HEIGHT;
  if (series.length < 2 || height - total - 3 * LINE_HEIGHT < MIN_PLOT_HEIGHT) return { text: '', height: 0 };
  return { text: element('g', { class: 'legend' }, entries.join('\n')), height: total };
}

const colorOf = (stroke: string, n: number): string => stroke || (palette[n % palette.length] as string);

function valueAxes(axes: readonly (ValueAxis | undefined)[], plot: PlotArea, width: number): string[] {
  const first = axes.findIndex((axis) => axis !== undefined);
  return axes.flatMap((axis, side) =>
    axis === undefined
      ? []
      : [valueAxis(axis, plot, { side: side as AxisSide, hasGrid: side === first, width })],
  );
}

function valueAxis(
  axis: ValueAxis,
  plot: PlotArea,
  { side, hasGrid, width }: { side: AxisSide; hasGrid: boolean; width: number },
): string {
  const isLeft = side === 0;
  const x = isLeft ? plot.left - 6 : plot.right + 6;
  const anchor = isLeft ? 'end' : 'start';
  const marks = axis.scale.ticks.flatMap(({ value, text }) => {
    const y = yOf(axis, plot, value);
    const grid = element('path', {
      d: `M${plot.left} ${Math.round(y) + 0.5}H${plot.right}`,
      stroke: 'currentColor',
      'stroke-opacity': '.15',
    });
    const name = cut(text, isLeft ? plot.left - 4 : width - plot.right - 4);
    const label = element('text', { x, y: y + 4, 'text-anchor': anchor }, escapeXml(name));
    return hasGrid ? [grid, label] : [label];
  });
  const unit =
    axis.unit === '' || plot.top < LINE_HEIGHT
      ? ''
      : element(
          'text',
          {
            x: isLeft ? 2 : width - 2,
            y: plot.top - 11,
            'text-anchor': isLeft ? 'start' : 'end',
            'fill-opacity': '.75',
          },
          escapeXml(axis.unit),
        );
  return element('g', { class: `axis ${isLeft ? 'left' : 'right'}` }, [...marks, unit].join('\n'));
}

function timeAxis(plot: PlotArea, { span, period }: DrawingOptions): string {
  const room = plot.right - plot.left;
  const fits = (count: number, length: number) => count * (length * CHARACTER + 2 * GAP) <= room;
  const ticks = timeTicksOf(span, period, fits).map((tick: TimeTick) => {
    const [x, textX] = [xOf(plot, period, tick.atS), xOf(plot, period, tick.textAtS)];
    const half = textWidth(tick.text) / 2;
    const mark = element('path', {
      d: `M${Math.round(x) + 0.5} ${plot.bottom}v5`,
      stroke: 'currentColor',
      'stroke-opacity': '.4',
    });
    // A label beyond the edge is omitted, only its tick is drawn.
    if (tick.text === '' || textX + half > plot.right + 2 * GAP) return mark;
    return (
      mark +
      element('text', { x: Math.max(textX, half), y: plot.bottom + 17, 'text-anchor': 'middle' }, tick.text)
    );
  });
  const base = element('path', {
    d: `M${plot.left} ${plot.bottom + 0.5}H${plot.right}`,
    stroke: 'currentColor',
    'stroke-opacity': '.4',
  });
  return element('g', { class: 'time' }, [base, ...ticks].join('\n'));
}

async function curvesOf(
  series: readonly Series[],
  axes: readonly (ValueAxis | undefined)[],
  { plot, options }: { plot: PlotArea; options: DrawingOptions },
): Promise<string[]> {
  const barred = series.filter(({ dataset }) => dataset.kind === 'bar');
  const curves: string[] = [];
  for (const [n, one] of series.entries()) {
    const axis = axes[one.dataset.side] as ValueAxis;
    const display = axis.displayOf(one);
    const curve: CurveStyle = {
      color: colorOf(one.dataset.stroke, n),
      fill: one.dataset.fill,
      isExtrema: options.isExtrema,
      xOf: (atS) => xOf(plot, options.period, atS - one.period.startS + options.period.startS),
      yOf: (value) => yOf(axis, plot, display(value)),
    };
    if (one.dataset.kind === 'bar') curves.push(drawBars(one, curve, [barred.indexOf(one), barred.length]));
    else curves.push(one.span === EVERY_CHANGE ? drawSteps(one, curve) : drawLine(one, curve));
    await yieldToEventLoop();
  }
  return curves;
}

/** Maps a time to pixels; times of a shifted dataset are relative to the start of its own period. */
function xOf({ left, right }: PlotArea, { startS, endS }: Period, atS: number): number {
  const part = (atS - startS) / (endS - startS);
  return left + Math.max(0, Math.min(1, part)) * (right - left);
}

/** Maps a displayed value to pixels. */
function yOf({ scale: { low, high } }: ValueAxis, { top, bottom }: PlotArea, value: number): number {
  const part = (value - low) / (high - low);
  return bottom - Math.max(0, Math.min(1, part)) * (bottom - top);
}

function noDataText({ left, right, top, bottom }: PlotArea): string {
  const [x, y] = [(left + right) / 2, (top + bottom) / 2];
  return element('text', { x, y, 'text-anchor': 'middle', 'fill-opacity': '.6' }, 'no data');
}
