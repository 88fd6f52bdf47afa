import { type Signal, signal } from '@preact/signals';

/** What a device remembers. Never credentials or values. */
interface Preferences {
  readonly language: '' | 'de' | 'en';
  readonly theme: 'system' | 'light' | 'dark';
  readonly textSize: 'normal' | 'large' | 'largest';
  readonly favourites: readonly number[];
  readonly isKiosk: boolean;
  readonly device: string;
}

const initial: Preferences = {
  language: '',
  theme: 'system',
  textSize: 'normal',
  favourites: [],
  isKiosk: false,
  device: '',
};

/** Preferences of this device, kept in its storage where it has one (a private window may not). */
export class PreferenceStore {
  readonly #key: string;
  readonly #current: Signal<Preferences>;

  constructor(key: string) {
    this.#key = key;
    this.#current = signal(read(key));
    this.#show();
    // Another window of the device has changed them.
    addEventListener('storage', () => this.#set(read(key)));
  }

  /** Subscribes to the preferences. */
  get value(): Preferences {
    return this.#current.value;
  }

  change(changes: Partial<Preferences>): void {
    this.#set({ ...this.#current.peek(), ...changes });
    try {
      localStorage.setItem(this.#key, JSON.stringify(this.#current.peek()));
    } catch {
      // Without storage the preferences last until the page is closed.
    }
  }

  #set(next: Preferences): void {
    this.#current.value = next;
    this.#show();
  }

  #show(): void {
    const { theme, textSize } = this.#current.peek();
    const { dataset } = document.documentElement;
    dataset['theme'] = theme;
    dataset['textSize'] = textSize;
  }
}

function read(key: string): Preferences {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return typeof stored === 'object' && stored !== null ? { ...initial, ...sane(stored) } : initial;
  } catch {
    return initial;
  }
}

/** What an older version or another page wrote is taken only where it has the right type. */
function sane(stored: object): Partial<Preferences> {
  return Object.fromEntries(
    Object.entries(stored).filter(([key, value]: [string, unknown]) => {
      const expected: unknown = initial[key as keyof Preferences];
      if (Array.isArray(expected)) return Array.isArray(value) && value.every((id) => typeof id === 'number');
      return typeof value === typeof expected;
    }),
  );
}
