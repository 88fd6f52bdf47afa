import { texts } from '../web/i18n/i18n.js';
import { Icon } from '../web/parts/icon.js';
import { addressOf } from '../web/router.js';
import { useApp } from './app.js';
import { ConnectionBanner } from './banner.js';
import { DevicePage } from './pages/device.js';
import { HomePage } from './pages/home.js';
import { MessagesPage } from './pages/messages.js';
import { RefusedPage } from './pages/refused.js';
import { RoomPage } from './pages/room.js';
import { SignInPage } from './pages/sign-in.js';
import { Sheet } from './sheet/sheet.js';

/** The page: sign-in, or what the gateway's state calls for. */
export function Front() {
  const app = useApp();
  const state = app.gateway.state.value;
  if (app.signedOut.value !== undefined) return <SignInPage />;
  if (state.kind === 'refused') return <RefusedPage code={state.code} />;
  return (
    <div class="front">
      <ConnectionBanner />
      {app.gateway.isLoaded.value ? <Page /> : <p class="loading">{texts().loading}</p>}
      <Tabs />
      <Sheet />
      <LiveRegions />
    </div>
  );
}

function Page() {
  const { page, id } = useApp().router.page.value;
  switch (page) {
    case 'room':
      return <RoomPage id={Number(id)} />;
    case 'messages':
      return <MessagesPage />;
    case 'device':
      return <DevicePage />;
    default:
      return <HomePage />;
  }
}

const TABS = [
  { page: '', icon: 'Home', text: 'home' },
  { page: 'messages', icon: 'message', text: 'messages' },
  { page: 'device', icon: 'device', text: 'device' },
] as const;

function Tabs() {
  const app = useApp();
  const { page } = app.router.page.value;
  const { tabs } = texts();
  return (
    <nav class="tabs" aria-label={tabs.label}>
      {TABS.map((tab) => (
        <a
          key={tab.page}
          href={addressOf(tab.page)}
          aria-current={page === tab.page || (tab.page === '' && page === 'room') ? 'page' : undefined}
        >
          <Icon name={tab.icon} />
          <span>{tabs[tab.text]}</span>
          {tab.page === 'messages' && app.messages.value.length > 0 && (
            <span class="count">{app.messages.value.length}</span>
          )}
        </a>
      ))}
    </nav>
  );
}

/** What screen readers are told: results of the user's own actions, never streaming values. */
function LiveRegions() {
  const app = useApp();
  return (
    <>
      <p class="unseen" role="status">
        {app.polite}
      </p>
      <p class="unseen" role="alert">
        {app.assertive}
      </p>
    </>
  );
}
