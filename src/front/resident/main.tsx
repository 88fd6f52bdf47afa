import { effect } from '@preact/signals';
import { render } from 'preact';
import { realTiming } from '../../client/timing.js';
import { chooseLanguage, locale, setLanguage } from '../web/i18n/i18n.js';
import { readFacts } from '../web/facts.js';
import { readSession } from '../web/session.js';
import '../web/tokens.css';
import './resident.css';
import './tiles/appearance.css';
import './controls/appearance.css';
import './history/appearance.css';
import './messages/appearance.css';
import './sheet/appearance.css';
import { App, AppProvider, type PageFacts } from './app.js';
import { Front } from './front.js';

/** A page that could not be loaded completely is loaded again after this time, ms. */
const RETRY_MS = 5000;

async function main(): Promise<void> {
  const app = new App(readFacts<PageFacts>() as PageFacts);
  const chosen = app.preferences.value.language || app.facts.language;
  await setLanguage(chooseLanguage(navigator.languages, chosen));
  effect(() => {
    const language = (document.documentElement.lang = locale());
    if (language === 'en') app.variableNames.value = (name) => name;
    // Without it, as without a connection, the names stay English.
    else
      import('../web/i18n/de-variables.js').then(
        ({ deVariable }) => (app.variableNames.value = deVariable),
        () => undefined,
      );
  });
  const root = document.getElementById('page');
  if (root === null) throw new Error('the page has no element #page');
  render(
    <AppProvider value={app}>
      <Front />
    </AppProvider>,
    root,
  );
  // Without a reply the link finds out what is wrong, and retries.
  const session = await readSession(app.sessionPath).catch(() => null);
  if (session !== undefined || !app.facts.passwordRequired) app.gateway.enter();
  else app.gateway.signedOut.value = 'never';
  // After the first view.
  void import('./background.js').then(({ start }) => start(app, session?.isOwnerView === true));
}

/** Without its texts the page is empty. Browsers may remember that a file could not be loaded, until a reload. */
function retry(): void {
  const load = async () => ((await fetch(location.href)).ok ? location.reload() : retry());
  realTiming.after(RETRY_MS, () => void load().catch(retry));
}

main().catch(retry);
