import { useSignal } from '@preact/signals';
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';

/** Rows above and below the visible part, so that scrolling shows no gap. */
const MARGIN = 8;

interface VirtualListProps<T> {
  readonly items: readonly T[];
  /** All rows have this height. */
  readonly rowPx: number;
  /** The row to scroll to when it changes; −1: none. */
  readonly visible: number;
  readonly children: (item: T) => ComponentChildren;
  /** Attributes of the element that scrolls: its role, its label, its keys. */
  readonly box: HTMLAttributes<HTMLDivElement>;
}

/** A list of which only the visible rows are elements. */
export function VirtualList<T>({ items, rowPx, visible, children, box: attributes }: VirtualListProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  useEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => (height.value = element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    const element = box.current;
    if (element === null || visible < 0) return;
    const at = visible * rowPx;
    if (at < element.scrollTop) element.scrollTop = at;
    else if (at + rowPx > element.scrollTop + element.clientHeight)
      element.scrollTop = at + rowPx - element.clientHeight;
  }, [visible]);
  // Scrolling repaints only rows that come into view: Preact skips an element that is the same object.
  const rows = useMemo(() => new Map<T, ComponentChildren>(), [items, children]);
  const row = (item: T) => {
    if (!rows.has(item)) rows.set(item, children(item));
    return rows.get(item);
  };
  const first = Math.max(0, Math.floor(top.value / rowPx) - MARGIN);
  const last = Math.min(items.length, Math.ceil((top.value + height.value) / rowPx) + MARGIN);
  const { 'aria-activedescendant': active, ...others } = attributes;
  return (
    <div
      ref={box}
      {...others}
      // A row that is scrolled away is no element.
      aria-activedescendant={visible >= first && visible < last ? active : undefined}
      class="virtual"
      onScroll={(event) => (top.value = event.currentTarget.scrollTop)}
    >
      <div role="presentation" style={{ height: `${items.length * rowPx}px`, position: 'relative' }}>
        <div role="presentation" style={{ transform: `translateY(${first * rowPx}px)` }}>
          {items.slice(first, last).map(row)}
        </div>
      </div>
    </div>
  );
}
