import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';

/** The title of a page below the first one, and the way back to it. */
export function PageHead({ title }: { readonly title: string }) {
  return (
    <header class="room-head">
      <a class="control" href={addressOf('')} aria-label={texts().back}>
        <Icon name="back" />
      </a>
      <h1>{title}</h1>
    </header>
  );
}

/** The object of this address is not in the area, or no longer. */
export function MissingPage() {
  return (
    <main>
      <PageHead title={texts().gone} />
    </main>
  );
}
