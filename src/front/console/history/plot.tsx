import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { formatMoment } from '../../web/format.js';

const HEIGHT = 260;

interface PlotProps {
  /** Unix seconds, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** Values that hold until the next one. */
  readonly isStepped: boolean;
  readonly label: string;
  readonly timeZone: string;
  readonly format: (value: number) => string;
}

/** A chart that can be zoomed with the pointer; a double click shows everything again. */
export function Plot({ times, values, isStepped, label, timeZone, format }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (element === null) return undefined;
    const plot = new uPlot(
      optionsOf({ label, isStepped, timeZone, format, width: element.clientWidth }),
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
  return <div ref={place} class="plot" role="img" aria-label={label} />;
}

type PlotOptions = Omit<PlotProps, 'times' | 'values'> & { readonly width: number };

function optionsOf({ label, isStepped, timeZone, format, width }: PlotOptions): uPlot.Options {
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
    axes: [axis, { ...axis, size: 70, values: (_plot, ticks) => ticks.map(format) }],
    series: [
      { value: (_plot, seconds) => (seconds === null ? '–' : formatMoment(seconds * 1000, 0, timeZone)) },
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
