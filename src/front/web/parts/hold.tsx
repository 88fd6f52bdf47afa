import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { realTiming } from '../../../client/timing.js';

/** Time limit for the second press of a key. */
const ARMED_MS = 4000;

/** What a user must do next: `hold` after a press that was too short, `again` after the first key. */
type HoldHint = 'hold' | 'again' | undefined;

interface HoldProps {
  readonly class: string;
  readonly role?: 'switch';
  readonly 'aria-checked'?: boolean;
  readonly 'aria-busy'?: boolean;
  readonly 'aria-description'?: string;
  /** Undefined: an ordinary button. It stays the same element when this changes, with its focus. */
  readonly holdMs: number | undefined;
  readonly onDone: () => void;
  readonly isInert?: boolean;
  readonly children: (hint: HoldHint) => ComponentChildren;
}

/** A button that must be held, or pressed twice with the keyboard: for what must not happen by accident. */
export function HoldButton({ holdMs, onDone, isInert = false, children, ...attributes }: HoldProps) {
  const hint = useSignal<HoldHint>(undefined);
  const isHeld = useSignal(false);
  /** Whether it had to be held when the pointer was pressed: the click at the end of that does nothing. */
  const hadToBeHeld = useRef(false);
  const cancelHold = useRef<() => void>(() => undefined);
  const cancelHint = useRef<() => void>(() => undefined);
  const show = (next: HoldHint) => {
    cancelHint.current();
    hint.value = next;
    if (next !== undefined) cancelHint.current = realTiming.after(ARMED_MS, () => (hint.value = undefined));
  };
  const release = (next: HoldHint) => {
    if (!isHeld.peek()) return;
    isHeld.value = false;
    cancelHold.current();
    show(next);
  };
  const press = (event: PointerEvent) => {
    hadToBeHeld.current = holdMs !== undefined;
    // A second finger would replace the timer, and its release would leave the first one running.
    if (holdMs === undefined || isInert || isHeld.peek() || event.button !== 0) return;
    isHeld.value = true;
    cancelHold.current = realTiming.after(holdMs, () => {
      release(undefined);
      onDone();
    });
  };
  const click = (event: MouseEvent) => {
    if (isInert) return;
    // A click without a pointer comes from a key or from a screen reader.
    const isKey = event.detail === 0;
    if (!isKey && (holdMs !== undefined || hadToBeHeld.current)) return;
    if (holdMs !== undefined && hint.peek() !== 'again') return show('again');
    show(undefined);
    onDone();
  };
  useEffect(
    () => () => {
      cancelHold.current();
      cancelHint.current();
    },
    [],
  );
  return (
    <button
      {...attributes}
      data-held={isHeld.value}
      aria-disabled={isInert}
      onPointerDown={press}
      onPointerUp={() => release('hold')}
      onPointerLeave={() => release('hold')}
      onPointerCancel={() => release(undefined)}
      onContextMenu={(event) => holdMs !== undefined && event.preventDefault()}
      onClick={click}
    >
      {children(hint.value)}
    </button>
  );
}
