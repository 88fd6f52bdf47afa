import type { MessagePort } from 'node:worker_threads';
import { Fault, messageOf } from '../base/fault.js';
import { sqliteCodeOf } from './connection.js';
import type { WorkerFailure, WorkerReply } from './worker-protocol.js';

/** In a worker: takes questions one after the other, answers each; what is thrown goes back to who asked. */
export function serveRequests<M extends { readonly id: number }>(
  port: MessagePort,
  answer: (message: M) => object,
): void {
  port.on('message', (message: M) => {
    let reply: WorkerReply;
    try {
      reply = { id: message.id, answer: answer(message) };
    } catch (thrown) {
      reply = { id: message.id, failure: failureOf(thrown) };
    }
    port.postMessage(reply);
  });
}

function failureOf(thrown: unknown): WorkerFailure {
  return {
    message: messageOf(thrown),
    sqlite: sqliteCodeOf(thrown),
    fault: thrown instanceof Fault ? thrown.code : undefined,
  };
}
