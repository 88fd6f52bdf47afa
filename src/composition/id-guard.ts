import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { yieldToEventLoop } from '../base/event-loop.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { foldersOf } from '../store/data-directory.js';

/** What may mention an object. */
interface IdSources {
  readonly kernel: Kernel;
  readonly archive: { get(): Promise<{ recordedVariables(): Promise<readonly number[]> }> };
  /** Small things of the store: what the configuration made, and what web fronts show. */
  readonly store: { metaValues(): Iterable<string> };
  /** The data directory. */
  readonly directory: string;
  readonly log: Log;
}

/** Ids that are brought back in one go: as many as the pool asks for in advance. */
const REFILL = 20_000;
/** Objects that are checked in one iteration of the event loop. */
const SLICE = 1_000;

/**
 * Sees to it that no id is given while something refers to it: ids of a tree from before such care was taken
 * are retired at the start; when all ids have been used, those to which nothing refers are brought back.
 */
export async function guardIds(sources: IdSources): Promise<void> {
  const { kernel, directory, log } = sources;
  const { ids } = kernel.tree;
  let isLooking = false;
  ids.onLow(() => {
    if (isLooking) return;
    isLooking = true;
    refill(sources)
      .catch((thrown: unknown) => log.error({}, `no object IDs could be found: ${messageOf(thrown)}`))
      .finally(() => (isLooking = false));
  });
  if (!ids.isUnsure) return;
  if (kernel.tree.size <= 1 && !existsSync(join(directory, 'archive.db'))) return ids.markComplete();
  const found = new Set<number>();
  await mentioned(sources, found).catch((thrown: unknown) =>
    log.error({}, `IDs that are in use may be given again: ${messageOf(thrown)}`),
  );
  // Whatever failed, what was found before it counts.
  ids.retire(found);
}

async function refill(sources: IdSources): Promise<void> {
  const { ids } = sources.kernel.tree;
  // First what was free already: nothing can refer to it from now on.
  const free = [...ids.spent()];
  const found = new Set<number>();
  await mentioned(sources, found);
  const all = free.filter((id) => !found.has(id));
  const { random } = Math;
  for (let n = 0; n < Math.min(REFILL, all.length); n++) {
    const other = n + Math.floor(random() * (all.length - n));
    [all[n], all[other]] = [all[other] as number, all[n] as number];
  }
  ids.refill(all.slice(0, REFILL));
}

/**
 * Adds every id that something refers to, whether there is such an object or not; texts of scripts do not
 * count.
 */
async function mentioned(
  { kernel, archive, store, directory }: IdSources,
  found: Set<number>,
): Promise<void> {
  const add = (text: string) => {
    for (const [id] of text.matchAll(ID)) found.add(Number(id));
  };
  let seen = 0;
  for (const object of kernel.tree.all()) {
    if (++seen % SLICE === 0) await yieldToEventLoop();
    for (const id of namedBy(object)) found.add(id);
    if (object.is(objectType.instance)) add(JSON.stringify(object.data.properties));
    if (object.is(objectType.event)) add(JSON.stringify(object.data));
  }
  for (const text of store.metaValues()) add(text);
  // A file of a script or a medium that is gone has its id for a name.
  for (const folder of Object.values(foldersOf(directory)))
    if (existsSync(folder)) for (const name of readdirSync(folder)) add(name);
  if (existsSync(join(directory, 'archive.db')))
    for (const id of await (await archive.get()).recordedVariables()) found.add(id);
}

const ID = /(?<!\d)\d{5,6}(?!\d)/g;

function namedBy(object: TreeObject): readonly number[] {
  if (object.is(objectType.link)) return [object.data.targetId];
  if (object.is(objectType.variable)) return [object.data.action, object.data.customAction];
  return object.is(objectType.instance) ? [object.data.connectionId] : [];
}
