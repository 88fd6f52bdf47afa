import { ASSETS_DIRECTORY } from './assets.js';
import type { HtmlPage } from './html.js';
import type { PageAddress } from './program-page.js';
import { consolePage, frontPage, startPage, type GatewayLook } from './start-page.js';
import type { rejectedHostPage, trustPage } from './trust-page.js';
import { webManifest } from './web-manifest.js';

type Argument<F extends (...args: never[]) => unknown, N extends number> = Parameters<F>[N];

/** The pages that the API serves to browsers, with the name and the language of the gateway as they are now. */
export const createPages = (gateway: () => GatewayLook) => ({
  start: (cards: Argument<typeof startPage, 0>, languages: string) => startPage(cards, languages, gateway()),
  front: (card: Argument<typeof frontPage, 0>, address: PageAddress) => frontPage(card, address, gateway()),
  console: (isUnclaimed: boolean, address: PageAddress) => consolePage(isUnclaimed, address, gateway()),
  // Loaded when somebody opens them.
  trust: async (...facts: Parameters<typeof trustPage>): Promise<HtmlPage> =>
    (await import('./trust-page.js')).trustPage(...facts),
  rejectedHost: async (...facts: Parameters<typeof rejectedHostPage>): Promise<HtmlPage> =>
    (await import('./trust-page.js')).rejectedHostPage(...facts),
  manifest: webManifest,
  assets: ASSETS_DIRECTORY,
});
