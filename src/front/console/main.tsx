import { render } from 'preact';
import { chooseLanguage } from '../web/i18n/i18n.js';
import { readFacts } from '../web/facts.js';
import { watchProgram } from '../web/program-update.js';
import { readSession } from '../web/session.js';
import '../web/tokens.css';
import './console.css';
import './parts/appearance.css';
import './forms/appearance.css';
import './split-view.css';
import './fronts/appearance.css';
import './log/appearance.css';
import './editor/appearance.css';
import './hardware/appearance.css';
import './events/appearance.css';
import './system/appearance.css';
import 'uplot/dist/uPlot.min.css';
import { AppProvider, ConsoleApp, SESSION_PATH } from './app.js';
import { Console } from './console.js';
import { setConsoleLanguage } from './i18n/console-texts.js';

interface PageFacts {
  readonly isUnclaimed: boolean;
  readonly name?: string;
  readonly language?: string;
}

async function main(): Promise<void> {
  const facts = readFacts<PageFacts>();
  const app = new ConsoleApp(facts.name);
  const chosen = app.preferences.value.language || facts.language;
  await setConsoleLanguage(chooseLanguage(navigator.languages, chosen));
  const root = document.getElementById('page');
  if (root === null) throw new Error('the page has no element #page');
  app.isUnclaimed.value = facts.isUnclaimed === true;
  if (!app.isUnclaimed.value) {
    const session = await readSession(SESSION_PATH).catch(() => null);
    if (session === undefined) app.gateway.signedOut.value = 'never';
    else app.gateway.enter();
  }
  addEventListener('beforeunload', (event) => {
    if (!app.isUnsaved()) return;
    event.preventDefault();
    // Browsers before 2023 ask only if this is set.
    event.returnValue = true;
  });
  watchProgram(app.gateway, () => {
    const isBusy = app.isUnsaved() || document.querySelector('dialog[open]') !== null;
    if (isBusy) app.isOutdated.value = true;
    else location.reload();
  });
  render(
    <AppProvider value={app}>
      <Console />
    </AppProvider>,
    root,
  );
  if (isSecureContext) void import('../web/install.js').then(({ install }) => install('/console/'));
}

void main();
