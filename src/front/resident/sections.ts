import { objectType } from '../web/objects.js';
import type { Model, TreeNode } from '../web/model.js';
import { associationOf } from '../web/format.js';
import { tilesOf, type Tile } from './tiles/kinds.js';

/** A room: a category with its tiles; categories inside it are sections below it. */
export interface Section {
  readonly node: TreeNode;
  /** The name to show: of a link to the category, or its own. */
  readonly named: TreeNode;
  readonly tiles: readonly Tile[];
  readonly sections: readonly Section[];
}

/** Sections are not nested deeper. */
const DEPTH_LIMIT = 8;

/** Under which name, and where, a section is shown. */
interface Place {
  readonly named?: TreeNode;
  /** The categories that the section is inside, the outermost first. */
  readonly outer?: readonly TreeNode[];
  /** Targets of links inside one section of the page, at any depth: each is shown once there. */
  readonly followed?: Set<TreeNode>;
}

/**
 * The section of a category, without empty ones inside it. Rooms may link to each other: a link back to a
 * section that it is inside, or to one that another link of the same inner section shows, is left out.
 */
export function sectionOf(
  model: Model,
  node: TreeNode,
  { named = node, outer = [], followed = new Set() }: Place = {},
): Section {
  const tiles: Tile[] = [];
  const inner: { readonly named: TreeNode; readonly category: TreeNode }[] = [];
  const path = [...outer, node];
  const collect = (parent: TreeNode) => {
    const isDevice = parent.type === objectType.instance;
    for (const child of model.children(parent.id)) {
      // The tiles of a device show its variables; other objects below a connection are devices of it.
      if (child.entry.value.hidden || (isDevice && child.type === objectType.variable)) continue;
      const category = categoryBehind(model, child);
      if (category === undefined) {
        tiles.push(...tilesOf(model, child));
        if (child.type === objectType.instance) collect(child);
      } else if (child === category || !(path.includes(category) || followed.has(category))) {
        inner.push({ named: child, category });
        // All links of this section precede those of the sections inside it.
        if (child !== category && outer.length > 0) followed.add(category);
      }
    }
  };
  if (node.type === objectType.instance) tiles.push(...tilesOf(model, node));
  collect(node);
  const sections = (path.length > DEPTH_LIMIT ? [] : inner)
    .map(({ named, category }) =>
      sectionOf(model, category, {
        named,
        outer: path,
        followed: outer.length > 0 ? followed : new Set([category]),
      }),
    )
    .filter((section) => !isEmpty(section));
  return { node, named, tiles, sections };
}

export function isEmpty({ tiles, sections }: Section): boolean {
  return tiles.length === 0 && sections.length === 0;
}

/** All tiles of a section and of those inside it, which name their rooms. */
export function allTiles({ tiles, sections }: Section): Tile[] {
  const inside = (section: Section) =>
    allTiles(section).map((tile) => ({ room: section.named.name, ...tile }));
  return [...tiles, ...sections.flatMap(inside)];
}

function categoryBehind(model: Model, node: TreeNode): TreeNode | undefined {
  if (node.type === objectType.category) return node;
  if (node.type !== objectType.link) return undefined;
  const target = model.find(node.entry.value.data.targetID ?? 0);
  return target?.type === objectType.category && !target.entry.value.hidden ? target : undefined;
}

/** The object at which the area begins. */
export function baseOf(model: Model): TreeNode | undefined {
  void model.structure.value;
  return model.area && model.find(model.area.base);
}

/** States of contacts that a resident wants to know about, by the key of the association. */
const NOTABLE: ReadonlySet<string> = new Set(['OPEN', 'ALERT', 'LOW', 'UNLOCKED', 'RAIN']);
/** A device that has not reported yet is nothing to check. */
const UNREMARKABLE: ReadonlySet<string> = new Set(['NO_VALUE', 'NOT_KNOWN', 'NOT_TODAY']);

/** Whether a tile is on, open, or to be checked. Subscribes to its value and state. */
export function isActive(model: Model, { kind, variable }: Tile): boolean {
  if (variable === undefined) return false;
  const { quality } = variable.state.value;
  if (quality?.state === 2) return !UNREMARKABLE.has(quality.reason);
  const value = variable.value.value;
  if (kind === 'switch' || kind === 'pulse') return value === true;
  const profile = model.profileOf(variable);
  if (kind === 'level') return isLit(model, variable) && Number(value) > (profile?.minValue ?? 0);
  if (kind !== 'contact' || profile === undefined) return false;
  return NOTABLE.has(associationOf(value, profile)?.key ?? '');
}

/** Only what is dimmed is on or off; a set temperature is neither. */
function isLit(model: Model, variable: TreeNode): boolean {
  return model.child(variable.entry.value.parentID, 'STATE')?.value.value === true;
}
