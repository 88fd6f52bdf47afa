import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatDay, formatTime } from '../../web/format.js';
import { recordTexts } from '../../web/i18n/record-texts.js';
import { knownZone } from '../../web/known-zone.js';

const HEIGHT = 260;

interface PlotProps {
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  readonly values: readonly (number | null)[];
  /** Each value applies until the next one. */
  readonly isStepped: boolean;
  /** Ticks are integers only. */
  readonly isInteger: boolean;
  readonly label: string;
  readonly timeZone: string;
  readonly moment: (unixMs: number) => string;
  readonly format: (value: number) => string;
}

/** A chart that can be zoomed with the pointer; a double click shows everything again. */
export function Plot({ times, values, isStepped, isInteger, label, timeZone, moment, format }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot | undefined>(undefined);
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const plot = new uPlot(
      optionsOf({ label, isStepped, isInteger, timeZone, moment, format, width: element.clientWidth }),
      [[...times], [...values]],
      element,
    );
    chart.current = plot;
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [label, isStepped, isInteger, timeZone]);
  useEffect(() => {
    if (chart.current !== undefined) showData(chart.current, [[...times], [...values]]);
  }, [times, values]);
  return <div ref={container} class="plot" role="img" aria-label={label} />;
}

/** Replaces the data; what was zoomed into stays. */
function showData(plot: uPlot, data: uPlot.AlignedData): void {
  const { min, max } = plot.scales['x'] ?? {};
  const [times] = plot.data;
  // The limits are null until the chart is drawn.
  const isDrawn = typeof min === 'number' && typeof max === 'number';
  const isZoomed = isDrawn && (min > (times[0] ?? 0) || max < (times[times.length - 1] ?? 0));
  plot.setData(data, !isZoomed);
  if (isZoomed) plot.setScale('x', { min, max });
}

/** Distances between ticks at integers. */
const INTEGER_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
const MINUTE_S = 60;
const DAY_S = 86_400;

/** A tick of the time axis: the day where ticks are a day apart, seconds where they are needed. */
function tickText(seconds: number, ticks: readonly number[], timeZone: string): string {
  const distance = (ticks[1] ?? seconds) - (ticks[0] ?? seconds);
  if (distance >= DAY_S / 2) return formatDay(seconds * 1000, timeZone);
  return formatTime(seconds * 1000, timeZone, distance > 0 && distance < MINUTE_S);
}

type PlotOptions = Omit<PlotProps, 'times' | 'values'> & { readonly width: number };

function optionsOf({
  label,
  isStepped,
  isInteger,
  timeZone,
  moment,
  format,
  width,
}: PlotOptions): uPlot.Options {
  const color = (token: string) => getComputedStyle(document.body).getPropertyValue(token);
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line') },
    ticks: { stroke: color('--line') },
  };
  const zone = knownZone(timeZone);
  return {
    width,
    height: HEIGHT,
    legend: { markers: { show: false } },
    tzDate: (seconds) => {
      const date = new Date(seconds * 1000);
      return zone === undefined ? date : uPlot.tzDate(date, zone);
    },
    axes: [
      {
        ...axis,
        space: 80,
        values: (_plot, ticks) => ticks.map((seconds) => tickText(seconds, ticks, timeZone)),
      },
      {
        ...axis,
        size: 80,
        ...(isInteger ? { incrs: INTEGER_STEPS } : {}),
        values: (_plot, ticks) => ticks.map(format),
      },
    ],
    series: [
      {
        label: recordTexts().time,
        value: (_plot, seconds) => (seconds === null ? '–' : moment(seconds * 1000)),
      },
      {
        label,
        stroke: color('--mark'),
        width: 2,
        value: (_plot, value) => (value === null ? '–' : format(value)),
        ...(isStepped && stepped !== undefined ? { paths: stepped } : {}),
      },
    ],
  };
}
