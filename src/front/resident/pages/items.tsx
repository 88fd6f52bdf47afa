import { texts } from '../../web/i18n/i18n.js';
import type { Model } from '../../web/model.js';
import { objectAt } from '../../web/object-reference.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import type { ItemPage } from '../items.js';
import { baseOf } from '../sections.js';
import { tilesOf } from '../tiles/kinds.js';
import { TileGrid } from '../tiles/grid.js';
import { MissingPage, PageHead } from './page-head.js';

/** A page that the owner defined with items. */
export function ItemsPage({ id }: { readonly id: string }) {
  const page = useApp().pages.value.find((one) => one.id === id);
  if (page === undefined) return <MissingPage />;
  return (
    <main>
      <PageHead title={page.title} />
      <PageSections page={page} />
    </main>
  );
}

/** The first of such pages, and the list of the others. */
export function OwnerPages() {
  const app = useApp();
  const [first, ...others] = app.pages.value;
  return (
    <>
      {first !== undefined && <PageSections page={first} />}
      {others.length > 0 && (
        <section>
          <h2>{texts().home.rooms}</h2>
          <ul class="rooms">
            {others.map(({ id, title, icon }) => (
              <li key={id}>
                <a class="room" href={addressOf('page', id)}>
                  <Icon name={icon || 'rooms'} files={`${app.base}icon/`} />
                  <strong>{title}</strong>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** The sections of such a page. */
function PageSections({ page }: { readonly page: ItemPage }) {
  const { model } = useApp().gateway;
  return (
    <>
      {sectionsOfPage(model, page).map(({ id, title, tiles }) => (
        <section key={id}>
          {title !== '' && <h2>{title}</h2>}
          <TileGrid tiles={tiles} />
        </section>
      ))}
    </>
  );
}

/** The tiles of a page that the owner defined, a list per section; missing objects are left out. */
function sectionsOfPage(model: Model, { sections }: ItemPage) {
  return sections.map(({ id, title, tiles }) => ({
    id,
    title,
    tiles: tiles.flatMap((item) => {
      const node = objectAt(model, baseOf(model), item.object);
      return node === undefined
        ? []
        : tilesOf(model, node).map((tile) => ({
            ...tile,
            ...item,
            key: `${id}.${tile.key}`,
            object: tile.object,
          }));
    }),
  }));
}
