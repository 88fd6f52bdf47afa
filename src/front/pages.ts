import { ASSETS_DIRECTORY } from './assets.js';
import type { HtmlPage } from './html.js';
import { consolePage, frontPage, startPage } from './start-page.js';
import type { rejectedHostPage, trustPage } from './trust-page.js';
import { webManifest } from './web-manifest.js';

/** The pages that the API serves to browsers. */
export const pages = {
  start: startPage,
  front: frontPage,
  console: consolePage,
  // Loaded when somebody opens them.
  trust: async (...facts: Parameters<typeof trustPage>): Promise<HtmlPage> =>
    (await import('./trust-page.js')).trustPage(...facts),
  rejectedHost: async (...facts: Parameters<typeof rejectedHostPage>): Promise<HtmlPage> =>
    (await import('./trust-page.js')).rejectedHostPage(...facts),
  manifest: webManifest,
  assets: ASSETS_DIRECTORY,
};
