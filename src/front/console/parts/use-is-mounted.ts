import { useLayoutEffect, useRef } from 'preact/hooks';

/** Whether the component is still on the page, which a reply may find closed. */
export function useIsMounted(): () => boolean {
  const isMounted = useRef(true);
  // Effects that are not of the layout end after the next frame.
  useLayoutEffect(() => () => void (isMounted.current = false), []);
  return () => isMounted.current;
}
