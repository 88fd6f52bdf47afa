import { editorFiles } from './assets.js';
import { escapeHtml, type HtmlPage } from './html.js';
import { languageOf, pageHead, staticPage } from './static-page.js';
import { programPage, type PageAddress } from './program-page.js';

/** A configurator as the pages show it. */
interface Card {
  readonly ID: number;
  readonly Title: string;
  readonly PasswordRequired: boolean;
}

const texts = {
  en: {
    lead: 'Gateway',
    front: 'Residents’ front',
    open: 'no password',
    console: 'Console',
    owner: 'for the owner',
    trust: 'How devices trust this gateway (TLS)',
    none: 'No residents’ front yet: the owner adds one under configurators in the configuration.',
  },
  de: {
    lead: 'Gateway',
    front: 'Oberfläche für Bewohner',
    open: 'ohne Passwort',
    console: 'Konsole',
    owner: 'für den Besitzer',
    trust: 'Wie Geräte diesem Gateway vertrauen (TLS)',
    none: 'Noch keine Oberfläche für Bewohner: Der Besitzer fügt sie in der Konfiguration unter configurators hinzu.',
  },
} as const;

/** The page at `/`: the fronts and the console. `languages`: the `Accept-Language` header. */
export function startPage(configurators: readonly Card[], languages: string): HtmlPage {
  const language = languageOf(languages);
  const text = texts[language];
  const card = (href: string, title: string, below: string) =>
    `<li><a href="${href}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(below)}</span></a></li>`;
  const fronts = configurators.map(({ ID, Title, PasswordRequired }) =>
    card(`/wfc/${ID}/`, Title, PasswordRequired ? text.front : `${text.front}, ${text.open}`),
  );
  const list = `<ul>${fronts.join('')}${card('/console/', text.console, text.owner)}</ul>`;
  const hint = fronts.length > 0 ? '' : `<p>${escapeHtml(text.none)}</p>`;
  const trust = `<p class="more"><a href="/tls">${escapeHtml(text.trust)}</a></p>`;
  const body = `${pageHead('stellwerk', text.lead)}${list}${hint}${trust}`;
  return staticPage({ title: 'stellwerk', body, language });
}

/** The page at `/wfc/<id>/`: the residents' front. */
export function frontPage({ ID, Title, PasswordRequired }: Card, address: PageAddress): Promise<HtmlPage> {
  const facts = { id: ID, title: Title, passwordRequired: PasswordRequired };
  return programPage({ program: 'resident', title: Title, facts, base: `/wfc/${ID}/` }, address);
}

/** The page at `/console/`: the owner's console, or the claim of a gateway whose owner has no password yet. */
export async function consolePage(isUnclaimed: boolean, address: PageAddress): Promise<HtmlPage> {
  const facts = { isUnclaimed, ...(await editorFiles()) };
  return programPage({ program: 'console', title: 'stellwerk', facts, base: '/console/' }, address);
}
