import { registerHooks } from 'node:module';

/** Has tap, imported afterwards, use the `Domain` of domain.ts. */
export function replaceDomain(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'async-hook-domain'
        ? { url: new URL('domain.js', import.meta.url).href, shortCircuit: true }
        : next(specifier, context),
  });
}
