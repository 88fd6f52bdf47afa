import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useApp } from '../app.js';

/** An image that could not be loaded is requested again when it changes, and with the next connection. */
export function Picture({ address }: { readonly address: string }) {
  const isInert = useApp().isInert.value;
  const hasFailed = useSignal(false);
  useEffect(() => {
    hasFailed.value = false;
  }, [address, isInert]);
  return hasFailed.value ? null : (
    <img class="picture" src={address} alt="" loading="lazy" onError={() => (hasFailed.value = true)} />
  );
}
