import { rejected } from '../../../client/link.js';
import { texts } from '../../web/i18n/i18n.js';
import { useApp } from '../app.js';

/** Why the gateway does not accept this page, and what to do. */
export function RefusedPage({ code }: { readonly code: number }) {
  const app = useApp();
  const { link, signIn } = texts();
  if (code === rejected.host) return <Explanation title={link.hostTitle} text={link.hostText} />;
  if (code === rejected.area) return <Explanation title={link.areaTitle} text={link.areaText} />;
  const state = app.gateway.state.value;
  const seconds = state.kind === 'refused' ? state.waitS : 0;
  return <Explanation title={app.facts.title} text={signIn.wait(seconds)} />;
}

function Explanation({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <main class="sign-in">
      <h1>{title}</h1>
      <p>{text}</p>
      <p>
        <a href="/">{texts().link.allAreas}</a>
      </p>
    </main>
  );
}
