import { createHash } from 'node:crypto';
import { escapeHtml, type HtmlPage } from './html.js';
import { programPage, type PageAddress } from './program-page.js';

/** A configurator as the pages show it. */
interface Card {
  readonly ID: number;
  readonly Title: string;
  readonly PasswordRequired: boolean;
}

const STYLE = `
:root{color-scheme:light dark;--back:#eef1f4;--card:#fff;--text:#1b2733;--soft:#5b6b7b;--line:#d5dde5;--mark:#1f6f8b}
@media(prefers-color-scheme:dark){:root{--back:#12181e;--card:#1b242d;--text:#e8eef4;--soft:#93a3b3;--line:#2c3945;--mark:#5cb6d4}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:3rem 1.25rem}
header{display:flex;align-items:center;gap:.9rem;margin-bottom:2rem}
header svg{width:2.6rem;height:2.6rem;flex:none;color:var(--mark)}
h1{font-size:1.5rem;line-height:1.2;margin:0;font-weight:650}
p{margin:.35rem 0;color:var(--soft)}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.9rem;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr))}
li a{display:block;padding:1.1rem 1.2rem;background:var(--card);border:1px solid var(--line);border-radius:.8rem;color:inherit;text-decoration:none}
li a:hover,li a:focus-visible{border-color:var(--mark);outline:2px solid var(--mark);outline-offset:1px}
li strong{display:block;overflow-wrap:anywhere}
li span{color:var(--soft);font-size:.875rem}
code{background:var(--card);border:1px solid var(--line);border-radius:.35rem;padding:.1rem .35rem;overflow-wrap:anywhere}
a{color:var(--mark)}
`;

/** A signal at clear. */
const SIGN = `<svg viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" aria-hidden="true"><path d="M12 37V7M6 37h12"/><path d="M12 9l21-5"/><circle cx="12" cy="16" r="3.5" fill="currentColor"/></svg>`;

const texts = {
  en: {
    lead: 'Gateway',
    front: 'Residents’ front',
    open: 'no password',
    console: 'Console',
    owner: 'for the owner',
    none: 'No residents’ front yet: the owner adds one under configurators in the configuration.',
  },
  de: {
    lead: 'Gateway',
    front: 'Oberfläche für Bewohner',
    open: 'ohne Passwort',
    console: 'Konsole',
    owner: 'für den Besitzer',
    none: 'Noch keine Oberfläche für Bewohner: Der Besitzer fügt sie in der Konfiguration unter configurators hinzu.',
  },
} as const;

/** The page at `/`: the fronts and the console. `languages`: the `Accept-Language` header. */
export function startPage(configurators: readonly Card[], languages: string): HtmlPage {
  const language = /^\s*de\b/i.test(languages) ? 'de' : 'en';
  const text = texts[language];
  const card = (href: string, title: string, below: string) =>
    `<li><a href="${href}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(below)}</span></a></li>`;
  const fronts = configurators.map(({ ID, Title, PasswordRequired }) =>
    card(`/wfc/${ID}/`, Title, PasswordRequired ? text.front : `${text.front}, ${text.open}`),
  );
  const list = `<ul>${fronts.join('')}${card('/console/', text.console, text.owner)}</ul>`;
  const hint = fronts.length > 0 ? '' : `<p>${escapeHtml(text.none)}</p>`;
  return page('stellwerk', `${head('stellwerk', text.lead)}${list}${hint}`, language);
}

/** The page at `/wfc/<id>/`: the residents' front. */
export function frontPage({ ID, Title, PasswordRequired }: Card, address: PageAddress): Promise<HtmlPage> {
  const facts = { id: ID, title: Title, passwordRequired: PasswordRequired };
  return programPage({ program: 'resident', title: Title, facts }, address);
}

/** The page at `/console/`: the owner's console. */
export function consolePage(address: PageAddress): Promise<HtmlPage> {
  return programPage({ program: 'console', title: 'stellwerk', facts: {} }, address);
}

function head(title: string, below: string): string {
  return `<header>${SIGN}<div><h1>${escapeHtml(title)}</h1><p>${escapeHtml(below)}</p></div></header>`;
}

function page(title: string, body: string, language: string): HtmlPage {
  const hash = createHash('sha256').update(STYLE).digest('base64');
  return {
    html: `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`,
    policy: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'`,
  };
}
