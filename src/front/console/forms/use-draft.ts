import { useApp } from '../app.js';

/** The members of `T` that are texts. */
type TextsOf<T> = { [K in keyof T]: T[K] extends string ? K : never }[keyof T] & string;

/** What was typed into an input, chosen in a list, or typed into a text area. */
export interface TextEvent {
  readonly currentTarget: { readonly value: string };
}

interface Draft<T> {
  readonly draft: T;
  readonly set: (changed: Partial<T>) => void;
  /** Forgets what was entered. */
  readonly clear: () => void;
  /** The attributes of the input, list or text area of a member. */
  readonly bind: (name: TextsOf<T>) => {
    readonly name: string;
    readonly value: string;
    readonly onInput: (event: TextEvent) => void;
  };
}

/**
 * What is entered into a form and not saved. It survives leaving the page and the end of the session: another
 * user of the browser may see it, so secrets do not belong in it. Members that were not changed follow `initial`,
 * which somebody else may change meanwhile.
 */
export function useDraft<T extends object>(key: string, initial: T): Draft<T> {
  const kept = useApp().form<Partial<T>>(key);
  const draft = { ...initial, ...kept.value };
  const set = (changed: Partial<T>) => {
    const entered = Object.entries({ ...kept.peek(), ...changed });
    kept.value = Object.fromEntries(
      entered.filter(([name, value]) => value !== initial[name as keyof T]),
    ) as Partial<T>;
  };
  return {
    draft,
    set,
    clear: () => (kept.value = undefined),
    bind: (name) => ({
      name,
      value: draft[name] as string,
      onInput: ({ currentTarget }) => set({ [name]: currentTarget.value } as Partial<T>),
    }),
  };
}
