import type { BridgeEnvironment } from '../bridge.js';

type OpenFiles = BridgeEnvironment['openFiles'];

/**
 * Opens the files of a queue when those that were opened earlier are closed: an instance that closes slowly is
 * replaced before it has written what waits.
 */
export function exclusively(open: OpenFiles): OpenFiles {
  /** By queue, when all its files that were opened are closed. */
  const closed = new Map<string, Promise<void>>();
  return async (kind, id, ids) => {
    const queue = `${kind}/${id}`;
    const earlier = closed.get(queue);
    const release = Promise.withResolvers<void>();
    closed.set(queue, release.promise);
    await earlier;
    try {
      const files = await open(kind, id, ids);
      return { ...files, close: () => files.close().finally(release.resolve) };
    } catch (thrown) {
      release.resolve();
      throw thrown;
    }
  };
}
