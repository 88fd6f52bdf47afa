import type { MessagePort } from 'node:worker_threads';
import { parameterRecord } from '../base/codes/coded-text.js';
import { Fault, messageOf } from '../base/fault.js';
import { sqliteCodeOf } from './connection.js';
import type { WorkerFailure, WorkerReply } from './worker-protocol.js';

/**
 * Runs in a worker: serves requests one after the other and sends each reply, or what was thrown, to the
 * client.
 */
export function serveRequests<R extends { readonly id: number }>(
  port: MessagePort,
  serve: (request: R) => object,
): void {
  port.on('message', (request: R) => {
    let reply: WorkerReply;
    try {
      reply = { id: request.id, reply: serve(request) };
    } catch (thrown) {
      reply = { id: request.id, failure: failureOf(thrown) };
    }
    port.postMessage(reply);
  });
}

function failureOf(thrown: unknown): WorkerFailure {
  const failure = { message: messageOf(thrown), sqlite: sqliteCodeOf(thrown) };
  if (!(thrown instanceof Fault)) return failure;
  return { ...failure, fault: thrown.code, parameters: thrown.parameters?.map(parameterRecord) };
}
