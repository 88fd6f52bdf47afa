import { fileURLToPath } from 'node:url';

/**
 * The directory of the package, ending in `/`: the checkout, or the installed bundle. Compiled sources and
 * the bundled program are equally deep below it.
 */
export const PACKAGE_ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The path of an addon or a program that the build made from C. */
export const nativeFile = (name: string): string => `${PACKAGE_ROOT}build/${name}`;
