import { programFiles } from './assets.js';
import { escapeHtml, type HtmlPage } from './html.js';
import { THEME_COLOURS } from './web-manifest.js';

/** A page that only loads a program. */
interface ProgramPage {
  /** A program of the build: `resident`, `console`. */
  readonly program: string;
  readonly title: string;
  /** What the program must know before it connects, readable by everyone who reaches the page. */
  readonly facts: object;
  /** The path of the page, where its web manifest and its service worker are. */
  readonly base: string;
}

/**
 * The address that the page was requested from: its policy names the WebSocket's address, which 'self' does
 * not cover everywhere.
 */
export interface PageAddress {
  /** The `Host` header, which the listener has checked. */
  readonly host: string;
  readonly isTls: boolean;
}

/** The page of a program, without any inline script or style, and its policy. */
export async function programPage(page: ProgramPage, address: PageAddress): Promise<HtmlPage> {
  const { script, style, chunks } = await programFiles(page.program);
  const preloads = chunks.map((chunk) => `<link rel="modulepreload" href="/front/${chunk}">`);
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="stellwerk" content="${escapeHtml(JSON.stringify(page.facts))}">
<title>${escapeHtml(page.title)}</title>
<link rel="icon" href="/front/icon.svg" type="image/svg+xml">
<link rel="apple-touch-icon" href="/front/icon-180.png">
<meta name="theme-color" content="${THEME_COLOURS.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${THEME_COLOURS.dark}" media="(prefers-color-scheme: dark)">
<link rel="stylesheet" href="/front/${style}">
<link rel="manifest" href="${page.base}manifest.webmanifest">
${preloads.join('\n')}
<script type="module" src="/front/${script}"></script>
</head>
<body>
<div id="page"></div>
<noscript>This page needs JavaScript. / Diese Seite braucht JavaScript.</noscript>
</body>
</html>
`;
  return { html, policy: policyOf(address) };
}

function policyOf({ host, isTls }: PageAddress): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' blob:",
    "media-src 'self'",
    `connect-src 'self' ${isTls ? 'wss' : 'ws'}://${host}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
    "require-trusted-types-for 'script'",
  ].join('; ');
}
