import { registerHooks, type ResolveHookContext } from 'node:module';

const url = (path: string): string => new URL(path, import.meta.url).href;
const WORKER_CLIENT = url('../../src/sqlite/worker-client.js');

/** Has tap, imported afterwards, use the `Domain` of domain.ts. */
export function replaceDomain(): void {
  replace((specifier) => (specifier === 'async-hook-domain' ? url('domain.js') : undefined));
}

/** Has tap, imported afterwards, use the comparisons of comparison.ts. */
export function replaceComparison(): void {
  // The replacement itself requires the original.
  replace((specifier, { conditions }) =>
    specifier === 'tcompare' && conditions.includes('import') ? url('comparison.js') : undefined,
  );
}

/** Has the databases, imported afterwards, use the `Worker` of reused-threads.ts. */
export function replaceThreads(): void {
  replace((specifier, { parentURL }) =>
    specifier === 'node:worker_threads' && parentURL === WORKER_CLIENT ? url('reused-threads.js') : undefined,
  );
}

type ReplacementOf = (specifier: string, context: ResolveHookContext) => string | undefined;

function replace(replacementOf: ReplacementOf): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const replacement = replacementOf(specifier, context);
      return replacement === undefined ? next(specifier, context) : { url: replacement, shortCircuit: true };
    },
  });
}
