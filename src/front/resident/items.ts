import { computed } from '@preact/signals';
import type { Model } from '../web/model.js';
import { objectAt } from '../web/object-reference.js';
import { baseOf } from './sections.js';
import { tilesOf, type TileOptions } from './tiles/kinds.js';

/** A tile that the owner placed on a page. */
interface ItemTile extends TileOptions {
  /** An object's ID, or the path of its idents below the area's base. */
  readonly object: number | string;
  /** A command needs a hold of 0.6 s, or Enter twice. */
  readonly confirm: boolean;
}

interface ItemSection {
  readonly id: string;
  readonly title: string;
  readonly tiles: readonly ItemTile[];
}

/** A page that the owner defined with items of class `stellwerk.page`. */
export interface ItemPage {
  readonly id: string;
  readonly title: string;
  readonly icon: string;
  readonly sections: readonly ItemSection[];
  /** IDs of all items on it: `WFC_SwitchPage` may name any of them. */
  readonly items: ReadonlySet<string>;
}

interface Item {
  readonly ID: string;
  readonly ParentID: string;
  readonly ClassName: string;
  readonly Configuration: string;
  readonly Position: number;
  readonly Visible: boolean;
}

/** The pages of the reply of `WFC_GetItems`. Items of other classes are ignored. */
export function pagesOf(reply: unknown): ItemPage[] {
  const items = (reply as readonly Item[]).filter(({ Visible }) => Visible);
  const below = (parent: string, className: string) =>
    items
      .filter(({ ParentID, ClassName }) => ParentID === parent && ClassName === className)
      .sort((a, b) => a.Position - b.Position);
  return below('', 'stellwerk.page').map((page) => {
    const { title, icon } = configurationOf(page);
    const own = tilesBelow(page.ID);
    const sections = below(page.ID, 'stellwerk.section').map((section) => ({
      id: section.ID,
      title: textOr(configurationOf(section)['title'], section.ID),
      tiles: tilesBelow(section.ID),
    }));
    return {
      id: page.ID,
      title: textOr(title, page.ID),
      icon: textOr(icon, ''),
      sections: own.length > 0 ? [{ id: page.ID, title: '', tiles: own }, ...sections] : sections,
      items: itemsOf([page.ID, ...sections.map(({ id }) => id)]),
    };
  });

  function tilesBelow(parent: string): ItemTile[] {
    return below(parent, 'stellwerk.tile').flatMap((item) => {
      const { object, name, icon, confirm, live } = configurationOf(item);
      if (typeof object !== 'number' && typeof object !== 'string') return [];
      return {
        object,
        ...(typeof name === 'string' && { name }),
        ...(typeof icon === 'string' && { icon }),
        confirm: confirm === true,
        live: live === true,
      };
    });
  }

  function itemsOf(parents: readonly string[]): ReadonlySet<string> {
    const tiles = items.filter(({ ParentID }) => parents.includes(ParentID));
    return new Set([...parents, ...tiles.map(({ ID }) => ID)]);
  }
}

/**
 * Whether a command to an object must be confirmed wherever it is shown: a tile that requires it shows the
 * object, itself or through a device or a link.
 */
export function confirmationOf(model: Model, pages: readonly ItemPage[]): (id: number) => boolean {
  const ids = computed(() => {
    const items = pages.flatMap(({ sections }) => sections.flatMap(({ tiles }) => tiles));
    const nodes = items.map(({ object, confirm }) => confirm && objectAt(model, baseOf(model), object));
    const tiles = nodes.flatMap((node) => (node ? tilesOf(model, node) : []));
    // The tile of a dimmer has its switch next to the level.
    return new Set(
      tiles.flatMap(({ object, variable = object }) => [variable.id, model.child(object.id, 'STATE')?.id]),
    );
  });
  return (id) => ids.value.has(id);
}

function configurationOf({ Configuration }: Item): Readonly<Record<string, unknown>> {
  // The gateway has validated that it is an object.
  return JSON.parse(Configuration) as Readonly<Record<string, unknown>>;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
