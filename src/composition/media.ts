import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { messageOf } from '../base/fault.js';
import { Lazy } from '../base/lazy.js';
import type { Log } from '../base/log.js';
import type { MediaPort } from '../functions/ports.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType } from '../kernel/object.js';
import type { MediaContents } from '../media/contents.js';

/**
 * The contents of a gateway's media objects; loaded on first use, or by `start` when the tree has media
 * objects.
 */
export interface LazyMedia {
  readonly get: () => Promise<MediaPort>;
  /** Reads the files of the existing media objects. */
  start(): void;
  close(): Promise<void>;
}

interface MediaDependencies {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  /** The data directory. */
  readonly directory: string;
}

/** The files of media objects and icons in a data directory. */
export function lazyMedia({ kernel, clock, log, directory }: MediaDependencies): LazyMedia {
  const contents = new Lazy<MediaContents>(async () => {
    const [{ MediaContents }, { MediaFiles }, { Icons }] = await Promise.all([
      import('../media/contents.js'),
      import('../media/media-files.js'),
      import('../media/icons.js'),
    ]);
    const files = new MediaFiles(directory);
    const icons = new Icons(join(directory, 'icons'));
    return new MediaContents({ kernel, files, icons, log, nowMs: () => clock.nowMs() });
  });
  const load = async () => (await contents.get()).start();
  return {
    get: contents.get,
    start: () => {
      const { done } = kernel.tree.objectsOfType(objectType.media).next();
      if (done !== true) load().catch((thrown: unknown) => log.error({}, messageOf(thrown)));
    },
    close: async () => (await contents.current())?.close(),
  };
}
