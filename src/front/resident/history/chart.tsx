import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartDataset } from '../../../client/generated/records.js';
import { formatDay, formatTime } from '../../web/format.js';
import { useApp, type App } from '../app.js';
import {
  pathOf,
  scaleOf,
  ticksOf,
  timeScale,
  timeTicksOf,
  unshifted,
  type Box,
  type Scale,
} from './geometry.js';

const HEIGHT = 240;
const MARGIN = { right: 12, top: 12, bottom: 28 };
/** Distance of a value's text to the drawing. */
const GAP = 6;
/** Width of an axis with short texts. */
const MIN_AXIS = 56;
/** Width of a character at the axis, parts of the font size of the page. */
const CHARACTER = 0.48;
/** Length of a day, seconds: longer periods have dates at the axis. */
const DAY_S = 90_000;

interface ChartProps {
  readonly datasets: readonly ChartDataset[];
  readonly label: string;
}

/** A chart as SVG in the colours of the page. Its texts keep their size at every width. */
export function Chart({ datasets, label }: ChartProps) {
  const app = useApp();
  const place = useRef<HTMLDivElement>(null);
  const width = useSignal(320);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => (width.value = Math.max(240, element.clientWidth)));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const shown = unshifted(datasets);
  if (shown === undefined) return null;
  const sides = [0, 1].map((side) => datasets.filter(({ Side }) => Side === side));
  const axes = sides.map((some) => some.length > 0 && axisOf(app, some));
  const [left = MARGIN.right, right = MARGIN.right] = axes.map((axis) => (axis ? axis.width : MARGIN.right));
  const box = { left, right, width: width.value };
  const time = timeScale(shown, box);
  return (
    <div ref={place} class="chart">
      <svg viewBox={`0 0 ${width.value} ${HEIGHT}`} height={HEIGHT} role="img" aria-label={label}>
        {axes.map((axis, side) => axis && <ValueAxis key={side} axis={axis} side={side} box={box} />)}
        {timeLabelsOf(app, shown, width.value - left - right).map(([seconds, text]) => (
          <text key={seconds} x={time(seconds)} y={HEIGHT - 8} text-anchor="middle">
            {text}
          </text>
        ))}
        {datasets.map((dataset) => {
          const axis = axes[dataset.Side];
          return axis ? (
            <g key={dataset.Index} class={`series s${dataset.Index % 6} ${dataset.Kind}`}>
              <path d={pathOf(dataset, timeScale(shown, box, dataset), axis.scale)} />
            </g>
          ) : null;
        })}
      </svg>
      {datasets.length > 1 && (
        <ul class="legend">
          {datasets.map(({ Index, Title }) => (
            <li key={Index} class={`s${Index % 6}`}>
              {Title}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The axis of the values of some datasets: its texts, and the width that they need. */
interface Axis {
  readonly scale: Scale;
  readonly ticks: readonly (readonly [value: number, text: string])[];
  readonly width: number;
}

function axisOf(app: App, datasets: readonly ChartDataset[]): Axis {
  const scale = scaleOf(datasets, { ...MARGIN, height: HEIGHT });
  const variable = app.gateway.model.find(datasets[0]?.VariableID ?? 0);
  const type = variable?.entry.value.data.type;
  const ticks = ticksOf(scale, type !== 2).map((value) => {
    const text =
      variable === undefined ? String(value) : app.format(variable, type === 0 ? value !== 0 : value);
    return [value, text] as const;
  });
  return { scale, ticks, width: Math.max(MIN_AXIS, widthOf(ticks)) };
}

/** The width that the longest of these texts needs, with a gap on both sides. */
function widthOf(ticks: readonly (readonly [unknown, text: string])[]): number {
  const fontSize = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.max(...ticks.map(([, text]) => text.length)) * fontSize * CHARACTER + 2 * GAP;
}

interface ValueAxisProps {
  readonly axis: Axis;
  readonly side: number;
  readonly box: Box;
}

function ValueAxis({ axis: { scale, ticks }, side, box }: ValueAxisProps) {
  const x = side === 0 ? box.left - GAP : box.width - box.right + GAP;
  return (
    <>
      {ticks.map(([value, text]) => (
        <g key={value}>
          {side === 0 && (
            <line
              class="grid"
              x1={box.left}
              x2={box.width - box.right}
              y1={scale.y(value)}
              y2={scale.y(value)}
            />
          )}
          <text x={x} y={scale.y(value) + 4} text-anchor={side === 0 ? 'end' : 'start'}>
            {text}
          </text>
        </g>
      ))}
    </>
  );
}

/** As many times as have room at the axis. */
function timeLabelsOf(app: App, dataset: ChartDataset, room: number): (readonly [number, string])[] {
  const labelsOf = (count: number) =>
    timeTicksOf(dataset, count).map((seconds) => [seconds, timeLabel(app, seconds, dataset)] as const);
  return [8, 4].map(labelsOf).find((some) => widthOf(some) <= room / (some.length + 1)) ?? labelsOf(2);
}

function timeLabel(
  { gateway: { model } }: App,
  seconds: number,
  { StartTime, EndTime }: ChartDataset,
): string {
  if (EndTime - StartTime <= DAY_S) return formatTime(seconds * 1000, model.timezone);
  return formatDay(seconds * 1000, model.timezone);
}
