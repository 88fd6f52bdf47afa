import type { IncomingMessage } from 'node:http';
import { fault } from '../../base/fault.js';
import { Lazy } from '../../base/lazy.js';
import type { WebHandler } from './listener.js';

/** What every listener serves: fronts, their media and sessions, the console, programs, trust, monitoring. */
const PATHS =
  /^\/(?:wfc\/\d{1,9}\/(?!api(?:[/?]|$))|console\/|front\/|tls(?:[/?]|$)|metrics(?:\?|$)|health\/ready(?:\?|$))/;

/** Whether it is a request of a browser; programs get the API's reply at `/`. */
function isForBrowsers({ url = '', headers }: IncomingMessage): boolean {
  return PATHS.test(url) || (url === '/' && headers.accept?.includes('text/html') === true);
}

/**
 * What every listener serves to browsers, loaded with the first request for it: a gateway that no browser visits
 * does without fastify. Other paths are not found.
 */
export function lazyWeb(open: () => Promise<WebHandler>): WebHandler {
  const web = new Lazy(open);
  return (request, response, reject) => {
    if (!isForBrowsers(request)) return reject(fault('NOT_FOUND'));
    web.get().then(
      (handle) => handle(request, response, reject),
      (thrown: unknown) => reject(thrown),
    );
  };
}
