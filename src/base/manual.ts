import { fileURLToPath } from 'node:url';

/** The pages, in a checkout and on an installed box. */
const PAGES = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** The path of a page of the manual on this machine, for texts that send people there: `boards.md`. */
export const manual = (page: string): string => PAGES + page;
