/**
 * Runs a gateway like `stellwerk serve`, with other board files: `node large-board-gateway.js CONFIG DATA
 * BOARDS`. Prints its port.
 */
import { collectGarbage } from '../../src/base/v8/collect-garbage.js';
import { Gateway } from '../../src/composition/gateway.js';
import { ServiceLog } from '../../src/service/log.js';

const [, , configFile = '', directory = '', boards = ''] = process.argv;
// Otherwise the first collection, at a random moment, would free what loading the modules left.
await collectGarbage();
const log = new ServiceLog({ write: () => undefined, form: 'json' });
const gateway = await Gateway.start({ configFile, directory, boards, log });
console.log(`port ${gateway.port()}`);
