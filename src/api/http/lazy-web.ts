import { fault } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import type { WebHandler } from './listener.js';

/** Paths of browsers that every listener serves: sessions, media of fronts, the console. */
const PATHS = /^\/(?:wfc\/\d{1,9}\/(?!api(?:[/?]|$))|console\/)/;

/**
 * What every listener serves to browsers, loaded with the first request for it: a gateway that no browser visits
 * does without fastify. Other paths are not found.
 */
export function lazyWeb(open: () => Promise<WebHandler>): WebHandler {
  const web = new Lazy(open);
  return (request, response, reject) => {
    if (!PATHS.test(request.url ?? '')) return reject(fault('NOT_FOUND'));
    web.get().then(
      (handle) => handle(request, response, reject),
      (thrown: unknown) => reject(thrown),
    );
  };
}
