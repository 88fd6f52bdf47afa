import { useApp } from './app.js';
import { ConnectionBanner } from './banner.js';

interface StatusProps {
  /** Where it is; undefined: on the page. */
  readonly dialog?: { readonly current: HTMLDialogElement | null };
}

/** The state of the connection and what is announced, in the topmost dialog: all outside of it is inert. */
export function Status({ dialog }: StatusProps) {
  const { dialogs } = useApp();
  return dialogs.value[0] === dialog?.current ? (
    <>
      <ConnectionBanner />
      <LiveRegions />
    </>
  ) : null;
}

/** What screen readers announce: results of the user's own actions, never streaming values. */
function LiveRegions() {
  const { polite, assertive } = useApp();
  return (
    <>
      <p class="unseen" role="status">
        {polite}
      </p>
      <p class="unseen" role="alert">
        {assertive}
      </p>
    </>
  );
}
