import { realTiming } from '../../../client/timing.js';

/** How long the browser may take to begin a download, ms. */
const KEPT_MS = 60_000;

/** Offers a text as a download. */
export function saveFile(name: string, parts: readonly string[], type = 'text/plain;charset=utf-8'): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type }));
  link.download = name;
  link.click();
  realTiming.after(KEPT_MS, () => URL.revokeObjectURL(link.href));
}
