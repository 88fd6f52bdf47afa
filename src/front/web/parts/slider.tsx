import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { realTiming } from '../../../client/timing.js';

/** While a slider is dragged it sends at most this often, ms. */
const LIVE_MS = 250;

interface SliderProps {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  /** The reported value. */
  readonly value: number;
  readonly format: (value: number) => string;
  readonly onSet: (value: number) => void;
  /** Sends while it is dragged, too. */
  readonly isLive?: boolean;
  readonly isInert?: boolean;
}

/** Sends the value on release, then shows again what was reported. */
export function Slider({ label, min, max, step, value, format, onSet, isLive, isInert }: SliderProps) {
  const dragged = useSignal<number | undefined>(undefined);
  const sentMs = useRef(0);
  const shown = dragged.value ?? value;
  // A slider that is dragged back to where it began fires no change event; others fire it in this task.
  const settle = () => void realTiming.after(0, () => (dragged.value = undefined));
  return (
    <span class="slider">
      <input
        type="range"
        aria-label={label}
        aria-valuetext={format(shown)}
        aria-disabled={isInert}
        min={min}
        max={max}
        step={step}
        value={shown}
        style={{ '--fill': `${((shown - min) / (max - min)) * 100}%` }}
        onInput={({ currentTarget }) => {
          if (isInert) return void (currentTarget.value = String(value));
          dragged.value = Number(currentTarget.value);
          if (!isLive || realTiming.nowMs() - sentMs.current < LIVE_MS) return;
          sentMs.current = realTiming.nowMs();
          onSet(dragged.value);
        }}
        onPointerUp={settle}
        onPointerCancel={settle}
        onBlur={settle}
        onChange={({ currentTarget }) => {
          const chosen = dragged.peek();
          dragged.value = undefined;
          currentTarget.value = String(value);
          if (chosen !== undefined && !isInert) onSet(chosen);
        }}
      />
      {dragged.value !== undefined && <output>{format(dragged.value)}</output>}
    </span>
  );
}
