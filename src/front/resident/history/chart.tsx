import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ChartDataset } from '../../../client/generated/records.js';
import { formatDay, formatTime } from '../../web/format.js';
import { useApp, type App } from '../app.js';
import { pathOf, scaleOf, ticksOf, timeTicksOf, type Scale } from './geometry.js';

const HEIGHT = 240;
const MARGIN = { left: 56, right: 12, top: 12, bottom: 28 };
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
  const [first] = datasets;
  if (first === undefined) return null;
  const sides = [0, 1].map((side) => datasets.filter(({ Side }) => Side === side));
  const right = (sides[1]?.length ?? 0) > 0 ? MARGIN.left : MARGIN.right;
  const box = { ...MARGIN, right, width: width.value, height: HEIGHT };
  const scales = sides.map((some) => (some.length === 0 ? undefined : scaleOf(some, box)));
  const time = timeScale(first, box);
  return (
    <div ref={place} class="chart">
      <svg viewBox={`0 0 ${width.value} ${HEIGHT}`} height={HEIGHT} role="img" aria-label={label}>
        {scales.map(
          (scale, side) =>
            scale !== undefined && (
              <ValueAxis key={side} scale={scale} side={side} box={box} dataset={sides[side]?.[0]} />
            ),
        )}
        {timeTicksOf(first, width.value < 480 ? 4 : 8).map((seconds) => (
          <text key={seconds} x={time(seconds)} y={HEIGHT - 8} text-anchor="middle">
            {timeLabel(app, seconds, first)}
          </text>
        ))}
        {datasets.map((dataset) => {
          const scale = scales[dataset.Side];
          return scale === undefined ? null : (
            <g key={dataset.Index} class={`series s${dataset.Index % 6} ${dataset.Kind}`}>
              <path d={pathOf(dataset, time, scale)} />
            </g>
          );
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

interface Box {
  readonly left: number;
  readonly right: number;
  readonly width: number;
}

function timeScale({ StartTime, EndTime }: ChartDataset, { left, right, width }: Box) {
  return (seconds: number) => left + ((seconds - StartTime) / (EndTime - StartTime)) * (width - left - right);
}

interface ValueAxisProps {
  readonly scale: Scale;
  readonly side: number;
  readonly box: Box;
  readonly dataset: ChartDataset | undefined;
}

function ValueAxis({ scale, side, box, dataset }: ValueAxisProps) {
  const app = useApp();
  const variable = app.gateway.model.find(dataset?.VariableID ?? 0);
  const type = variable?.entry.value.data.type;
  const x = side === 0 ? box.left - 6 : box.width - box.right + 6;
  return (
    <>
      {ticksOf(scale, type !== 2).map((value) => (
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
            {variable === undefined ? value : app.format(variable, type === 0 ? value !== 0 : value)}
          </text>
        </g>
      ))}
    </>
  );
}

function timeLabel(
  { gateway: { model } }: App,
  seconds: number,
  { StartTime, EndTime }: ChartDataset,
): string {
  if (EndTime - StartTime <= DAY_S) return formatTime(seconds * 1000, model.timezone);
  return formatDay(seconds * 1000, model.timezone);
}
