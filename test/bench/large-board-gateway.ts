/**
 * Runs a gateway like `stellwerk serve`, with other board files: `node --expose-gc large-board-gateway.js CONFIG
 * DATA BOARDS`. Prints its port.
 */
import { Gateway } from '../../src/composition/gateway.js';
import { ServiceLog } from '../../src/service/log.js';

const [, , configFile = '', directory = '', boards = ''] = process.argv;
// Otherwise the first collection, at a random moment, would free what loading the modules left.
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
const log = new ServiceLog({ write: () => undefined, form: 'json' });
const gateway = await Gateway.start({ configFile, directory, boards, log });
console.log(`port ${gateway.port()}`);
