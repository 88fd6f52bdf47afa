import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatDay, formatMoment, formatTime } from '../../web/format.js';
import { recordTexts } from '../../web/i18n/record-texts.js';

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
  readonly format: (value: number) => string;
}

/** A chart that can be zoomed with the pointer; a double click shows everything again. */
export function Plot({ times, values, isStepped, isInteger, label, timeZone, format }: PlotProps) {
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const plot = new uPlot(
      optionsOf({ label, isStepped, isInteger, timeZone, format, width: element.clientWidth }),
      [[...times], [...values]],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, values, label]);
  return <div ref={container} class="plot" role="img" aria-label={label} />;
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

function optionsOf({ label, isStepped, isInteger, timeZone, format, width }: PlotOptions): uPlot.Options {
  const color = (token: string) => getComputedStyle(document.body).getPropertyValue(token);
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line') },
    ticks: { stroke: color('--line') },
  };
  return {
    width,
    height: HEIGHT,
    legend: { markers: { show: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), timeZone),
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
        value: (_plot, seconds) => (seconds === null ? '–' : formatMoment(seconds * 1000, 0, timeZone)),
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
