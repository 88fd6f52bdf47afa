import { texts } from '../../web/i18n/i18n.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { allTiles, baseOf, isEmpty, sectionOf, type Section } from '../sections.js';
import { TileGrid } from '../tiles/grid.js';

/** The first page: favourites, what is on or open, and the rooms. */
export function HomePage() {
  const app = useApp();
  const { model } = app.gateway;
  const base = baseOf(model);
  const section = base === undefined ? undefined : sectionOf(model, base);
  const { home } = texts();
  if (section === undefined || isEmpty(section))
    return (
      <main>
        <h1>{app.facts.title}</h1>
        <p>{home.empty}</p>
        <p class="soft">{home.emptyHint}</p>
      </main>
    );
  const favourites = new Set(app.preferences.value.favourites);
  const chosen = allTiles(section).filter(({ object }) => favourites.has(object.id));
  return (
    <main>
      <h1>{app.facts.title}</h1>
      {chosen.length > 0 && (
        <section>
          <h2>{home.favourites}</h2>
          <TileGrid tiles={chosen} />
        </section>
      )}
      <TileGrid tiles={section.tiles} />
      {section.sections.length > 0 && (
        <section>
          <h2>{home.rooms}</h2>
          <ul class="rooms">
            {section.sections.map((room) => (
              <li key={room.named.id}>
                <RoomLink room={room} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  );
}

function RoomLink({ room }: { readonly room: Section }) {
  const app = useApp();
  const { name, icon } = room.named.entry.value;
  return (
    <a class="room" href={addressOf('room', room.node.id)}>
      <Icon name={icon || 'rooms'} files={`${app.base}icon/`} />
      <span>
        <strong>{name}</strong>
        <small>{texts().home.roomSummary(allTiles(room).length)}</small>
      </span>
    </a>
  );
}
