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
  // CommonJS packages expect `require`, which ES modules do not have.
  banner: {
    js: "import { createRequire as requirer } from 'node:module'; const require = requirer(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** Packages with many small files that only the gateway needs, which are bundled into its program. */
export const BUNDLED_PACKAGES = ['@sinclair/typebox', 'yaml'];
