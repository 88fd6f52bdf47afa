import { parentPort } from 'node:worker_threads';
import { serveRequests } from '../sqlite/worker-server.js';
import { writtenByThread } from '../sqlite/database-files.js';
import type { WorkerRequest } from '../sqlite/worker-protocol.js';
import { deleteRecords, correctTimes, moveRecords, rebuildSummaries } from './mutations.js';
import { downsample } from './downsampling.js';
import { recordedVariables, seriesStatistics } from './statistics.js';
import { ArchiveFile } from './archive-file.js';
import type { ArchiveRequests } from './worker-protocol.js';
import { queryAggregated, queryLogged, queryRecords } from './queries.js';

type Message = WorkerRequest<ArchiveRequests>;

/** Serves requests from the open archive. The request `open` opens it. */
class ArchiveServer {
  #file: ArchiveFile | undefined;

  serve(message: Message): object {
    if (message.request === 'open') {
      this.#file?.close();
      this.#file = new ArchiveFile(message.directory);
      return this.#file.open(message.nowMs);
    }
    if (this.#file === undefined) throw new Error('the archive is not open');
    return serveFrom(this.#file, message);
  }
}

function serveFrom(file: ArchiveFile, message: Exclude<Message, { request: 'open' }>): object {
  switch (message.request) {
    case 'write':
      file.write(message);
      return file.takeDamageReport();
    case 'logged':
      return queryLogged(file, message.range);
    case 'records':
      return queryRecords(file, message.range);
    case 'aggregated':
      return { fields: queryAggregated(file, message.range) };
    case 'statistics':
      return { series: seriesStatistics(file) };
    case 'variables':
      return { ids: recordedVariables(file) };
    case 'delete':
      return deleteRecords(file, message);
    case 'move':
      return moveRecords(file, message);
    case 'correctTimes':
      return correctTimes(file, message);
    case 'compact':
      return downsample(file, message);
    case 'rebuildSummaries':
      return rebuildSummaries(file, message);
    case 'status':
      return { bytes: writtenByThread() };
    case 'close':
      file.close();
      return {};
  }
}

if (parentPort !== null) {
  const server = new ArchiveServer();
  serveRequests(parentPort, (message: Message) => server.serve(message));
}
