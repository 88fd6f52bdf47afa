import { createHash, X509Certificate } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { Test } from 'tap';

/** Debian's browser; another one by the environment. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
/**
 * The same version without windows, warnings and notifications around its pages: it takes a fourth less time.
 */
const SHELL = '/usr/bin/chromium-headless-shell';

/** Why tests with a browser are skipped; false where there is one. */
export const noBrowser = existsSync(CHROMIUM) ? false : `there is no ${CHROMIUM} (package chromium)`;

interface BrowserOptions {
  /** A certificate (PEM) that the browser trusts, as the authority of a server. */
  readonly trusts?: string;
  /** Whether Debian's chromium-headless-shell will do, if it is installed. */
  readonly isShell?: boolean;
}

/** The digest of a certificate's key, as Chromium expects it. */
function keyDigest(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' });
  return createHash('sha256').update(key).digest('base64');
}

/** chromium-headless-shell for all tests of a file, one after the other. */
let shell: Promise<Browser> | undefined;

/**
 * A headless browser, as root, by default chromium-headless-shell; its contexts end with the test. Without
 * options, the tests of a file share one, because a start costs as much as a short test.
 */
export async function startBrowser(t: Test, options?: BrowserOptions): Promise<Browser> {
  if (options !== undefined) {
    const own = await launchBrowser({ isShell: true, ...options });
    t.teardown(() => own.close());
    return own;
  }
  const isNew = shell === undefined;
  const running = await shell?.catch(() => undefined);
  if (running?.isConnected() !== true) shell = launchBrowser({ isShell: true });
  if (isNew) await closeWithFile();
  const browser = await (shell as Promise<Browser>);
  const others = new Set(browser.contexts());
  t.teardown(() =>
    Promise.all(browser.contexts().flatMap((context) => (others.has(context) ? [] : [context.close()]))),
  );
  return browser;
}

/** Closes the shared browser at the end of the file. Only a test loads tap, which limits the time of a program. */
async function closeWithFile(): Promise<void> {
  const { t: file } = await import('tap');
  file.teardown(async () => {
    const started = await shell?.catch(() => undefined);
    shell = undefined;
    await started?.close();
  });
}

/** As {@link startBrowser}, for programs; they close it. */
export function launchBrowser({ trusts, isShell = false }: BrowserOptions = {}): Promise<Browser> {
  const args = ['--no-sandbox'];
  // As if the certificate was installed: without it, and with its warning dismissed, a browser has no worker.
  if (trusts !== undefined) args.push(`--ignore-certificate-errors-spki-list=${keyDigest(trusts)}`);
  const hasShell = isShell && process.env['CHROMIUM'] === undefined && existsSync(SHELL);
  return chromium.launch({ executablePath: hasShell ? SHELL : CHROMIUM, args });
}

/** How a page is opened. */
export interface PageOptions {
  readonly width?: number;
  readonly height?: number;
  readonly scheme?: 'light' | 'dark';
  readonly locale?: string;
  /** Whether the page may register its service worker; default: not. */
  readonly hasWorker?: boolean;
  /** Opens the page despite an untrusted certificate, as a user may. */
  readonly dismissesWarning?: boolean;
  /** A touch screen: no pointer that hovers. */
  readonly isTouched?: boolean;
  /** The colours of the system replace those of the page. */
  readonly forcedColors?: boolean;
}

/** A page, and everything that went wrong on it: errors of scripts, of the policy, and foreign requests. */
export interface WatchedPage {
  readonly page: Page;
  readonly problems: readonly string[];
}

/** Opens an address in a context of its own: no cookies or preferences of other pages. */
export async function openPage(
  browser: Browser,
  address: string,
  options: PageOptions = {},
): Promise<WatchedPage> {
  const { width = 390, height = 844, scheme = 'light', locale = 'en-GB' } = options;
  const { isTouched = false, forcedColors = false, hasWorker = false, dismissesWarning = false } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: scheme,
    locale,
    serviceWorkers: hasWorker ? 'allow' : 'block',
    hasTouch: isTouched,
    isMobile: isTouched,
    forcedColors: forcedColors ? 'active' : 'none',
  });
  const page = await context.newPage();
  const problems: string[] = [];
  const { origin } = new URL(address);
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => {
    // A status that is not 200 is a part of signing in.
    if (message.type() === 'error' && !/status of 401|net::ERR_|WebSocket/.test(message.text()))
      problems.push(message.text());
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:') && !url.startsWith('blob:'))
      problems.push(`requested ${url}`);
  });
  if (dismissesWarning) await dismissWarning(page, address);
  else await page.goto(address);
  return { page, problems };
}

/**
 * Opens an address despite the browser's warning, as a user does. With Playwright's `ignoreHTTPSErrors` the
 * certificate would count as trusted.
 */
async function dismissWarning(page: Page, address: string): Promise<void> {
  const isTrusted = await page.goto(address).then(
    () => true,
    () => false,
  );
  if (isTrusted) throw new Error('the browser shows no warning');
  await page.waitForFunction("location.protocol === 'chrome-error:' && document.readyState === 'complete'");
  await page.keyboard.type('thisisunsafe');
  // The server may redirect; what is on the page is for the test to wait for.
  await page.waitForURL(`${address}**`, { waitUntil: 'commit' });
}

/** Stops the clock of a page: what happens from now on happens without its timers. */
export async function stopClock(page: Page): Promise<void> {
  // The clock must not pass this moment before it stops.
  await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 5000);
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
// None of these rules reads the style sheets, which axe would copy for each run.
const AXE_RUN = `axe.run(document, {
    runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
    resultTypes: ['violations'],
    preload: { assets: ['media'] },
  })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ': ' + failureSummary)))`;

/** What axe finds on the page: WCAG 2.2 AA and its best practices. */
export async function axeFindings(page: Page): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in globalThis"))) await page.evaluate(axeSource);
  return page.evaluate<string[]>(AXE_RUN);
}
