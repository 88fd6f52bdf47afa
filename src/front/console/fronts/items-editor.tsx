import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId, useMemo } from 'preact/hooks';
import type { FrontItem } from '../../../client/generated/records.js';
import type { Model, TreeNode } from '../../web/model.js';
import { objectAt } from '../../web/object-reference.js';
import { objectType } from '../../web/objects.js';
import { Icon } from '../../web/parts/icon.js';
import { lazy } from '../../web/parts/lazy.js';
import { keepFocus } from '../../web/parts/take-focus.js';
import { useApp } from '../app.js';
import { automation } from '../i18n/automation.js';
import { words } from '../i18n/console-texts.js';
import { CheckField } from '../parts/check-field.js';
import { ObjectChoice } from '../parts/object-choice.js';
import { added, changed, draftOf, itemClass, itemsOf, moved, type DraftItem } from './item-draft.js';

const Conflict = lazy(async () => (await import('../parts/conflict.js')).Conflict);

/** What a front's residents see: the base of their area, and the IDs of its objects. */
export interface Area {
  readonly base: number;
  readonly ids: ReadonlySet<number>;
}

interface ItemsEditorProps {
  readonly configurator: number;
  readonly items: readonly FrontItem[];
  readonly area: Area;
  /** Loads the items again. */
  readonly onReload: () => void;
  readonly onDone: () => void;
}

/** What was entered, and the items that it began with, as a list. */
interface Entered {
  readonly draft: readonly DraftItem[];
  readonly base: string;
}

/** Changes a draft of the pages of a front, and saves all of it. */
export function ItemsEditor({ configurator, items, area, onReload, onDone }: ItemsEditorProps) {
  const app = useApp();
  const { items: text } = automation();
  const entered = app.form<Entered>(`items/${configurator}`);
  const stored = useMemo(() => draftOf(items), [items]);
  /** The list that somebody else has saved since the draft was begun; undefined: none. */
  const conflict = useSignal<string | undefined>(undefined);
  const { draft, base } = entered.value ?? { draft: stored, base: listOf(stored) };
  const change = (next: (draft: readonly DraftItem[]) => readonly DraftItem[]) =>
    (entered.value = { draft: next(entered.peek()?.draft ?? stored), base });
  const close = () => {
    entered.value = undefined;
    onDone();
  };
  const save = async (expected: string) => {
    const list = listOf(draft);
    let now = expected;
    const read = async () => (now = listOf(draftOf(await app.call('WFC_GetItems', configurator))));
    if (!(await app.act(read))) return;
    // They are saved already if only the reply to a save was lost.
    conflict.value = now === expected || now === list ? undefined : now;
    if (conflict.peek() !== undefined) return;
    const set = async () => {
      await app.call('WFC_SetItems', configurator, list);
      await app.call('WFC_Reload', configurator);
    };
    if (!(await app.act(set, text.saved))) return;
    // What was typed meanwhile stays, based on what was saved.
    const { draft: typed = draft } = entered.peek() ?? {};
    if (typed === draft) close();
    else entered.value = { draft: typed, base: list };
  };
  const resolve = (theirs: string, keepsMine: boolean) => {
    if (keepsMine) return void save(theirs);
    conflict.value = undefined;
    entered.value = undefined;
    onReload();
  };
  const editing: Editing = {
    area,
    change: (id, configuration) =>
      change((all) =>
        changed(all, id, (item) => [{ ...item, configuration: { ...item.configuration, ...configuration } }]),
      ),
    add: (parent, className, configuration) =>
      change((all) => added(all, parent, { className, configuration })),
    move: (id, by) => change((all) => moved(all, id, by)),
    remove: (id) => change((all) => changed(all, id, () => [])),
  };
  const pages = ofClass(draft, itemClass.page);
  return (
    <div ref={keepFocus} class="items">
      <p class="soft">{pages.length === 0 ? text.none : text.hint}</p>
      {pages.map((page, at) => (
        <Group key={page.id} item={page} label={text.page(at + 1)} editing={editing}>
          {ofClass(page.children, itemClass.section).map((section, n) => (
            <Group key={section.id} item={section} label={text.section(n + 1)} editing={editing} />
          ))}
          <button
            class="plain"
            type="button"
            onClick={() => editing.add(page.id, itemClass.section, { title: '' })}
          >
            {text.addSection}
          </button>
        </Group>
      ))}
      {conflict.value !== undefined && (
        <Conflict onChoose={(keepsMine) => resolve(conflict.value ?? '', keepsMine)} />
      )}
      <div class="row-head">
        <button class="plain" type="button" onClick={() => editing.add('', itemClass.page, { title: '' })}>
          {text.addPage}
        </button>
        <button class="primary" type="button" onClick={() => void save(base)}>
          {words().tree.save}
        </button>
        <button class="plain" type="button" onClick={close}>
          {words().tree.cancel}
        </button>
      </div>
    </div>
  );
}

