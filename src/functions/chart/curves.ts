import { latestSpanEndS, spanEndS } from './period.js';
import type { Point, Series } from './series.js';
import { element, px } from './svg-elements.js';

/** Style of a curve, and its mapping from times and values to pixels. */
export interface CurveStyle {
  readonly color: string;
  /** Fill colour of the area below; '' for none. */
  readonly fill: string;
  readonly isExtrema: boolean;
  readonly xOf: (atS: number) => number;
  readonly yOf: (value: number) => number;
}

type Dot = readonly [x: number, y: number];

/** Averages: a line through the centres of the spans, with a band from minimum to maximum if requested. */
export function drawLine({ span, points }: Series, curve: CurveStyle): string {
  const middle = ({ atS, durationS }: Point) => curve.xOf(atS + durationS / 2);
  const runs = runsOf(points, (point, next) => latestSpanEndS(span, point.atS) >= next.atS);
  const dots = (of: (point: Point) => number) =>
    runs.map((run) => thinned(run.map((point): Dot => [middle(point), curve.yOf(of(point))])));
  const lines = dots(({ value }) => value);
  const [lows, highs] = curve.isExtrema ? [dots(({ min }) => min), dots(({ max }) => max)] : [[], []];
  const band = highs.map((high, n) => `${pathOf([...high, ...(lows[n] ?? []).toReversed()])}Z`).join('');
  return group([
    band === '' ? '' : element('path', { d: band, fill: curve.color, 'fill-opacity': '.2' }),
    filled(lines, curve, curve.fill),
    stroked(lines, curve),
  ]);
}

/** Values that apply until the next change, as steps. */
export function drawSteps({ points, dataset }: Series, curve: CurveStyle): string {
  const runs = runsOf(points, (point, next) => point.atS + point.durationS >= next.atS);
  const lines = runs.map((run) =>
    thinned(
      run.flatMap(({ atS, durationS, value }): Dot[] => {
        const y = curve.yOf(value);
        return [
          [curve.xOf(atS), y],
          [curve.xOf(atS + durationS), y],
        ];
      }),
    ),
  );
  const fill = curve.fill || (dataset.kind === 'step' ? curve.color : '');
  return group([filled(lines, curve, fill), stroked(lines, curve)]);
}

/** Consumption per span as bars; bars of several series are side by side. */
export function drawBars(
  { span, points }: Series,
  curve: CurveStyle,
  [nth, of]: readonly [number, number],
): string {
  const zero = curve.yOf(0);
  const rects = points.map(({ atS, value }) => {
    const [from, to] = [curve.xOf(atS), curve.xOf(spanEndS(span, atS))];
    const room = (to - from) / of;
    const gap = Math.min(room * 0.15, 4);
    const y = curve.yOf(value);
    return element('rect', {
      x: from + nth * room + gap / 2,
      y: Math.min(y, zero),
      width: Math.max(room - gap, 0.3),
      height: Math.abs(zero - y),
    });
  });
  return rects.length === 0
    ? ''
    : element('g', { class: 'series bars', fill: curve.fill || curve.color }, rects.join('\n'));
}

/** Splits points into runs without gaps. */
function runsOf(points: readonly Point[], follows: (point: Point, next: Point) => boolean): Point[][] {
  const runs: Point[][] = [];
  let last: Point | undefined;
  for (const point of points) {
    if (last !== undefined && follows(last, point)) runs.at(-1)?.push(point);
    else runs.push([point]);
    last = point;
  }
  return runs;
}

/**
 * Reduces the dots in one pixel column to the first, the lowest, the highest and the last, which does not
 * change the image.
 */
function thinned(dots: readonly Dot[]): Dot[] {
  const thin: Dot[] = [];
  for (let from = 0; from < dots.length;) {
    const column = Math.floor((dots[from] as Dot)[0]);
    let to = from;
    let [low, high] = [from, from];
    while (to < dots.length && Math.floor((dots[to] as Dot)[0]) === column) {
      const y = (dots[to] as Dot)[1];
      if (y < (dots[low] as Dot)[1]) low = to;
      if (y > (dots[high] as Dot)[1]) high = to;
      to += 1;
    }
    const kept = new Set([from, low, high, to - 1].sort((a, b) => a - b));
    for (const n of kept) thin.push(dots[n] as Dot);
    from = to;
  }
  return thin;
}

/** A path through dots. Round line caps make a single dot visible. */
function pathOf(dots: readonly Dot[]): string {
  let [lastX, lastY] = ['', ''];
  const path = dots.map(([dotX, dotY], n) => {
    const [x, y] = [px(dotX), px(dotY)];
    const step =
      n === 0
        ? `M${x} ${y}`
        : x === lastX && y === lastY
          ? ''
          : y === lastY
            ? `H${x}`
            : x === lastX
              ? `V${y}`
              : `L${x} ${y}`;
    [lastX, lastY] = [x, y];
    return step;
  });
  return dots.length === 1 ? `${path.join('')}h0` : path.join('');
}

function filled(lines: readonly (readonly Dot[])[], { yOf }: CurveStyle, fill: string): string {
  if (fill === '') return '';
  const zero = px(yOf(0));
  const d = lines
    .filter((dots) => dots.length > 1)
    .map((dots) => `${pathOf(dots)}V${zero}H${px((dots[0] as Dot)[0])}Z`)
    .join('');
  return d === '' ? '' : element('path', { d, fill, 'fill-opacity': '.2' });
}

function stroked(lines: readonly (readonly Dot[])[], { color }: CurveStyle): string {
  const d = lines.map(pathOf).join('');
  if (d === '') return '';
  const round = { 'stroke-linejoin': 'round', 'stroke-linecap': 'round' };
  return element('path', { d, fill: 'none', stroke: color, 'stroke-width': '1.6', ...round });
}

function group(parts: readonly string[]): string {
  const content = parts.filter((part) => part !== '').join('\n');
  return content === '' ? '' : element('g', { class: 'series' }, content);
}
