import { createHash } from 'node:crypto';
import { escapeHtml, type HtmlPage } from './html.js';

const STYLE = `
:root{color-scheme:light dark;--back:#eef1f4;--card:#fff;--text:#15202b;--soft:#51606e;--line:#d5dde5;--mark:#1f6f8b}
@media(prefers-color-scheme:dark){:root{--back:#12181e;--card:#1b242d;--text:#e8eef4;--soft:#9fb0c0;--line:#2c3945;--mark:#5cb6d4}}
*{box-sizing:border-box}
body{margin:0;min-height:100vh;background:var(--back);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:46rem;margin:0 auto;padding:3rem 1.25rem}
header{display:flex;align-items:center;gap:.9rem;margin-bottom:2rem}
header svg{width:2.6rem;height:2.6rem;flex:none;color:var(--mark)}
h1{font-size:1.5rem;line-height:1.2;margin:0;font-weight:650}
p{margin:.35rem 0;color:var(--soft)}
ul{list-style:none;margin:0;padding:0;display:grid;gap:.9rem;grid-template-columns:repeat(auto-fill,minmax(13rem,1fr))}
ul a{display:block;padding:1.1rem 1.2rem;background:var(--card);border:1px solid var(--line);border-radius:.8rem;color:inherit;text-decoration:none}
ul a:hover,ul a:focus-visible{border-color:var(--mark);outline:2px solid var(--mark);outline-offset:1px}
ul strong{display:block;overflow-wrap:anywhere}
ul span{color:var(--soft);font-size:.875rem}
code{background:var(--card);border:1px solid var(--line);border-radius:.35rem;padding:.1rem .35rem;overflow-wrap:anywhere}
a{color:var(--mark)}
.more{margin-top:1.5rem}
.more a{display:inline-flex;align-items:center;min-height:2.75rem}
h2{font-size:1.125rem;margin:2rem 0 .5rem}
article{overflow-wrap:anywhere}
article p{color:var(--text)}
article ol{margin:.35rem 0;padding-left:1.4rem}
article li{margin:.25rem 0}
details{background:var(--card);border:1px solid var(--line);border-radius:.8rem;margin:.5rem 0;padding:0 1rem}
details[open]{padding-bottom:.75rem}
summary{padding:.65rem 0;cursor:pointer;font-weight:550}
summary:focus-visible,.button:focus-visible{outline:2px solid var(--mark);outline-offset:2px}
.button{display:inline-flex;align-items:center;min-height:2.75rem;padding:.5rem 1.1rem;border-radius:.75rem;background:#1a627b;color:#fff;text-decoration:none}
.print{font:.9375rem/1.6 ui-monospace,monospace;display:block;padding:.5rem .75rem}
`;

/** A signal at clear. */
const SIGN = `<svg viewBox="0 0 40 40" fill="none" stroke="currentColor" stroke-width="3" stroke-linecap="round" aria-hidden="true"><path d="M12 37V7M6 37h12"/><path d="M12 9l21-5"/><circle cx="12" cy="16" r="3.5" fill="currentColor"/></svg>`;

/** The languages of the pages. */
type PageLanguage = 'de' | 'en';

/** The language of a page for an `Accept-Language` header. */
export function languageOf(languages: string): PageLanguage {
  return /^\s*de\b/i.test(languages) ? 'de' : 'en';
}

/** The head of a page: the sign, its title, and a line of text. */
export function pageHead(title: string, below: string): string {
  return `<header>${SIGN}<div><h1>${escapeHtml(title)}</h1><p>${escapeHtml(below)}</p></div></header>`;
}

interface StaticPage {
  readonly title: string;
  /** HTML. */
  readonly body: string;
  readonly language: PageLanguage;
}

/** A page without scripts, and its policy. */
export function staticPage({ title, body, language }: StaticPage): HtmlPage {
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
