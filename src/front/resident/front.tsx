import { useEffect } from 'preact/hooks';
import { texts } from '../web/i18n/i18n.js';
import { Icon } from '../web/parts/icon.js';
import { lazy } from '../web/parts/lazy.js';
import { addressOf } from '../web/router.js';
import { useApp } from './app.js';
import { HomePage } from './pages/home.js';
import { RoomPage } from './pages/room.js';
import { Status } from './status.js';

const SignInPage = lazy(async () => (await import('./pages/sign-in.js')).SignInPage);
const RejectedPage = lazy(async () => (await import('./pages/rejected.js')).RejectedPage);
const MessagesPage = lazy(async () => (await import('./messages/messages-page.js')).MessagesPage);
const MessageOverlay = lazy(async () => (await import('./messages/overlay.js')).MessageOverlay, true);
const DevicePage = lazy(async () => (await import('./pages/device.js')).DevicePage);
const ItemsPage = lazy(async () => (await import('./pages/items.js')).ItemsPage);
const HistoryPage = lazy(async () => (await import('./history/history-page.js')).HistoryPage);
const Kiosk = lazy(async () => (await import('./kiosk.js')).Kiosk, true);
const Sheet = lazy(async () => (await import('./sheet/sheet.js')).Sheet, true);

/** The page: sign-in, or what the gateway's state calls for. */
export function Front() {
  const app = useApp();
  const state = app.gateway.state.value;
  if (app.gateway.signedOut.value !== undefined) return <SignInPage />;
  if (state.kind === 'rejected') return <RejectedPage code={state.code} />;
  return <Connected />;
}

function Connected() {
  const app = useApp();
  const { isKiosk } = app.preferences.value;
  return (
    <div
      class={`front ${app.gateway.state.value.kind === 'live' ? '' : 'offline'} ${isKiosk ? 'kiosk' : ''}`}
      // A key that is held down presses a button many times: it would confirm its own command, or repeat it.
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
    >
      {app.gateway.isLoaded.value ? <Page /> : <p class="loading">{texts().loading}</p>}
      {isKiosk ? <Kiosk /> : <Tabs />}
      {app.gateway.isLoaded.value && app.router.sheet.value !== undefined && <Sheet />}
      {app.messages.shown.value.length > 0 && <MessageOverlay />}
      <Status />
    </div>
  );
}

function Page() {
  const app = useApp();
  const { page, id } = app.router.page.value;
  useEffect(() => {
    scrollTo(0, 0);
  }, [page, id]);
  switch (page) {
    case 'room':
      return <RoomPage key={id} id={Number(id)} />;
    case 'page':
      return <ItemsPage key={id} id={id} />;
    case 'history':
      return <HistoryPage key={id} id={Number(id)} />;
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
  const present = TABS.some((tab) => tab.page === page) ? page : '';
  const unread = app.messages.unread.value;
  return (
    <nav class="tabs" aria-label={tabs.label}>
      {TABS.map((tab) => (
        <a key={tab.page} href={addressOf(tab.page)} aria-current={present === tab.page ? 'page' : undefined}>
          <Icon name={tab.icon} />
          <span>{tabs[tab.text]}</span>
          {tab.page === 'messages' && unread > 0 && <span class="count">{unread}</span>}
        </a>
      ))}
    </nav>
  );
}
