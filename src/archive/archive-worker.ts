import { parentPort } from 'node:worker_threads';
import { answerAll } from '../store/answering.js';
import { writtenByThread } from '../store/files.js';
import type { MessageOf } from '../store/messages.js';
import { deleteRecords, mendTimes, moveRecords, resum } from './changing.js';
import { compact } from './compaction.js';
import { factsOf } from './facts.js';
import { ArchiveFile } from './file.js';
import type { Asked } from './messages.js';
import { aggregated, logged, records } from './reading.js';

type Message = MessageOf<Asked>;

/** Answers one question about the archive that is open; `open` opens one. */
class Desk {
  #file: ArchiveFile | undefined;

  answer(message: Message): object {
    if (message.ask === 'open') {
      this.#file?.close();
      this.#file = new ArchiveFile(message.directory);
      return this.#file.open(message.nowMs);
    }
    if (this.#file === undefined) throw new Error('the archive is not open');
    return answerFrom(this.#file, message);
  }
}

function answerFrom(file: ArchiveFile, message: Exclude<Message, { ask: 'open' }>): object {
  switch (message.ask) {
    case 'write':
      file.write(message);
      return file.found();
    case 'logged':
      return logged(file, message.range);
    case 'records':
      return records(file, message.range);
    case 'aggregated':
      return { fields: aggregated(file, message.range) };
    case 'facts':
      return { series: factsOf(file) };
    case 'delete':
      return deleteRecords(file, message);
    case 'move':
      return moveRecords(file, message);
    case 'mend':
      return mendTimes(file, message);
    case 'compact':
      return compact(file, message);
    case 'resum':
      return resum(file, message);
    case 'status':
      return { bytes: writtenByThread() };
    case 'close':
      file.close();
      return {};
  }
}

if (parentPort !== null) {
  const desk = new Desk();
  answerAll(parentPort, (message: Message) => desk.answer(message));
}
