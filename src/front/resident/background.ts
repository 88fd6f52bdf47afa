import type { App } from './app.js';

/** Starts what the page does besides showing its first view. Without a part, as without a connection, it works. */
export function start(app: App, isOwnerView: boolean): void {
  if (isOwnerView) void import('./owner-view.js').then(({ install }) => install(app));
  // Without it the page receives everything.
  void import('./narrowing.js').then(({ narrowChanges }) => narrowChanges(app));
  // Before an update: afterwards it could not be loaded.
  void import('./reload.js').then(({ reloadWhenRead }) => reloadWhenRead(app));
  // Only where it is possible.
  if (isSecureContext)
    void import('../web/install.js').then(({ install, confirmConnection }) => {
      confirmConnection(() => app.gateway.call('WFC_GetSnapshotChanges', [app.facts.id, 0]));
      return install(app.base);
    });
}
