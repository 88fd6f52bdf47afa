/** A page may use addresses of scripts only through a policy (require-trusted-types-for). */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** Why the browser keeps no program and receives no notifications. */
export type NotInstalled = 'insecure' | 'unsupported' | 'untrusted';

let pending: Promise<ServiceWorkerRegistration | NotInstalled> | undefined;

/**
 * Registers the service worker of the page at `base`, once. It needs TLS that the device trusts: after a
 * dismissed warning, browsers reject it.
 */
export function install(base: string): Promise<ServiceWorkerRegistration | NotInstalled> {
  pending ??= register(base);
  return pending;
}

/** Confirms to the service worker that the page is connected, if `probe` succeeds. */
export function confirmConnection(probe: () => Promise<unknown>): void {
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  container?.addEventListener('message', ({ ports: [port] }) => {
    probe().then(
      () => port?.postMessage(true),
      () => undefined,
    );
  });
  container?.startMessages();
}

async function register(base: string): Promise<ServiceWorkerRegistration | NotInstalled> {
  if (!isSecureContext) return 'insecure';
  // A browser without it has no such property, whatever its type says.
  const container = navigator.serviceWorker as ServiceWorkerContainer | undefined;
  if (container === undefined) return 'unsupported';
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const url = `${base}worker.js`;
  const policy = trustedTypes?.createPolicy('stellwerk-worker', { createScriptURL: (given) => given });
  try {
    return await container.register(policy?.createScriptURL(url) ?? url, { scope: base });
  } catch {
    return 'untrusted';
  }
}
