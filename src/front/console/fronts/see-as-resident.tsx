import { signIn } from '../../web/sign-in.js';
import { type ConsoleApp, useApp } from '../app.js';
import { automation } from '../i18n/automation.js';

interface AreaProps {
  readonly configurator: number;
  readonly title: string;
  readonly isOpen: boolean;
}

/** Opens a front as its residents see it, in another tab. */
export function SeeAsResident({ configurator, title, isOpen }: AreaProps) {
  const app = useApp();
  const { fronts } = automation();
  const path = `/wfc/${configurator}/`;
  if (isOpen)
    return (
      <a class="plain" href={path} target="_blank" rel="noreferrer" aria-label={fronts.openFor(title)}>
        {fronts.open}
      </a>
    );
  return (
    <button
      class="plain"
      type="button"
      aria-label={fronts.openFor(title)}
      onClick={() => void openView(app, configurator, path)}
    >
      {fronts.open}
    </button>
  );
}

/**
 * Exchanges a ticket for the session before the front is opened. The ticket is in the body of this page's own
 * request only: in an address, even as a fragment, it would be in the history of the browser, which may be
 * synchronised, until the new page removes it. A form in the new tab would need a second way to sign in, and a
 * redirect.
 */
async function openView(app: ConsoleApp, configurator: number, path: string): Promise<void> {
  // Browsers open tabs only during the click itself.
  const tab = window.open('', '_blank');
  if (tab !== null) tab.opener = null;
  const isDone = await app.act(async () => {
    const ticket = await app.call('GW_CreateFrontTicket', configurator);
    const { kind } = await signIn(`${path}session`, { ticket });
    if (kind !== 'signed-in') throw new Error(automation().fronts.notOpened);
  });
  if (!isDone) return tab?.close();
  // Where another tab cannot be opened, such as in an installed app, the front replaces the console.
  (tab ?? window).location.assign(new URL(path, location.href));
}
