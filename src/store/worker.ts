import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../sqlite/worker-server.js';
import { Database } from './database.js';
import type { StoreRequest } from './worker-protocol.js';

/** Answers one question about the database that is open; `open` opens one. */
class Desk {
  #database: Database | undefined;

  answer(message: StoreRequest): object {
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
    return answerFrom(this.#database, message);
  }
}

function answerFrom(
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
    case 'status':
      return { bytes: database.written() };
  }
}

if (parentPort !== null) {
  const desk = new Desk();
  serveRequests(parentPort, (message: StoreRequest) => desk.answer(message));
}
