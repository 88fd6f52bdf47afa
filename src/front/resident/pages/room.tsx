import { useApp } from '../app.js';
import { sectionOf, type Section } from '../sections.js';
import { TileGrid } from '../tiles/grid.js';
import { MissingPage, PageHead } from './page-head.js';

/** A room: its tiles, and a section for each category inside it. */
export function RoomPage({ id }: { readonly id: number }) {
  const { model } = useApp().gateway;
  void model.structure.value;
  const node = model.find(id);
  if (node === undefined) return <MissingPage />;
  const section = sectionOf(model, node);
  return (
    <main>
      <PageHead title={node.name} />
      <TileGrid tiles={section.tiles} />
      {section.sections.map((inner) => (
        <InnerSection key={inner.named.id} section={inner} />
      ))}
    </main>
  );
}

function InnerSection({ section }: { readonly section: Section }) {
  return (
    <section>
      <h2>{section.named.name}</h2>
      <TileGrid tiles={section.tiles} />
      {section.sections.map((inner) => (
        <InnerSection key={inner.named.id} section={inner} />
      ))}
    </section>
  );
}
