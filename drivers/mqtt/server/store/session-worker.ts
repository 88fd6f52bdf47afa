/** The thread that writes the database of a broker: a slow disk must not delay messages. */
import { parentPort } from 'node:worker_threads';
import type { WorkerRequest } from '../../../../src/sqlite/worker-protocol.js';
import { serveRequests } from '../../../../src/sqlite/worker-server.js';
import { SessionDatabase } from './session-database.js';
import type { SessionRequests } from './session-requests.js';

let database: SessionDatabase | undefined;

function serve(message: WorkerRequest<SessionRequests>): object {
  switch (message.request) {
    case 'open': {
      const opened = SessionDatabase.open(message.path, message.maxBytes);
      ({ database } = opened);
      return opened.loaded;
    }
    case 'write':
      database?.write(message.puts, message.deletes);
      return {};
    case 'close':
      database?.close();
      database = undefined;
      return {};
  }
}

if (parentPort !== null) serveRequests(parentPort, serve);
