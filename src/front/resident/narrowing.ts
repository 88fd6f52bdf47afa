import { computed, effect } from '@preact/signals';
import { realTiming } from '../../client/timing.js';
import type { TreeNode } from '../web/model.js';
import { objectAt } from '../web/object-reference.js';
import { objectType } from '../web/objects.js';
import type { App } from './app.js';
import { baseOf, sectionOf, type Section } from './sections.js';

/**
 * A page that is shown for this long receives only what it shows, ms. After that, opening another page costs
 * a snapshot, because its changes were missed; browsing quickly through the rooms costs none.
 */
const SETTLED_MS = 20_000;

/**
 * Limits the changes that the page receives to what it shows (`GW_Subscribe`): a phone that shows a room is
 * not woken by the others. The first page shows what is active everywhere and receives everything. Messages
 * to the fronts always arrive.
 */
export function narrowChanges(app: App): void {
  const { gateway } = app;
  const shown = computed(() => shownIds(app).join());
  const subscribe = (ids: string) => {
    const objects = ids === '' ? [] : ids.split(',').map(Number);
    // Without a connection, or without an object of the page, the socket receives everything.
    void gateway.call('GW_Subscribe', [objects, []]).catch(() => undefined);
  };
  effect(() => {
    const ids = shown.value;
    if (ids === '' || gateway.state.value.kind !== 'live') return;
    let isNarrow = false;
    const cancel = realTiming.after(SETTLED_MS, () => {
      isNarrow = true;
      subscribe(ids);
    });
    return () => {
      cancel();
      if (!isNarrow) return;
      subscribe('');
      gateway.refresh();
    };
  });
}

/** The objects that the page shows, with everything below them; none: all. Subscribes. */
function shownIds({ gateway: { model }, router, facts, pages }: App): number[] {
  const { page, id } = router.page.value;
  const ids: number[] = [];
  if (page === 'messages' || page === 'device') ids.push(facts.id);
  else if (page === 'page') {
    const items = pages.value.find((one) => one.id === id);
    for (const { object } of items?.sections.flatMap(({ tiles }) => tiles) ?? []) {
      const node = objectAt(model, baseOf(model), object);
      if (node !== undefined) ids.push(...withTarget(node));
    }
  } else if (page === 'room') {
    const node = model.find(Number(id));
    if (node !== undefined) ids.push(node.id, ...linked(sectionOf(model, node)));
  }
  const shown = new Set(ids.map(withDevice));
  const sheet = withDevice(Number(router.sheet.value?.id ?? 0));
  if (ids.length > 0 && sheet > 0 && !isCovered(sheet)) shown.add(sheet);
  return [...shown];

  /** The device of a variable, whose other values the variable's sheet shows; otherwise the object itself. */
  function withDevice(object: number): number {
    const node = model.find(object);
    const parent = node?.type === objectType.variable ? model.find(node.entry.value.parentID) : undefined;
    return parent?.type === objectType.instance ? parent.id : object;
  }

  function isCovered(object: number): boolean {
    for (let node = model.find(object); node !== undefined && node.id !== 0;) {
      if (shown.has(node.id)) return true;
      node = model.find(node.entry.value.parentID);
    }
    return false;
  }
}

/** The targets of links: they may be in other rooms. */
function linked({ node, named, tiles, sections }: Section): number[] {
  return [
    ...(named === node ? [] : [node.id]),
    ...tiles.filter((tile) => tile.named.type === objectType.link).map(({ object }) => object.id),
    ...sections.flatMap(linked),
  ];
}

function withTarget({ id, type, entry }: TreeNode): number[] {
  return type === objectType.link ? [id, entry.value.data.targetID ?? id] : [id];
}
