import { type ReadonlySignal, computed, signal } from '@preact/signals';

/** `#/room/123` → `{ page: 'room', id: '123' }`; no hash is the first page. */
interface Route {
  readonly page: string;
  readonly id: string;
}

/** The page's address as a signal. Sheets have addresses of their own, so that Back closes them. */
export class Router {
  readonly #route = signal(parse(location.hash));
  /** The page that was shown before a sheet opened over it. */
  readonly #below = signal<Route>({ page: '', id: '' });
  readonly #isSheet: (route: Route) => boolean;
  /** Whether a page of this program is in the history before the present one. */
  #depth = 0;

  constructor(isSheet: (route: Route) => boolean) {
    this.#isSheet = isSheet;
    if (!isSheet(this.#route.peek())) this.#below.value = this.#route.peek();
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
    this.#depth += 1;
    location.hash = addressOf(page, id);
  }

  /** Shows another page in place of the present one, which Back then does not return to. */
  replace(page: string, id: number | string = ''): void {
    location.replace(addressOf(page, id));
  }

  /** Closes a sheet: returns to the page it was opened from, otherwise shows the page below it. */
  back(): void {
    if (this.#depth > 0) {
      this.#depth -= 1;
      history.back();
    } else {
      const { page, id } = this.#below.peek();
      location.replace(addressOf(page, id));
    }
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
