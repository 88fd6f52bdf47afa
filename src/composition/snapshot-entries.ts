import { yieldToEventLoop } from '../base/event-loop.js';
import { SLICE_OBJECTS, SnapshotReader } from '../kernel/snapshot.js';
import type { Tree } from '../kernel/tree.js';

/**
 * Objects whose entries are built ahead: about 10 MiB. In a larger tree the first snapshot builds the rest.
 */
const MAX_OBJECTS = 20_000;

/**
 * Reads a snapshot after the start, slice by slice, and discards it: the tree keeps the entries, so that the
 * first client waits no longer than the next ones. Call what it returns to stop it.
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
