/**
 * A gateway on a board of one's own, as `stellwerk serve` has it on the package's: `node --expose-gc
 * large-board.js CONFIG DATA BOARDS`. Says its port.
 */
import { Gateway } from '../../src/composition/gateway.js';
import { ServiceLog } from '../../src/service/log.js';

const [, , configFile = '', directory = '', boards = ''] = process.argv;
globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' });
const log = new ServiceLog({ write: () => undefined, form: 'json' });
const gateway = await Gateway.start({ configFile, directory, boards, log });
console.log(`port ${gateway.port()}`);
