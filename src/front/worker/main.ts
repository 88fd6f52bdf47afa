/**
 * The service worker of a program: it keeps the page and its files, so that the program opens without the
 * gateway, and it shows messages that are pushed. Values never come from it. It exists only where TLS is
 * trusted.
 */

/** The files of the program's first view; the build writes them here. */
declare const FILES: readonly string[];
/** Identifies the build. */
declare const VERSION: string;

/** A message as the gateway pushes it. */
interface PushedMessage {
  readonly title: string;
  readonly body: string;
  /** What to open, relative to the page. */
  readonly open: string;
}

// The type of a worker of any kind: only this kind has the events below.
const worker = self as unknown as ServiceWorkerGlobalScope;
const { scope } = worker.registration;
/** The files of this build for this page; pages of one server share their caches. */
const PREFIX = `shell ${scope} `;
const CACHE = PREFIX + VERSION;
/** A page without an answer from the network is opened from the cache after this time, ms. */
const PAGE_MS = 4000;
/** Time limit for a page to confirm that it is connected, ms. */
const CONNECTED_MS = 1000;
/** Names with a hash of the content never change it. */
const ASSET = /^\/front\/[\w.-]+-[A-Z0-9]{8}\.\w+$/;

async function keepFiles(): Promise<void> {
  const cache = await caches.open(CACHE);
  await cache.addAll([new Request(scope, { cache: 'reload' }), ...FILES.map((name) => `/front/${name}`)]);
}

async function removeOlderBuilds(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith(PREFIX) && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
}

/** The page from the gateway, which may be newer; from the cache if the gateway cannot be reached. */
async function openPage(request: Request): Promise<Response> {
  try {
    // Browsers before 2022 have no such signal.
    const signal = 'timeout' in AbortSignal ? AbortSignal.timeout(PAGE_MS) : null;
    return await fetch(request, { signal });
  } catch {
    return (await caches.match(scope, { cacheName: CACHE })) ?? Response.error();
  }
}

async function openAsset(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const kept = await cache.match(request);
  if (kept !== undefined) return kept;
  const response = await fetch(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
}

/** Whether a page confirms that it is connected. */
function isConnected(page: WindowClient): Promise<boolean> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => resolve(true);
    page.postMessage('connected', [port2]);
    // Browsers before 2022 have no such signal: there, the worker shows the message as well.
    if (!('timeout' in AbortSignal)) return resolve(false);
    AbortSignal.timeout(CONNECTED_MS).addEventListener('abort', () => resolve(false));
  });
}

async function showMessage(message: PushedMessage): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const visible = windows.filter(
    ({ url, visibilityState }) => url.startsWith(scope) && visibilityState === 'visible',
  );
  // A page that somebody sees shows the message itself, if it is connected.
  if ((await Promise.all(visible.map(isConnected))).includes(true)) return;
  await worker.registration.showNotification(message.title, {
    body: message.body,
    icon: '/front/icon-192.png',
    badge: '/front/badge-96.png',
    data: message.open,
  });
}

async function openFront(place: string): Promise<void> {
  const address = new URL(place, scope).href;
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
  const present = windows.find(({ url }) => url.startsWith(scope));
  if (present === undefined) return void (await worker.clients.openWindow(address));
  await present.focus();
  await present.navigate(address);
}

worker.addEventListener('install', (event) => event.waitUntil(keepFiles()));
// Only pages that are claimed can be led to an address.
worker.addEventListener('activate', (event) =>
  event.waitUntil(Promise.all([removeOlderBuilds(), worker.clients.claim()])),
);
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== worker.location.origin) return;
  if (request.mode === 'navigate' && pathname === new URL(scope).pathname)
    event.respondWith(openPage(request));
  else if (ASSET.test(pathname)) event.respondWith(openAsset(request));
});
worker.addEventListener('push', (event) => {
  const message = event.data?.json() as PushedMessage | undefined;
  if (message !== undefined) event.waitUntil(showMessage(message));
});
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(openFront(String(event.notification.data)));
});
