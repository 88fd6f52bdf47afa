import { editorFiles } from './assets.js';
import { escapeHtml, type HtmlPage } from './html.js';
import { languageOf, pageHead, staticPage } from './static-page.js';
import { programPage, type PageAddress } from './program-page.js';

/** What the configuration says about all pages. */
export interface GatewayLook {
  readonly name?: string | undefined;
  /** The language of devices on which none was chosen; undefined: the browser's. */
  readonly language?: string | undefined;
}

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
    none: 'No residents’ front yet: the owner adds an area in the console, under System › Passwords.',
  },
  de: {
    lead: 'Gateway',
    front: 'Oberfläche für Bewohner',
    open: 'ohne Passwort',
    console: 'Konsole',
    owner: 'für den Besitzer',
    trust: 'Wie Geräte diesem Gateway vertrauen (TLS)',
    none: 'Noch keine Oberfläche für Bewohner: Der Besitzer fügt in der Konsole unter System › Passwörter einen Bereich hinzu.',
  },
} as const;

/** The page at `/`: the fronts and the console. `languages`: the `Accept-Language` header. */
export function startPage(
  configurators: readonly Card[],
  languages: string,
  { name = 'stellwerk', language: preferred = languages }: GatewayLook,
): HtmlPage {
  const language = languageOf(preferred);
  const text = texts[language];
  const card = (href: string, title: string, below: string) =>
    `<li><a href="${href}"><strong>${escapeHtml(title)}</strong><span>${escapeHtml(below)}</span></a></li>`;
  const fronts = configurators.map(({ ID, Title, PasswordRequired }) =>
    card(`/wfc/${ID}/`, Title, PasswordRequired ? text.front : `${text.front}, ${text.open}`),
  );
  const list = `<ul>${fronts.join('')}${card('/console/', text.console, text.owner)}</ul>`;
  const hint = fronts.length > 0 ? '' : `<p>${escapeHtml(text.none)}</p>`;
  const trust = `<p class="more"><a href="/tls">${escapeHtml(text.trust)}</a></p>`;
  const body = `${pageHead(name, text.lead)}${list}${hint}${trust}`;
  return staticPage({ title: name, body, language });
}

/** The page at `/wfc/<id>/`: the residents' front. */
export function frontPage(
  { ID, Title, PasswordRequired }: Card,
  address: PageAddress,
  { language }: GatewayLook,
): Promise<HtmlPage> {
  const facts = { id: ID, title: Title, passwordRequired: PasswordRequired, language };
  return programPage({ program: 'resident', title: Title, facts, base: `/wfc/${ID}/` }, address);
}

/** The page at `/console/`: the owner's console, or the claim of a gateway whose owner has no password yet. */
export async function consolePage(
  isUnclaimed: boolean,
  address: PageAddress,
  { name, language }: GatewayLook,
): Promise<HtmlPage> {
  const facts = { isUnclaimed, name, language, ...(await editorFiles()) };
  return programPage({ program: 'console', title: name ?? 'stellwerk', facts, base: '/console/' }, address);
}
