import { useEffect, useRef } from 'preact/hooks';

/** Whether the component is still on the page, which a reply may find closed. */
export function useIsMounted(): () => boolean {
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);
  return () => isMounted.current;
}
