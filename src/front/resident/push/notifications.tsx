import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useApp } from '../app.js';
import { readPush, subscribe, unsubscribe, type PushState } from './subscription.js';
import { pushTexts } from './texts.js';

/** Switches the notifications of this device, or says why there are none. */
export function Notifications() {
  const app = useApp();
  const state = useSignal<PushState | undefined>(undefined);
  const text = pushTexts();
  const show = async (action: Promise<PushState>) => {
    state.value = await action.catch(() => 'failed' as const);
  };
  useEffect(() => {
    void show(readPush(app));
  }, []);
  const now = state.value;
  const needsTrust = now === 'insecure' || now === 'untrusted';
  return (
    <section>
      <h2>{text.title}</h2>
      <p class="soft">{text.hint}</p>
      {now !== undefined && now !== 'on' && now !== 'off' && (
        <p class="note" role="status">
          {text.reasons[now]} {needsTrust && <a href="/tls">{text.trust}</a>}
        </p>
      )}
      {(now === 'on' || now === 'off' || now === 'failed') && (
        <p>
          <button
            class="plain"
            role="switch"
            aria-checked={now === 'on'}
            aria-label={text.title}
            onClick={() => void show(now === 'on' ? unsubscribe(app) : subscribe(app))}
          >
            {now === 'on' ? text.on : text.off}
          </button>
        </p>
      )}
    </section>
  );
}
