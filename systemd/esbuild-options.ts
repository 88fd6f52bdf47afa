import type { BuildOptions } from 'esbuild';

/** Options of every bundle. */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Options of programs that run on the gateway's own Node. */
export const nodeBuildOptions = {
  ...bundleOptions,
  platform: 'node',
  target: 'node24',
  // CommonJS packages expect `require`, which a module does not have.
  banner: {
    js: "import { createRequire as requirer } from 'node:module'; const require = requirer(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** Packages of many small files that only the gateway's program needs: they are bundled into it. */
export const BUNDLED_PACKAGES = ['@sinclair/typebox', 'yaml'];
