import { useSignal } from '@preact/signals';
import type { ComponentType } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { rejected } from '../../client/link.js';
import { realTiming } from '../../client/timing.js';
import { formatTime } from '../web/format.js';
import { texts } from '../web/i18n/i18n.js';
import { Icon } from '../web/parts/icon.js';
import { lazy } from '../web/parts/lazy.js';
import { addressOf } from '../web/router.js';
import { signOut } from '../web/sign-out.js';
import { SESSION_PATH, useApp } from './app.js';
import { words, type ConsoleTexts } from './i18n/console-texts.js';
import { TaskList } from './task-list.js';
import { SignInPage } from './pages/sign-in.js';

type PageName = Exclude<keyof ConsoleTexts['pages'], 'label'>;

interface PageEntry {
  /** Undefined: the page is not in the rail. */
  readonly icon?: string;
  readonly page: ComponentType<{ readonly id: string }>;
}

/** The pages of the rail, each in a chunk of its own. */
const PAGES: Partial<Readonly<Record<PageName, PageEntry>>> = {
  overview: { icon: 'Home', page: lazy(async () => (await import('./pages/overview.js')).OverviewPage) },
  tree: { icon: 'rooms', page: lazy(async () => (await import('./pages/tree.js')).TreePage) },
  hardware: { icon: 'chip', page: lazy(async () => (await import('./pages/hardware.js')).HardwarePage) },
  events: { icon: 'Clock', page: lazy(async () => (await import('./events/events-page.js')).EventsPage) },
  call: { page: lazy(async () => (await import('./pages/call.js')).CallPage) },
  scripts: {
    icon: 'Script',
    page: lazy(async () => (await import('./scripts/scripts-page.js')).ScriptsPage),
  },
  archive: { icon: 'Graph', page: lazy(async () => (await import('./archive/archive-page.js')).ArchivePage) },
  fronts: { icon: 'device', page: lazy(async () => (await import('./fronts/fronts-page.js')).FrontsPage) },
  log: { icon: 'text', page: lazy(async () => (await import('./log/log-page.js')).LogPage) },
  system: { icon: 'Gear', page: lazy(async () => (await import('./system/system-page.js')).SystemPage) },
};

/** The console: sign-in, or the rail and a page. */
export function Console() {
  const app = useApp();
  const { page: name, id } = app.router.page.value;
  const isSignedIn = app.gateway.signedOut.value === undefined;
  const title = isSignedIn
    ? words().pages[name in PAGES ? (name as PageName) : 'overview']
    : words().signIn.title;
  useEffect(() => {
    document.title = `${title} · ${app.gatewayName}`;
    // An error of another page is not one of this page.
    if (app.notice.peek()?.isError === true) app.notice.value = undefined;
  }, [title]);
  if (app.isUnclaimed.value) return <ClaimPage />;
  if (!isSignedIn) return <SignInPage />;
  const entry = PAGES[name as PageName] ?? PAGES.overview;
  const Page = entry?.page;
  return (
    <div class="console">
      <Rail />
      <div class="content">
        <Connection />
        {app.isOutdated.value && (
          <p class="banner" role="status">
            {words().updated}
          </p>
        )}
        <TaskList />
        {app.gateway.isLoaded.value && Page !== undefined ? (
          <Page id={id} />
        ) : (
          <p class="soft">{texts().loading}</p>
        )}
        <Notice />
        {app.confirmation.isOpen.value && <PasswordDialog />}
      </div>
    </div>
  );
}

const ClaimPage = lazy(async () => (await import('./pages/claim.js')).ClaimPage);
/** Dialogs that are loaded when they are first opened. */
const loadPalette = async () => (await import('./palette.js')).Palette;
const Palette = lazy(loadPalette);
const PasswordDialog = lazy(async () => (await import('./password-dialog.js')).PasswordDialog);

function railPages() {
  return Object.entries(PAGES).flatMap(([name, { icon }]) =>
    icon === undefined ? [] : [{ name, icon, text: words().pages[name as PageName] }],
  );
}

function Rail() {
  const app = useApp();
  const isSearching = useSignal(false);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      isSearching.value = true;
    };
    addEventListener('keydown', onKeyDown);
    // What is typed right after Ctrl-K must not be lost.
    void loadPalette();
    return () => removeEventListener('keydown', onKeyDown);
  }, []);
  const { page } = app.router.page.value;
  const current = page === '' ? 'overview' : page;
  const rail = useRef<HTMLElement>(null);
  // On a phone there is no room for all pages.
  useEffect(() => {
    rail.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [current]);
  const leave = async () => {
    try {
      await signOut(SESSION_PATH);
      app.gateway.leave();
    } catch {
      app.notice.value = { text: words().signIn.failed, isError: true };
    }
  };
  return (
    <>
      <nav ref={rail} class="rail" aria-label={words().pages.label}>
        <button onClick={() => (isSearching.value = true)}>
          <Icon name="search" />
          <span>{words().palette.open}</span>
          <kbd>{words().palette.keys}</kbd>
        </button>
        {railPages().map(({ name, icon, text }) => (
          <a key={name} href={addressOf(name)} aria-current={current === name ? 'page' : undefined}>
            <Icon name={icon} />
            <span>{text}</span>
          </a>
        ))}
        <button class="leave" onClick={() => void leave()}>
          <Icon name="unlinked" />
          <span>{words().signIn.signOut}</span>
        </button>
      </nav>
      {isSearching.value && <Palette pages={railPages()} onClose={() => (isSearching.value = false)} />}
    </>
  );
}

function Connection() {
  const app = useApp();
  const state = app.gateway.state.value;
  useEffect(() => {
    if (state.kind !== 'rejected' || state.code !== rejected.wait) return undefined;
    return realTiming.after(state.waitS * 1000, () => app.gateway.enter());
  }, [state]);
  if (state.kind === 'lost') {
    const time = formatTime(state.sinceMs + app.gateway.clockOffsetMs.peek(), app.gateway.model.timezone);
    return (
      <p class="banner" role="alert">
        {words().link.lost(time)}
      </p>
    );
  }
  if (state.kind === 'rejected')
    return (
      <p class="banner" role="alert">
        {state.code === rejected.host ? words().link.host : words().signIn.wait(state.waitS)}
      </p>
    );
  return null;
}

/** How long a success without a way to undo it is shown, ms. */
const NOTICE_MS = 8000;

/** The outcome of the last action. Errors, and what can be undone, stay until they are closed. */
function Notice() {
  const { notice } = useApp();
  const shown = notice.value;
  useEffect(() => {
    if (shown === undefined || shown.isError || shown.undo !== undefined) return undefined;
    return realTiming.after(NOTICE_MS, () => {
      if (notice.peek() === shown) notice.value = undefined;
    });
  }, [shown]);
  return (
    <p
      class={`notice ${shown?.isError === true ? 'bad' : ''}`}
      role={shown?.isError === true ? 'alert' : 'status'}
    >
      {shown !== undefined && <span>{shown.text}</span>}
      {shown?.undo !== undefined && (
        <button class="plain" onClick={shown.undo}>
          {words().undo}
        </button>
      )}
      {shown !== undefined && (
        <button class="control" aria-label={texts().close} onClick={() => (notice.value = undefined)}>
          <Icon name="close" />
        </button>
      )}
    </p>
  );
}
