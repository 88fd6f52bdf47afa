import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const ADDON = fileURLToPath(new URL('../../../build/notify.node', import.meta.url));

/**
 * Gives memory that is not needed back to the machine: what of the heap is not, where the program was started with `gc`
 * (`bin/stellwerk` does; else false), and what the C library holds.
 */
export async function trim(): Promise<boolean> {
  if (globalThis.gc === undefined) return false;
  await globalThis.gc({ type: 'major', execution: 'async', flavor: 'last-resort' });
  giveBack();
  return true;
}

/** What the C library holds of memory that nobody uses. Takes some milliseconds where that is much. */
function giveBack(): void {
  (createRequire(import.meta.url)(ADDON) as { giveBack(): void }).giveBack();
}
