import { useEffect } from 'preact/hooks';
import { rejected } from '../../../client/link.js';
import { realTiming } from '../../../client/timing.js';
import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';
import { rejectedTexts } from './rejected-texts.js';

/** Why the gateway does not accept this page, and what to do. */
export function RejectedPage({ code }: { readonly code: number }) {
  const own = rejectedTexts();
  if (code === rejected.host) return <Explanation title={own.hostTitle} text={own.hostText} />;
  if (code === rejected.area) return <Explanation title={own.areaTitle} text={own.areaText} />;
  return <Pause />;
}

/** The gateway requests a pause; after it, the page tries again. */
function Pause() {
  const app = useApp();
  const state = app.gateway.state.value;
  const seconds = state.kind === 'rejected' ? state.waitS : 0;
  useEffect(() => realTiming.after(seconds * 1000, () => app.gateway.enter()), [state]);
  return <Explanation title={app.facts.title} text={texts().signIn.wait(seconds)} />;
}

function Explanation({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <main class="sign-in">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/">{rejectedTexts().allAreas}</a>
      </p>
    </main>
  );
}
