import { useApp } from '../app.js';
import type { ItemPage } from '../items.js';
import { sectionsOfPage } from '../sections.js';
import { TileGrid } from '../tiles/grid.js';
import { BackLink } from './room.js';
import { HomePage } from './home.js';

/** A page that the owner defined with items. */
export function ItemsPage({ id }: { readonly id: string }) {
  const page = useApp().pages.value.find((one) => one.id === id);
  if (page === undefined) return <HomePage />;
  return (
    <main>
      <header class="room-head">
        <BackLink />
        <h1>{page.title}</h1>
      </header>
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
