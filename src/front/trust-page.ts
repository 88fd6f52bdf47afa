import { escapeHtml, type HtmlPage } from './html.js';
import { languageOf, pageHead, staticPage } from './static-page.js';
import { SYSTEMS, trustTexts } from './trust-texts.js';

/** Who reads the page. */
interface Reader {
  /** The `Accept-Language` header. */
  readonly languages: string;
  /** The `User-Agent` header: the steps for this system are open. */
  readonly agent: string;
}

/** How the listeners of this gateway are certified. */
interface TrustFacts {
  /** The gateway's own authority; undefined: it issues no certificates. */
  readonly authority: { readonly name: string; readonly fingerprint: string } | undefined;
  /** An address with TLS at which the page's host can be opened. */
  readonly secureUrl: string | undefined;
}

/** The page at `/tls`: how a device trusts the gateway. It can be read before the device does. */
export function trustPage({ authority, secureUrl }: TrustFacts, { languages, agent }: Reader): HtmlPage {
  const language = languageOf(languages);
  const text = trustTexts[language];
  const back = `<p class="more"><a href="/">${text.back}</a></p>`;
  const head = pageHead(text.title, text.lead);
  if (authority === undefined) {
    const why = secureUrl === undefined ? text.noTls : text.ownersCertificate;
    return staticPage({
      title: text.title,
      body: `${head}<article><p>${why}</p></article>${back}`,
      language,
    });
  }
  const steps = text.instructions.map(
    ({ system, name, steps: lines }) =>
      `<details${SYSTEMS[system].test(agent) ? ' open' : ''}><summary>${name}</summary><ol>${lines.map((line) => `<li><p>${line}</p></li>`).join('')}</ol></details>`,
  );
  const open =
    secureUrl === undefined
      ? ''
      : `<h2>${text.open}</h2><p>${text.openHow}</p><p><a class="button" href="${escapeHtml(secureUrl)}">${text.openLink}</a></p>`;
  const body = `${head}<article>
<p>${text.purpose}</p><p>${text.limit}</p>
<h2>${text.download}</h2>
<p><a class="button" href="/tls/ca.crt">${text.downloadLink}</a></p>
<p>${escapeHtml(authority.name)}. ${text.pem}</p>
<h2>${text.compare}</h2>
<p>${text.compareHow}</p>
<p><code class="print">${authority.fingerprint.replaceAll(':', ':<wbr>')}</code></p>
<h2>${text.install}</h2>
${steps.join('\n')}
${open}
</article>${back}`;
  return staticPage({ title: text.title, body, language });
}

/** Why a browser cannot open the gateway under a host name, and the address at which it can. */
export function rejectedHostPage(
  { name, address }: { readonly name: string; readonly address: string },
  { languages }: Pick<Reader, 'languages'>,
): HtmlPage {
  const language = languageOf(languages);
  const { wrongName } = trustTexts[language];
  const body = `${pageHead(wrongName.title, 'HOST_REFUSED')}<article>
<p>${escapeHtml(wrongName.text(name))}</p>
<p><a class="button" href="${escapeHtml(address)}">${wrongName.open}</a></p>
<p>${escapeHtml(wrongName.owner(name))}</p>
</article>`;
  return staticPage({ title: wrongName.title, body, language });
}
