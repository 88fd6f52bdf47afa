import { useRef } from 'preact/hooks';
import type { TextEvent } from './use-draft.js';

interface TypedText {
  readonly value: string;
  readonly onInput: (event: TextEvent) => void;
  readonly onBlur: () => void;
}

/**
 * The attributes of an input that has `text`, which follows from a value. While the user types, the input keeps
 * what was typed as long as it means the same: with "1.0" replaced by "1", nobody could type 1.05.
 */
export function useTypedText(
  text: string,
  meansSame: (typed: string) => boolean,
  onType: (typed: string) => void,
): TypedText {
  const typed = useRef<string | undefined>(undefined);
  return {
    value: typed.current !== undefined && meansSame(typed.current) ? typed.current : text,
    onInput: ({ currentTarget }) => {
      typed.current = currentTarget.value;
      onType(currentTarget.value);
    },
    onBlur: () => (typed.current = undefined),
  };
}
