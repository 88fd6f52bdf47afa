const CONTROLS = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled';

/**
 * Focuses an element when it appears: pass it as `ref`. The attribute `autofocus` has no effect on a page
 * that had a focus before, except in a dialog that opens.
 */
export function takeFocus(element: HTMLElement | null): void {
  element?.focus();
}

/**
 * The `ref` of an element with rows that a button in them removes. The browser would move the focus of a removed
 * row to the start of the page: it moves to the next control, or to the last one if none follows.
 */
export function keepFocus(list: HTMLElement | null): void {
  if (list === null) return;
  let focused: HTMLElement | null = null;
  list.addEventListener('focusin', ({ target }) => (focused = target as HTMLElement));
  new MutationObserver((records) => {
    const removal = records.find(({ removedNodes }) =>
      [...removedNodes].some((node) => node.contains(focused)),
    );
    // A dialog returns the focus itself.
    if (removal === undefined || focused?.closest('dialog') || document.activeElement !== document.body)
      return;
    // A moved row loses the focus, too.
    if (focused?.isConnected) return focused.focus();
    const { nextSibling, target } = removal;
    const isNext = (control: Element) => {
      if (nextSibling?.isConnected !== true) return isAfter(target, control) && !target.contains(control);
      return control === nextSibling || isAfter(nextSibling, control);
    };
    const controls = [...list.querySelectorAll<HTMLElement>(CONTROLS)];
    (controls.find(isNext) ?? controls[controls.length - 1])?.focus();
  }).observe(list, { childList: true, subtree: true });
}

/** Whether an element begins after a node begins. */
function isAfter(node: Node, element: Element): boolean {
  return (node.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}
