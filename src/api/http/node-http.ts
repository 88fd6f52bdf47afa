import type { RequestListener } from 'node:http';
import type { Server, ServerOptions } from 'node:https';

/**
 * `node:http`, loaded without the module loader. An import evaluates all exports of the module, including
 * `WebSocket`, which loads Node's fetch: 13 MB and 50 ms for unused code.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** Creates a server with TLS. `node:https` takes 5 MB, so it is loaded by the first call. */
export const createTlsServer = (options: ServerOptions, listener?: RequestListener): Server =>
  process.getBuiltinModule('node:https').createServer(options, listener);
