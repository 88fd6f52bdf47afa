import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../sqlite/worker-server.js';
import { listStoredBackups, readBackup } from './backup-list.js';
import { Database } from './database.js';
import type { StoreRequest } from './worker-protocol.js';

/** Serves requests with the open database; the request `open` opens one. */
class StoreServer {
  #database: Database | undefined;

  serve(message: StoreRequest): object {
    if (message.request === 'open') {
      this.#database?.close();
      this.#database = new Database(message.places);
      return this.#database.open(message.nowMs, message.life);
    }
    if (message.request === 'close') {
      this.#database?.close();
      return {};
    }
    if (this.#database === undefined) throw new Error('the store is not open');
    return serveFrom(this.#database, message);
  }
}

function serveFrom(
  database: Database,
  message: Exclude<StoreRequest, { request: 'open' | 'close' }>,
): object {
  switch (message.request) {
    case 'rows':
      return database.rows(message.after);
    case 'loaded':
      return database.loaded();
    case 'stage':
      database.stage(message.values);
      return {};
    case 'commit':
      database.commit(message.batch);
      return {};
    case 'runtime':
      database.keep(message.values, message.counter);
      return {};
    case 'audit':
      return { records: database.audit(message) };
    case 'backup':
      return database.backup(message);
    case 'backups':
      return { backups: listStoredBackups(message.directory) };
    case 'readBackup':
      return readBackup(message.path);
    case 'status':
      return { bytes: database.written() };
  }
}

if (parentPort !== null) {
  const server = new StoreServer();
  serveRequests(parentPort, (message: StoreRequest) => server.serve(message));
}
