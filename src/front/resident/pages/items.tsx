import type { Model } from '../../web/model.js';
import { objectAt } from '../../web/object-reference.js';
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

/** The sections of such a page. */
export function PageSections({ page }: { readonly page: ItemPage }) {
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