const listOf = (draft: readonly DraftItem[]): string => JSON.stringify(itemsOf(draft));

/** The operations on the draft. */
interface Editing {
  readonly area: Area;
  readonly change: (id: string, configuration: DraftItem['configuration']) => void;
  readonly add: (parent: string, className: string, configuration: DraftItem['configuration']) => void;
  readonly move: (id: string, by: -1 | 1) => void;
  readonly remove: (id: string) => void;
}

interface ItemProps {
  readonly item: DraftItem;
  readonly label: string;
  readonly editing: Editing;
}

/** A page or a section: its title, its tiles, and what is below it. */
function Group({ item, label, editing, children }: ItemProps & { readonly children?: ComponentChildren }) {
  const id = useId();
  const { items: text } = automation();
  const { model } = useApp().gateway;
  const { area } = editing;
  const title = item.configuration['title'];
  const accepts = (node: TreeNode) => area.ids.has(node.id) && !NO_TILES.includes(node.type);
  return (
    <fieldset class="card">
      <legend>{label}</legend>
      <div class="row-head">
        <div class="field">
          <label for={id}>{text.title}</label>
          <input
            id={id}
            value={typeof title === 'string' ? title : ''}
            maxLength={100}
            onInput={({ currentTarget }) => editing.change(item.id, { title: currentTarget.value })}
          />
        </div>
        <MoveButtons item={item} label={label} editing={editing} />
      </div>
      <ul class="tiles">
        {ofClass(item.children, itemClass.tile).map((tile) => (
          <Tile key={tile.id} item={tile} label={tileName(model, tile, area)} editing={editing} />
        ))}
      </ul>
      <ObjectChoice
        label={text.tileFor(label)}
        id={0}
        none={text.addTile}
        accepts={accepts}
        onChange={(chosen) =>
          editing.add(item.id, itemClass.tile, { object: referenceOf(model, chosen, area.base) })
        }
      />
      {children}
    </fieldset>
  );
}

/** Objects of these types cannot be tiles. */
const NO_TILES: readonly number[] = [objectType.category, objectType.event];

function Tile({ item, label, editing }: ItemProps) {
  const { items: text } = automation();
  const option = (name: 'confirm' | 'live', caption: string) => (
    <CheckField
      label={caption}
      checked={item.configuration[name] === true}
      onChange={(checked) => editing.change(item.id, { [name]: checked })}
    />
  );
  return (
    <li class="row-head">
      <strong>{label}</strong>
      {option('confirm', text.confirm)}
      {option('live', text.live)}
      <MoveButtons item={item} label={label} editing={editing} />
    </li>
  );
}

function MoveButtons({ item, label, editing }: ItemProps) {
  const { items: text } = automation();
  return (
    <>
      <button
        class="control"
        type="button"
        aria-label={text.up(label)}
        onClick={() => editing.move(item.id, -1)}
      >
        <Icon name="up" />
      </button>
      <button
        class="control"
        type="button"
        aria-label={text.down(label)}
        onClick={() => editing.move(item.id, 1)}
      >
        <Icon name="down" />
      </button>
      <button
        class="control"
        type="button"
        aria-label={text.remove(label)}
        onClick={() => editing.remove(item.id)}
      >
        <Icon name="close" />
      </button>
    </>
  );
}

const ofClass = (items: readonly DraftItem[], className: string): readonly DraftItem[] =>
  items.filter((item) => item.className === className);

/** The name of a tile: its own, or that of its object. */
function tileName(model: Model, { configuration }: DraftItem, { base }: Area): string {
  const { name, object } = configuration;
  if (typeof name === 'string' && name !== '') return name;
  const reference = typeof object === 'number' ? object : String(object);
  return objectAt(model, model.find(base), reference)?.name ?? `? ${reference}`;
}

/** The path of idents below the base, which outlives a new installation; the ID if an ident is missing. */
function referenceOf(model: Model, id: number, base: number): number | string {
  const path: string[] = [];
  for (let node = model.find(id); node !== undefined && node.id !== base;) {
    const { ident, parentID } = node.entry.peek();
    if (ident === '') return id;
    path.unshift(ident);
    node = node.id === 0 ? undefined : model.find(parentID);
  }
  return path.join('/');
}
