import { messageOf } from '../base/fault.js';
import type { Kernel } from '../kernel/kernel.js';
import type { TreeObject } from '../kernel/object.js';
import type { Profile } from '../kernel/profiles/profile-data.js';
import type { StoreWorker } from './worker-protocol.js';
import { loadRow, type LoadedRow } from './rows.js';

/** The result of loading; the texts are for log and health. */
export interface LoadReport {
  readonly objects: number;
  /** Objects whose parent was missing; they were moved below the root. */
  readonly orphans: readonly number[];
  /** Rows that could not be loaded, and why. */
  readonly unusable: readonly string[];
  /** Damaged rows that were restored from a backup. */
  readonly restored: readonly string[];
  /** Damaged rows that are in no backup. */
  readonly lost: readonly string[];
}

/** Loads all stored objects and profiles into an empty kernel. */
export async function loadTree(
  kernel: Kernel,
  port: StoreWorker,
  profiles: readonly string[],
): Promise<LoadReport> {
  const loader = new TreeLoader(kernel);
  for (const text of profiles) loader.takeProfile(text);
  let nextPage = port.request('rows', { after: 0 });
  for (;;) {
    const { text, next } = await nextPage;
    // The worker reads the next rows while these are added to the tree.
    if (next !== undefined) nextPage = port.request('rows', { after: next });
    for (const row of JSON.parse(text) as LoadedRow[]) loader.take(row);
    if (next === undefined) break;
  }
  const damage = await port.request('loaded', {});
  return { ...loader.finish(), ...damage };
}

class TreeLoader {
  readonly #kernel: Kernel;
  /** The id of a parent → rows that were read before it. */
  readonly #waiting = new Map<number, LoadedRow[]>();
  readonly #orphans: number[] = [];
  readonly #unusable: string[] = [];

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }

  take(row: LoadedRow): void {
    const parent = this.#kernel.tree.find(row[2]);
    if (parent !== undefined) return this.#addWithChildren(row, parent);
    const others = this.#waiting.get(row[2]);
    if (others === undefined) this.#waiting.set(row[2], [row]);
    else others.push(row);
  }

  takeProfile(text: string): void {
    try {
      this.#kernel.profiles.load(JSON.parse(text) as Profile);
    } catch (thrown) {
      this.#unusable.push(`profile ${text.slice(0, 40)}: ${messageOf(thrown)}`);
    }
  }

  finish(): Pick<LoadReport, 'objects' | 'orphans' | 'unusable'> {
    // The parent of the remaining rows is missing, or is one of their own descendants.
    while (this.#waiting.size > 0) {
      const missing = [...this.#waiting.keys()].find((id) => !this.#isWaiting(id));
      const [parent = 0, rows = []] =
        missing === undefined ? ([...this.#waiting][0] ?? []) : [missing, this.#waiting.get(missing)];
      this.#waiting.delete(parent);
      for (const row of rows) this.#adopt(row);
    }
    const { size } = this.#kernel.tree;
    return { objects: size - 1, orphans: this.#orphans, unusable: this.#unusable };
  }

  #isWaiting(id: number): boolean {
    for (const rows of this.#waiting.values()) if (rows.some((row) => row[0] === id)) return true;
    return false;
  }

  /** Adds an object below the root, without its ident if that is taken there. */
  #adopt(row: LoadedRow): void {
    const { root } = this.#kernel.tree;
    const [id, type, , attributes, ...rest] = row;
    const isTaken = attributes.ident !== undefined && root.children?.byIdent(attributes.ident) !== undefined;
    this.#orphans.push(id);
    this.#addWithChildren([id, type, 0, isTaken ? { ...attributes, ident: '' } : attributes, ...rest], root);
    const object = this.#kernel.tree.find(id);
    if (object !== undefined) this.#kernel.journal.markObject(object);
  }

  #addWithChildren(row: LoadedRow, parent: TreeObject): void {
    const ready: [LoadedRow, TreeObject][] = [[row, parent]];
    for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
      try {
        const object = loadRow(this.#kernel, ...next);
        const children = this.#waiting.get(object.id);
        this.#waiting.delete(object.id);
        for (const child of children ?? []) ready.push([child, object]);
      } catch (thrown) {
        this.#unusable.push(`#${next[0][0]}: ${messageOf(thrown)}`);
      }
    }
  }
}
