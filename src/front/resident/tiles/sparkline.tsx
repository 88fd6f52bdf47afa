import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AggregatedValue } from '../../../client/generated/records.js';
import { every } from '../../web/every.js';
import { useApp } from '../app.js';

const HOUR_S = 3600;
const SHOWN_S = 24 * HOUR_S;
/** Averages of hours: more often nothing would change. */
const REFRESH_MS = 10 * 60_000;
const WIDTH = 64;
const HEIGHT = 24;

/** The last day of a logged variable as a small line, loaded when its tile is visible. The history has figures. */
export function Sparkline({ id }: { readonly id: number }) {
  const app = useApp();
  const place = useRef<HTMLSpanElement>(null);
  const path = useSignal('');
  const isInert = app.isInert.value;
  useEffect(() => {
    if (place.current === null || isInert) return;
    const load = () => {
      const now = Math.floor(app.gateway.now() / 1000);
      const parameters = [app.facts.id, id, 0, now - SHOWN_S, now, 0];
      app.gateway.call('WFC_GetAggregatedValues', parameters).then(
        (values) => (path.value = pathOf(values as readonly AggregatedValue[], now)),
        // A tile without a line says all that it must.
        () => undefined,
      );
    };
    let cancel = () => undefined as void;
    const observer = new IntersectionObserver(([entry]) => {
      cancel();
      if (entry?.isIntersecting !== true) return;
      load();
      cancel = every(REFRESH_MS, load);
    });
    observer.observe(place.current);
    return () => {
      observer.disconnect();
      cancel();
    };
  }, [id, isInert]);
  return (
    <span ref={place} class="spark" aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
        <path d={path.value} />
      </svg>
    </span>
  );
}

/** A line through the averages, the newest at the right. */
function pathOf(values: readonly AggregatedValue[], now: number): string {
  if (values.length < 2) return '';
  const averages = values.map(({ Avg }) => Avg);
  const lowest = Math.min(...averages);
  const range = Math.max(...averages) - lowest || 1;
  const points = values.map(({ TimeStamp, Avg }) => {
    const x = Math.min(WIDTH - 1, Math.max(1, (1 - (now - TimeStamp - HOUR_S / 2) / SHOWN_S) * WIDTH));
    return `${x.toFixed(1)} ${(HEIGHT - 2 - ((Avg - lowest) / range) * (HEIGHT - 4)).toFixed(1)}`;
  });
  return `M${points.join('L')}`;
}
