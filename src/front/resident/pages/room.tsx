import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { sectionOf, type Section } from '../sections.js';
import { TileGrid } from '../tiles/grid.js';
import { HomePage } from './home.js';

/** A room: its tiles, and a section for each category inside it. */
export function RoomPage({ id }: { readonly id: number }) {
  const { model } = useApp().gateway;
  void model.structure.value;
  const node = model.find(id);
  if (node === undefined) return <HomePage />;
  const section = sectionOf(model, node);
  return (
    <main>
      <header class="room-head">
        <BackLink />
        <h1>{node.entry.value.name}</h1>
      </header>
      <TileGrid tiles={section.tiles} />
      {section.sections.map((inner) => (
        <InnerSection key={inner.named.id} section={inner} />
      ))}
    </main>
  );
}

/** To the first page. */
export function BackLink() {
  return (
    <a class="control" href={addressOf('')} aria-label={texts().back}>
      <Icon name="back" />
    </a>
  );
}

function InnerSection({ section }: { readonly section: Section }) {
  return (
    <section>
      <h2>{section.named.entry.value.name}</h2>
      <TileGrid tiles={section.tiles} />
      {section.sections.map((inner) => (
        <InnerSection key={inner.named.id} section={inner} />
      ))}
    </section>
  );
}
