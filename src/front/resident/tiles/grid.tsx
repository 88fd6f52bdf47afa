import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { realTiming } from '../../../client/timing.js';
import { isWide, type Tile } from './kinds.js';
import type * as RovingFocus from './roving-focus.js';
import { TileView } from './tile.js';

/** Tiles that are mounted first, and then in each idle period. */
const FIRST = 40;
const NEXT = 60;
/** With more tiles only those near the viewport are mounted. */
const MAX_MOUNTED = 200;

/** Tiles of equal height in columns; those with a row of controls follow in wider columns. */
export function TileGrid({ tiles }: { readonly tiles: readonly Tile[] }) {
  const narrow = tiles.filter((tile) => !isWide(tile));
  const wide = tiles.filter(isWide);
  return (
    <>
      {narrow.length > 0 && <Grid tiles={narrow} kind="tiles" />}
      {wide.length > 0 && <Grid tiles={wide} kind="tiles wide-tiles" />}
    </>
  );
}

function Grid({ tiles, kind }: { readonly tiles: readonly Tile[]; readonly kind: string }) {
  const list = useRef<HTMLUListElement>(null);
  const isWindowed = tiles.length > MAX_MOUNTED;
  const mounted = useMounted(isWindowed ? FIRST : tiles.length);
  const near = useNear(list, isWindowed);
  const isRoving = kind === 'tiles';
  const roving = useRef<typeof RovingFocus>(null);
  useEffect(() => {
    const grid = list.current;
    if (isRoving && grid !== null)
      void import('./roving-focus.js').then((loaded) => {
        roving.current = loaded;
        loaded.setTabStop(grid);
      });
  });
  return (
    <ul
      ref={list}
      class={kind}
      onKeyDown={(event) => {
        const grid = event.currentTarget;
        if (isRoving && /^(?:Arrow|Home|End)/.test(event.key)) {
          event.preventDefault();
          // Immediately: the next key belongs to the element that then has the focus.
          roving.current?.moveFocus(grid, event);
        }
      }}
    >
      {tiles.map((tile, index) => (
        <li key={tile.key}>
          {(isWindowed ? (near?.has(index) ?? index < FIRST) : index < mounted) && <TileView tile={tile} />}
        </li>
      ))}
    </ul>
  );
}

/** How many tiles are mounted: more in each idle period, so that no task is long. */
function useMounted(count: number): number {
  const mounted = useSignal(Math.min(count, FIRST));
  const present = mounted.value;
  useEffect(() => {
    if (present >= count) return;
    const more = () => (mounted.value = Math.min(count, present + NEXT));
    if (!('requestIdleCallback' in window)) return realTiming.after(1, more);
    const request = requestIdleCallback(more, { timeout: 500 });
    return () => cancelIdleCallback(request);
  }, [present, count]);
  return present;
}

/** The indices of the items within a screen of the viewport; undefined: not known yet. */
function useNear(list: { readonly current: HTMLUListElement | null }, isUsed: boolean) {
  const near = useSignal<ReadonlySet<number> | undefined>(undefined);
  useEffect(() => {
    const items = list.current;
    if (!isUsed || items === null) return;
    const indexOf = new Map([...items.children].map((item, index) => [item, index]));
    const observer = new IntersectionObserver(
      (entries) => {
        const next = new Set(near.peek());
        for (const { target, isIntersecting } of entries) {
          const index = indexOf.get(target) ?? 0;
          if (isIntersecting) next.add(index);
          // What has the focus stays.
          else if (!target.contains(document.activeElement)) next.delete(index);
        }
        near.value = next;
      },
      { rootMargin: '100% 0px' },
    );
    for (const item of items.children) observer.observe(item);
    return () => observer.disconnect();
  }, [isUsed, list.current?.childElementCount]);
  return near.value;
}
