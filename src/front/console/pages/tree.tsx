import { useComputed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Icon } from '../../web/parts/icon.js';
import { VirtualList } from '../../web/parts/virtual-list.js';
import { addressOf } from '../../web/router.js';
import { objectType } from '../../web/objects.js';
import type { Model, TreeNode } from '../../web/model.js';
import { useApp } from '../app.js';
import { words } from '../i18n/console-texts.js';
import { objectIcon } from '../object-icon.js';
import { findNodes, nameOf, pathOf } from '../search.js';
import { statusText } from '../status.js';
import { Inspector } from '../inspector/inspector.js';
import { MarkedValue } from '../inspector/shown-value.js';

/** A visible row of the tree. */
interface Row {
  readonly node: TreeNode;
  readonly depth: number;
  readonly hasChildren: boolean;
  /** Its place among the rows of its level, from 1, and their number: most of them are no elements. */
  readonly place: number;
  readonly count: number;
  /** The path of an object that was found, because it is not below its parents. */
  readonly path?: string;
}

/** Height of a row, larger where it is touched. */
const ROW_PX = matchMedia('(pointer: coarse)').matches ? 44 : 36;

/** All objects, and an inspector next to them. Tens of thousands of objects: only visible rows exist. */
export function TreePage({ id }: { readonly id: string }) {
  const app = useApp();
  const { model } = app.gateway;
  const { expanded, search, tab } = app.tree;
  const selected = model.find(Number(id === '' ? Number.NaN : id));
  // The path to the selected object is open.
  useEffect(() => {
    const open = new Set(expanded.peek());
    for (
      let node = selected;
      node !== undefined && node.id !== 0;
      node = model.find(node.entry.peek().parentID)
    )
      open.add(node.entry.peek().parentID);
    expanded.value = open;
  }, [selected]);
  const rows = useComputed(() => {
    void model.structure.value;
    return search.value.trim() === ''
      ? treeRows(model, expanded.value)
      : foundRows(model, search.value.trim());
  });
  const toggle = (node: TreeNode) => {
    const next = new Set(expanded.peek());
    if (!next.delete(node.id)) next.add(node.id);
    expanded.value = next;
  };
  return (
    <main class={selected === undefined ? 'split' : 'split chosen'}>
      <h1 class="unseen">{words().pages.tree}</h1>
      <section class="pane">
        <input
          type="search"
          aria-label={words().tree.search}
          placeholder={words().tree.searchHint}
          value={search.value}
          onInput={(event) => (search.value = event.currentTarget.value)}
        />
        <TreeRows rows={rows.value} expanded={expanded.value} selected={selected?.id} onToggle={toggle} />
      </section>
      <section class="pane">
        {selected === undefined ? (
          <p class="soft">{words().tree.choose}</p>
        ) : (
          <Inspector key={selected.id} node={selected} tab={tab.value} onTab={(name) => (tab.value = name)} />
        )}
      </section>
    </main>
  );
}

interface TreeRowsProps {
  readonly rows: readonly Row[];
  readonly expanded: ReadonlySet<number>;
  readonly selected: number | undefined;
  readonly onToggle: (node: TreeNode) => void;
}

/** A tree grid with one tab stop: arrows move, open and close (WAI-ARIA tree pattern). */
function TreeRows({ rows, expanded, selected, onToggle }: TreeRowsProps) {
  const app = useApp();
  const index = rows.findIndex(({ node }) => node.id === selected);
  const select = (row: Row | undefined) => {
    // Back leaves the tree, not only the row.
    if (row !== undefined) app.router.replace('tree', row.node.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[index];
    if (event.key === 'ArrowDown') select(rows[index + 1]);
    else if (event.key === 'ArrowUp') select(rows[index - 1]);
    else if (event.key === 'Home') select(rows[0]);
    else if (event.key === 'End') select(rows[rows.length - 1]);
    else if (row === undefined) return;
    else if (event.key === 'ArrowRight' && row.hasChildren && !expanded.has(row.node.id)) onToggle(row.node);
    else if (event.key === 'ArrowLeft' && row.hasChildren && expanded.has(row.node.id)) onToggle(row.node);
    else if (event.key === 'ArrowLeft')
      select(rows.find(({ node }) => node.id === row.node.entry.peek().parentID));
    else return;
    event.preventDefault();
  };
  return (
    <VirtualList
      items={rows}
      rowPx={ROW_PX}
      visible={index}
      box={{
        role: 'tree',
        tabIndex: 0,
        'aria-label': words().pages.tree,
        'aria-activedescendant': index < 0 ? undefined : `row-${selected}`,
        onKeyDown,
      }}
    >
      {(row) => (
        <TreeRow
          key={row.node.id}
          row={row}
          isExpanded={expanded.has(row.node.id)}
          isSelected={row.node.id === selected}
          onToggle={onToggle}
        />
      )}
    </VirtualList>
  );
}

/** Statuses from here on are errors. */
const FAULTY = 200;

interface TreeRowProps {
  readonly row: Row;
  readonly isExpanded: boolean;
  readonly isSelected: boolean;
  readonly onToggle: (node: TreeNode) => void;
}

function TreeRow({
  row: { node, depth, hasChildren, place, count, path },
  isExpanded,
  isSelected,
  onToggle,
}: TreeRowProps) {
  const app = useApp();
  const { ident, hidden, disabled, data } = node.entry.value;
  const name = nameOf(app.gateway.model, node);
  return (
    <div
      id={`row-${node.id}`}
      class={hidden || disabled ? 'tree-row dim' : 'tree-row'}
      role="treeitem"
      aria-level={depth + 1}
      aria-posinset={place}
      aria-setsize={count}
      aria-selected={isSelected}
      aria-expanded={hasChildren ? isExpanded : undefined}
      style={{ paddingInlineStart: `${depth * 16}px`, height: `${ROW_PX}px` }}
    >
      <button
        class="twisty"
        tabIndex={-1}
        aria-hidden={!hasChildren}
        aria-label={isExpanded ? words().tree.collapse : words().tree.expand}
        style={{ visibility: hasChildren ? 'visible' : 'hidden' }}
        onClick={() => onToggle(node)}
      >
        <Icon name={isExpanded ? 'down' : 'right'} />
      </button>
      <a href={addressOf('tree', node.id)} title={name} tabIndex={-1}>
        <Icon name={objectIcon(node)} />
        <span class="row-name">{name}</span>
        <small>{path ?? ident}</small>
      </a>
      {data.status !== undefined && data.status >= FAULTY && (
        <span class="row-value bad">{statusText(data.status)}</span>
      )}
      {node.type === objectType.variable && (
        <span class="row-value">
          <MarkedValue variable={node} />
        </span>
      )}
    </div>
  );
}

/** The rows below expanded objects. */
function treeRows(model: Model, expanded: ReadonlySet<number>): Row[] {
  const rows: Row[] = [];
  const visit = (nodes: readonly TreeNode[], depth: number) =>
    nodes.forEach((node, at) => {
      const children = model.children(node.id);
      rows.push({ node, depth, hasChildren: children.length > 0, place: at + 1, count: nodes.length });
      if (expanded.has(node.id)) visit(children, depth + 1);
    });
  const root = model.find(0);
  if (root !== undefined) visit([root], 0);
  return rows;
}

/** The objects that were found, without their parents. */
function foundRows(model: Model, text: string): Row[] {
  return findNodes(model, text).map((node, at, { length }) => ({
    node,
    depth: 0,
    hasChildren: false,
    place: at + 1,
    count: length,
    path: pathOf(model, node),
  }));
}
