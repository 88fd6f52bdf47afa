import type { Gateway } from './connect.js';

/** The script of a page: its name changes with any file of the program. */
const SCRIPT = /<script type="module" src="([^"]+)"/;

/**
 * Calls `onUpdate` when the gateway serves another program than this page has: what the page has not loaded yet
 * is gone. It is checked after a lost connection, because an update restarts the gateway.
 */
export function watchProgram(gateway: Gateway, onUpdate: () => void): void {
  const own = document.querySelector('script[type=module]')?.getAttribute('src');
  let wasLost = false;
  gateway.state.subscribe(({ kind }) => {
    wasLost ||= kind === 'lost';
    if (!wasLost || kind !== 'live') return;
    wasLost = false;
    servedScript().then(
      (script) => script !== undefined && script !== own && onUpdate(),
      // Without a reply, the next connection repeats it.
      () => undefined,
    );
  });
}

async function servedScript(): Promise<string | undefined> {
  const reply = await fetch(location.pathname, { cache: 'no-store' });
  return SCRIPT.exec(await reply.text())?.[1];
}
