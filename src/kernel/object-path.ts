import { coded } from '../base/codes/coded-text.js';
import { didYouMean } from '../base/did-you-mean.js';
import { fault } from '../base/fault.js';
import type { TreeObject } from './object.js';
import type { Tree } from './tree.js';

/** Maximum number of names listed in an error text. */
const SHOWN = 40;

/**
 * Finds the object at a path from the root. Each step is the ident or the name of a child
 * (`ground_floor/hall_relay/STATE`, `Ground floor/Hall relay/State`; `/` is the root). A name that contains
 * `/` cannot be used. Throws `PATH_NOT_FOUND` with the names that exist, and `PATH_AMBIGUOUS`, because a
 * guess could switch the wrong output.
 */
export function objectAt(tree: Tree, path: string): TreeObject {
  let object: TreeObject = tree.root;
  const above: string[] = [];
  for (const step of path.split('/').filter((step) => step !== '')) {
    const found = childrenAt(object, step);
    const [first] = found;
    if (first === undefined) throw notFound(object, above, step);
    if (found.size > 1)
      throw fault('PATH_AMBIGUOUS', [...above, step].join('/'), listed([...found].map(byId)));
    object = first;
    above.push(step);
  }
  return object;
}

function childrenAt({ children }: TreeObject, step: string): Set<TreeObject> {
  const found = new Set(children?.byName(step) ?? []);
  const named = children?.byIdent(step);
  if (named !== undefined) found.add(named);
  return found;
}

function notFound(object: TreeObject, above: readonly string[], step: string) {
  const known: string[] = [];
  for (const child of object.children ?? []) known.push(child.ident === '' ? child.displayName : child.ident);
  const place = above.length === 0 ? coded`AT_THE_ROOT: at the root` : coded`BELOW: below ${above.join('/')}`;
  const existing =
    known.length === 0 ? coded`NOTHING_THERE: it has no children` : coded`THERE: existing: ${listed(known)}`;
  return fault('PATH_NOT_FOUND', step, place, coded`WITH_HINT: ${existing}${didYouMean(step, known)}`);
}

const byId = ({ id, ident, displayName }: TreeObject): string => `#${id} (${ident || displayName})`;

const listed = (names: readonly string[]): string =>
  names.slice(0, SHOWN).join(', ') + (names.length > SHOWN ? ', …' : '');
