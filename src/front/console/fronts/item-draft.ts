import type { FrontItem } from '../../../client/generated/records.js';

/** An item of a front with the items below it. Items of other classes than ours are kept as they are. */
export interface DraftItem {
  readonly id: string;
  readonly className: string;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly isVisible: boolean;
  readonly children: readonly DraftItem[];
}

/** The classes of items that the residents' front shows. */
export const itemClass = {
  page: 'stellwerk.page',
  section: 'stellwerk.section',
  tile: 'stellwerk.tile',
} as const;

/** The reply of `WFC_GetItems` as a tree, each level in the order of its positions. */
export function draftOf(items: readonly FrontItem[], parent = ''): readonly DraftItem[] {
  return items
    .filter(({ ParentID }) => ParentID === parent)
    .sort((a, b) => a.Position - b.Position)
    .map(({ ID, ClassName, Configuration, Visible }) => ({
      id: ID,
      className: ClassName,
      // The gateway has validated that it is an object.
      configuration: JSON.parse(Configuration) as Record<string, unknown>,
      isVisible: Visible,
      children: draftOf(items, ID),
    }));
}

/** The list for `WFC_SetItems`: parents first, with positions in the order of the draft. */
export function itemsOf(draft: readonly DraftItem[], parent = ''): FrontItem[] {
  return draft.flatMap(({ id, className, configuration, isVisible, children }, at) => [
    {
      ID: id,
      ParentID: parent,
      ClassName: className,
      Configuration: JSON.stringify(configuration),
      Position: at + 1,
      Visible: isVisible,
    },
    ...itemsOf(children, id),
  ]);
}

/** The draft with an item replaced by what `change` returns; by nothing for an empty list. */
export function changed(
  draft: readonly DraftItem[],
  id: string,
  change: (item: DraftItem) => readonly DraftItem[],
): readonly DraftItem[] {
  return draft.flatMap((item) =>
    item.id === id ? change(item) : [{ ...item, children: changed(item.children, id, change) }],
  );
}

/** The draft with an item one place up (-1) or down (1) among its siblings of the same class. */
export function moved(draft: readonly DraftItem[], id: string, by: -1 | 1): readonly DraftItem[] {
  const from = draft.findIndex((item) => item.id === id);
  if (from < 0) return draft.map((item) => ({ ...item, children: moved(item.children, id, by) }));
  let to = from + by;
  while (draft[to] !== undefined && draft[to]?.className !== draft[from]?.className) to += by;
  const [item, other] = [draft[from], draft[to]];
  if (item === undefined || other === undefined) return draft;
  return draft.map((one) => (one === item ? other : one === other ? item : one));
}

/** The draft with a new item at the end of its parent's children; '' is the top level. */
export function added(
  draft: readonly DraftItem[],
  parent: string,
  { className, configuration }: Pick<DraftItem, 'className' | 'configuration'>,
): readonly DraftItem[] {
  const item = { id: freeId(draft, className), className, configuration, isVisible: true, children: [] };
  if (parent === '') return [...draft, item];
  return changed(draft, parent, (one) => [{ ...one, children: [...one.children, item] }]);
}

/** `page1`, `page2`, …: the first that no item has. */
function freeId(draft: readonly DraftItem[], className: string): string {
  const taken = new Set(itemsOf(draft).map(({ ID }) => ID));
  const kind = className.slice(className.lastIndexOf('.') + 1);
  for (let n = 1; ; n++) if (!taken.has(`${kind}${n}`)) return `${kind}${n}`;
}
