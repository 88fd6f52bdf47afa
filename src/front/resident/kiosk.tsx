import { useEffect } from 'preact/hooks';
import { realTiming } from '../../client/timing.js';
import { useApp } from './app.js';

/** A kiosk returns to the first page after this time, ms. */
const IDLE_MS = 60_000;
/** A message may open another page without a touch. */
const EVENTS = ['pointerdown', 'keydown', 'wheel', 'hashchange'] as const;

/** Shows the first page a minute after the last touch, or after another page was opened. */
export function Kiosk() {
  const { router } = useApp();
  useEffect(() => {
    let cancel = () => {};
    const restart = () => {
      cancel();
      cancel = realTiming.after(IDLE_MS, () => {
        if (location.hash.length > '#/'.length) router.go('');
      });
    };
    restart();
    for (const type of EVENTS) addEventListener(type, restart);
    return () => {
      cancel();
      for (const type of EVENTS) removeEventListener(type, restart);
    };
  }, []);
  return null;
}
