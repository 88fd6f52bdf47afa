/**
 * Focuses an element when it appears: pass it as `ref`. The attribute `autofocus` has no effect on a page
 * that had a focus before, except in a dialog that opens.
 */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}
