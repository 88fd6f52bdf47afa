import { PACKAGE_ROOT } from './package-root.js';

/** The pages, in a checkout and on an installed box. */
const PAGES = `${PACKAGE_ROOT}docs/`;

/** The path of a page of the manual on this machine, for texts that send people there: `boards.md`. */
export const manualPage = (page: string): string => PAGES + page;
