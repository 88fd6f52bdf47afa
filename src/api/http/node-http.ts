import type { RequestListener } from 'node:http';
import type { Server, ServerOptions } from 'node:https';

/**
 * `node:http`, loaded without the module loader. An import evaluates all that the module exports, `WebSocket`
 * among it, and that loads all of Node's own fetch: 13 MB and 50 ms for what nobody here uses.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');

/** A server with TLS, which is loaded with the first one: 5 MB of it. */
export const createTlsServer = (options: ServerOptions, listener?: RequestListener): Server =>
  process.getBuiltinModule('node:https').createServer(options, listener);
