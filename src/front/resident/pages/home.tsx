import { computed, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { every } from '../../web/every.js';
import { texts } from '../../web/i18n/i18n.js';
import { HoldButton } from '../../web/parts/hold.js';
import { lazy } from '../../web/parts/lazy.js';
import { Icon } from '../../web/parts/icon.js';
import { addressOf } from '../../web/router.js';
import { useApp } from '../app.js';
import { allTiles, baseOf, isActive, isEmpty, sectionOf, type Section } from '../sections.js';
import { TileGrid } from '../tiles/grid.js';
import type { Tile } from '../tiles/kinds.js';

const OwnerPages = lazy(async () => (await import('./items.js')).OwnerPages, true);

/** How long the title must be held to leave the kiosk, ms. */
const LEAVE_MS = 3000;
/** How long a tile stays in the list of what is active when it is not any more, ms. */
const KEPT_MS = 5000;

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
        <Title />
        <p>{home.empty}</p>
        <p class="soft">{home.emptyHint}</p>
      </main>
    );
  const tiles = withoutRepeats(allTiles(section));
  return (
    <main>
      <Title />
      <Favourites tiles={tiles} />
      <Active tiles={tiles} />
      {app.pages.value.length === 0 ? <Rooms section={section} /> : <OwnerPages />}
    </main>
  );
}

/** In a kiosk, the title is the way out. */
function Title() {
  const app = useApp();
  const { title } = app.facts;
  if (!app.preferences.value.isKiosk) return <h1>{title}</h1>;
  return (
    <h1>
      <HoldButton
        class="title"
        aria-description={texts().home.leaveKiosk}
        holdMs={LEAVE_MS}
        onDone={() => app.preferences.change({ isKiosk: false })}
      >
        {(hint) => (hint === undefined ? title : texts().home.leaveKiosk)}
      </HoldButton>
    </h1>
  );
}

function Favourites({ tiles }: { readonly tiles: readonly Tile[] }) {
  const { favourites } = useApp().preferences.value;
  // A favourite device has all its tiles, however many there are by now.
  const chosen = withoutRepeats(
    favourites.flatMap((id) => tiles.filter(({ named, object }) => object.id === id || named.id === id)),
  );
  return chosen.length === 0 ? null : (
    <section>
      <h2>{texts().home.favourites}</h2>
      <TileGrid tiles={chosen} />
    </section>
  );
}

/** Rendered again only when a tile becomes active, or some time after it was. */
function Active({ tiles }: { readonly tiles: readonly Tile[] }) {
  const { model } = useApp().gateway;
  const { home } = texts();
  const keys = useMemo(
    () =>
      computed(() =>
        tiles
          .filter((tile) => isActive(model, tile))
          .map(({ key }) => key)
          .join(' '),
      ),
    [tiles],
  );
  const active = keys.value.split(' ');
  // A tile that vanished under a finger would leave its place, and a second tap, to the next one.
  const kept = useSignal(new Set<string>());
  const keptKeys = kept.value;
  for (const key of active) keptKeys.add(key);
  const shown = tiles.filter(({ key }) => keptKeys.has(key));
  const section = useRef<HTMLElement>(null);
  const isPointed = useRef(false);
  useEffect(
    () =>
      every(KEPT_MS, () => {
        if (
          kept.peek().size > active.length &&
          !isPointed.current &&
          !section.current?.querySelector(':focus-visible')
        )
          kept.value = new Set();
      }),
    [keys.value],
  );
  return (
    <section
      ref={section}
      onPointerEnter={() => (isPointed.current = true)}
      onPointerLeave={() => (isPointed.current = false)}
    >
      <h2>{home.active}</h2>
      {shown.length === 0 ? <p class="soft">{home.quiet}</p> : <TileGrid tiles={shown} />}
    </section>
  );
}

function Rooms({ section }: { readonly section: Section }) {
  const app = useApp();
  const { home } = texts();
  return (
    <>
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
      {section.tiles.length > 0 && (
        <section>
          <h2>{section.named.name || app.facts.title}</h2>
          <TileGrid tiles={section.tiles} />
        </section>
      )}
    </>
  );
}

function RoomLink({ room }: { readonly room: Section }) {
  const app = useApp();
  const { name } = room.named;
  const { icon } = room.named.entry.value;
  const tiles = withoutRepeats(allTiles(room));
  return (
    <a class="room" href={addressOf('room', room.node.id)}>
      <Icon name={icon || room.node.entry.value.icon || 'rooms'} files={`${app.base}icon/`} />
      <span>
        <strong>{name}</strong>
        <RoomSummary tiles={tiles} />
      </span>
    </a>
  );
}

function RoomSummary({ tiles }: { readonly tiles: readonly Tile[] }) {
  const { model } = useApp().gateway;
  const { home } = texts();
  // `useComputed` would keep the result of earlier tiles until the value of one of them changes.
  const count = useMemo(
    () => computed(() => tiles.filter((tile) => isActive(model, tile)).length),
    [tiles],
  ).value;
  const summary = home.roomSummary(tiles.length);
  return <small>{count === 0 ? summary : `${summary} · ${home.activeCount(count)}`}</small>;
}

/** Links lead to the same object: it is shown once. */
function withoutRepeats(tiles: readonly Tile[]): Tile[] {
  const known = new Set<number>();
  return tiles.filter(({ object, variable }) => {
    const { id } = variable ?? object;
    return !known.has(id) && known.add(id);
  });
}
