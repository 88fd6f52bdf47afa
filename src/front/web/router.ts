import { type ReadonlySignal, computed, signal } from '@preact/signals';

/** `#/room/123` → `{ page: 'room', id: '123' }`; no hash is the first page. */
interface Route {
  readonly page: string;
  readonly id: string;
}

/** State of the browser's history entry with which the program started. */
const FIRST = 1;

/** The page's address as a signal. Sheets have addresses of their own, so that Back closes them. */
export class Router {
  readonly #route = signal(parse(location.hash));
  /** The page that was shown before a sheet opened over it. */
  readonly #below = signal<Route>({ page: '', id: '' });
  readonly #isSheet: (route: Route) => boolean;

  constructor(isSheet: (route: Route) => boolean) {
    this.#isSheet = isSheet;
    if (!isSheet(this.#route.peek())) this.#below.value = this.#route.peek();
    // Entries that links make have no state. Before this one, there is no page of this program.
    history.replaceState(FIRST, '');
    addEventListener('hashchange', () => {
      this.#route.value = parse(location.hash);
      if (!isSheet(this.#route.peek())) this.#below.value = this.#route.peek();
    });
  }

  /** The page, also while a sheet covers it. */
  readonly page: ReadonlySignal<Route> = computed(() => this.#below.value);

  readonly sheet: ReadonlySignal<Route | undefined> = computed(() =>
    this.#isSheet(this.#route.value) ? this.#route.value : undefined,
  );

  go(page: string, id: number | string = ''): void {
    location.hash = addressOf(page, id);
  }

  /** Shows another page in place of the present one, which Back then does not return to. */
  replace(page: string, id: number | string = ''): void {
    location.replace(addressOf(page, id));
  }

  /** Returns to the page that this one was opened from; without one, shows the first page in its place. */
  back(): void {
    if (history.state === FIRST) this.replace('');
    else history.back();
  }
}

export function addressOf(page: string, id: number | string = ''): string {
  return id === '' ? `#/${page}` : `#/${page}/${encodeURIComponent(String(id))}`;
}

function parse(hash: string): Route {
  const [, page = '', id = ''] = /^#\/([^/]*)(?:\/(.*))?$/.exec(hash) ?? [];
  try {
    return { page, id: decodeURIComponent(id) };
  } catch {
    return { page: '', id: '' };
  }
}
