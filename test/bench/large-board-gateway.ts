/**
 * A gateway on a board of the test, otherwise like `stellwerk serve`: `node --expose-gc
 * large-board-gateway.js CONFIG DATA BOARDS`. Prints its port.
 */
import { Gateway } from '../../src/composition/gateway.js';
import { ServiceLog } from '../../src/service/log.js';

const [, , configFile = '', directory = '', boards = ''] = process.argv;
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
const log = new ServiceLog({ write: () => undefined, form: 'json' });
const gateway = await Gateway.start({ configFile, directory, boards, log });
console.log(`port ${gateway.port()}`);
