import { objectType, type TreeObject } from '../../kernel/object.js';

/** The length limit of generated idents. */
const LONGEST_IDENT = 40;

/**
 * The ident and path of each object in an exported file. Objects without an ident get one generated from
 * their name; it depends only on the names and the order of the siblings.
 */
export class ExportPaths {
  /** Objects without an ident in the tree. */
  readonly withoutIdent: TreeObject[] = [];
  readonly #idents = new Map<TreeObject, string>();

  /** `isExcluded` selects objects that are not exported, with everything below them. */
  constructor(root: TreeObject, isExcluded: (object: TreeObject) => boolean) {
    this.#below(root, isExcluded);
  }

  ident(object: TreeObject): string {
    return this.#idents.get(object) ?? object.ident;
  }

  /** Whether the object is in the file. */
  has(object: TreeObject): boolean {
    return this.#idents.has(object);
  }

  /** The ident path from the root; `/` is the root. Undefined for an object that is not in the file. */
  path(object: TreeObject): string | undefined {
    if (object.parent === null) return '/';
    if (!this.has(object)) return undefined;
    const above = this.path(object.parent);
    return above === undefined || above === '/'
      ? above && this.ident(object)
      : `${above}/${this.ident(object)}`;
  }

  /** The children that are in the file, in an order that does not depend on ids. */
  childrenOf(object: TreeObject): TreeObject[] {
    return (object.children?.sorted() ?? [])
      .filter((child) => this.has(child))
      .sort(
        (a, b) =>
          a.position - b.position ||
          a.type - b.type ||
          order(a.name, b.name) ||
          order(this.ident(a), this.ident(b)),
      );
  }

  #below(parent: TreeObject, isExcluded: (object: TreeObject) => boolean): void {
    const taken = new Set(Array.from(parent.children ?? [], ({ ident }) => ident));
    for (const child of parent.children?.sorted() ?? []) {
      if (isExcluded(child)) continue;
      if (child.ident === '') this.withoutIdent.push(child);
      const ident = child.ident === '' ? free(identFrom(child), taken) : child.ident;
      taken.add(ident);
      this.#idents.set(child, ident);
      this.#below(child, isExcluded);
    }
  }
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The names of the object types, by their numbers. */
const typeNames = Object.keys(objectType);

function identFrom({ name, type }: TreeObject): string {
  const letters = name
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[äöü]/g, (one) => ({ ä: 'ae', ö: 'oe', ü: 'ue' })[one] ?? one)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .slice(0, LONGEST_IDENT)
    .replaceAll(/^_+|_+$/g, '');
  return letters === '' ? (typeNames[type] ?? '') : letters;
}

function free(ident: string, taken: ReadonlySet<string>): string {
  if (!taken.has(ident)) return ident;
  for (let n = 2; ; n++) if (!taken.has(`${ident}_${n}`)) return `${ident}_${n}`;
}
