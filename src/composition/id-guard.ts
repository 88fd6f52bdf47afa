import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { foldersOf } from '../store/data-directory.js';

/** The places that may refer to an object. */
interface IdSources {
  readonly kernel: Kernel;
  readonly archive: { get(): Promise<{ recordedVariables(): Promise<readonly number[]> }> };
  /** Texts of the store: the applied configuration, and the items of web fronts. */
  readonly store: { metaValues(): Iterable<string> };
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
}

/** Ids that are returned to the pool in one step: as many as it requests in advance. */
const REFILL = 20_000;
/** Objects that are checked in one iteration of the event loop. */
const SLICE = 1_000;

/**
 * Prevents ids from being assigned while something refers to them. At the start, retires the ids of a tree
 * from a version without this check. When all ids have been used, returns those to the pool that nothing
 * refers to.
 */
export async function guardIds(sources: IdSources): Promise<void> {
  const { kernel, directory, log } = sources;
  const { ids } = kernel.tree;
  let isRefilling = false;
  ids.onLow(() => {
    if (isRefilling) return;
    isRefilling = true;
    refill(sources)
      .catch((thrown: unknown) =>
        log.error({}, `the search for unused object IDs failed: ${messageOf(thrown)}`),
      )
      .finally(() => (isRefilling = false));
  });
  if (!ids.isUnsure) return;
  if (kernel.tree.size <= 1 && !existsSync(join(directory, 'archive.db'))) return ids.markComplete();
  const found = new Set<number>();
  await collectReferences(sources, found).catch((thrown: unknown) =>
    log.error({}, `IDs that are still in use may be reassigned: ${messageOf(thrown)}`),
  );
  // Use the references that were found before a failure.
  ids.retire(found);
}

async function refill(sources: IdSources): Promise<void> {
  const { ids } = sources.kernel.tree;
  // Before the search: an id that is free now gets no new reference during the search.
  const free = [...ids.spent()];
  const found = new Set<number>();
  await collectReferences(sources, found);
  const all = free.filter((id) => !found.has(id));
  const { random } = Math;
  for (let n = 0; n < Math.min(REFILL, all.length); n++) {
    const other = n + Math.floor(random() * (all.length - n));
    [all[n], all[other]] = [all[other] as number, all[n] as number];
  }
  ids.refill(all.slice(0, REFILL));
}

/**
 * Adds all ids that something refers to, whether the objects exist or not. Does not search the texts of
 * scripts.
 */
async function collectReferences(
  { kernel, archive, store, directory }: IdSources,
  found: Set<number>,
): Promise<void> {
  const add = (text: string) => {
    for (const [id] of text.matchAll(ID)) found.add(Number(id));
  };
  let seen = 0;
  for (const object of kernel.tree.all()) {
    if (++seen % SLICE === 0) await yieldToEventLoop();
    for (const id of referencesOf(object)) found.add(id);
    if (object.is(objectType.instance)) add(JSON.stringify(object.data.properties));
    if (object.is(objectType.event)) add(JSON.stringify(object.data));
  }
  for (const text of store.metaValues()) add(text);
  // Files of deleted scripts and media objects are named after their ids.
  for (const folder of Object.values(foldersOf(directory)))
    if (existsSync(folder)) for (const name of readdirSync(folder)) add(name);
  if (existsSync(join(directory, 'archive.db')))
    for (const id of await (await archive.get()).recordedVariables()) found.add(id);
}

const ID = /(?<!\d)\d{5,6}(?!\d)/g;

function referencesOf(object: TreeObject): readonly number[] {
  if (object.is(objectType.link)) return [object.data.targetId];
  if (object.is(objectType.variable)) return [object.data.action, object.data.customAction];
  return object.is(objectType.instance) ? [object.data.connectionId] : [];
}
