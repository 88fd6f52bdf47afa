import type { BuildOptions } from 'esbuild';

/** How programs are put together that run on the gateway's own Node. */
export const nodeBuildOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // For the packages of the older kind; theirs is not a module's word.
  banner: {
    js: "import { createRequire as requirer } from 'node:module'; const require = requirer(import.meta.url);",
  },
  logLevel: 'warning',
} as const satisfies BuildOptions;
