import type { ContentStore } from '../../../src/config/apply/apply-tree.js';
import type { Kernel } from '../../../src/kernel/kernel.js';

/** A content store without files and without an archive, for trees that are applied without a gateway. */
export const fakeContents = (kernel: Kernel): ContentStore => ({
  record: async () => undefined,
  createScript: async (options) => kernel.scripts.create(0, options),
  setScriptText: async () => undefined,
  setScriptFile: async (id, file) => kernel.scripts.setFile(kernel.scripts.get(id), file),
  setMediaFile: async (id, file) => kernel.media.setFile(kernel.media.get(id), file),
  setMediaCached: async (id, cached) => kernel.media.setCached(kernel.media.get(id), cached),
});
