import { registerHooks } from 'node:module';

const url = (path: string): string => new URL(path, import.meta.url).href;
const WORKER_CLIENT = url('../../src/sqlite/worker-client.js');

/** Has tap, imported afterwards, use the `Domain` of domain.ts. */
export function replaceDomain(): void {
  replace((specifier) => (specifier === 'async-hook-domain' ? url('domain.js') : undefined));
}

/** Has the databases, imported afterwards, use the `Worker` of reused-threads.ts. */
export function replaceThreads(): void {
  replace((specifier, parent) =>
    specifier === 'node:worker_threads' && parent === WORKER_CLIENT ? url('reused-threads.js') : undefined,
  );
}

function replace(replacementOf: (specifier: string, parent: string) => string | undefined): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const replacement = replacementOf(specifier, context.parentURL ?? '');
      return replacement === undefined ? next(specifier, context) : { url: replacement, shortCircuit: true };
    },
  });
}
