import { yieldToEventLoop } from '../base/event-loop.js';
import { SLICE_OBJECTS, SnapshotReader } from '../kernel/snapshot.js';
import type { Tree } from '../kernel/tree.js';

/**
 * Maximum number of objects whose entries are built in advance: about 10 MiB. In a larger tree, the first
 * snapshot builds the others.
 */
const MAX_OBJECTS = 20_000;

/**
 * Builds a snapshot after the start, slice by slice, and discards it. The tree caches its entries, so that
 * the first client waits no longer than later ones. Returns a function that stops this.
 */
export function buildSnapshotEntries(tree: Tree): () => void {
  const reader = new SnapshotReader(tree);
  void read();
  return () => reader.close();

  async function read(): Promise<void> {
    for (let count = 0; count < MAX_OBJECTS && reader.read() !== undefined; count += SLICE_OBJECTS)
      await yieldToEventLoop();
    reader.close();
  }
}
