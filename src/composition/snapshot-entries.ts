import { yieldToEventLoop } from '../base/event-loop.js';
import { SLICE_OBJECTS, SnapshotReader } from '../kernel/snapshot.js';
import type { Tree } from '../kernel/tree.js';

/**
 * Maximum number of objects whose entries are built in advance: about 10 MiB. In a larger tree, the first
 * snapshot builds the others.
 */
const MAX_OBJECTS = 20_000;

/**
 * Snapshots built after the start. The first creates the entries. With the garbage of the others, V8 moves the entries
 * to its space for old objects, grows its space for new ones and optimizes the code; otherwise, the snapshots of the
 * first clients do (docs/reference/performance.md).
 */
const ROUNDS = 5;

/**
 * Builds snapshots after the start, slice by slice, and discards them. The tree caches its entries, so that
 * the first client waits no longer than later ones. Returns a function that stops this.
 */
export function buildSnapshotEntries(tree: Tree): () => void {
  let isStopped = false;
  void build();
  return () => {
    isStopped = true;
  };

  async function build(): Promise<void> {
    for (let round = 0; round < ROUNDS && !isStopped; round++) {
      const reader = new SnapshotReader(tree);
      for (let count = 0; count < MAX_OBJECTS && !isStopped; count += SLICE_OBJECTS) {
        if (reader.read() === undefined) break;
        await yieldToEventLoop();
      }
      reader.close();
    }
  }
}
