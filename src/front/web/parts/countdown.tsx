import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { every } from '../every.js';

interface CountdownProps {
  readonly untilMs: number;
  /** The gateway's time, unix ms. */
  readonly now: () => number;
  readonly text: (seconds: number) => string;
}

/** Seconds that remain, counted down; nothing when they are over. Not announced. */
export function Countdown({ untilMs, now, text }: CountdownProps) {
  const secondsLeft = () => Math.ceil((untilMs - now()) / 1000);
  const seconds = useSignal(secondsLeft());
  useEffect(() => {
    seconds.value = secondsLeft();
    return every(1000, () => (seconds.value = secondsLeft()));
  }, [untilMs]);
  return seconds.value > 0 ? <span aria-hidden="true"> · {text(seconds.value)}</span> : null;
}
