import { join } from 'node:path';
import { Gateway } from '../../src/composition/gateway.js';
import { ServiceLog } from '../../src/service/log.js';

/** Starts a gateway whose `gateway.yaml` and `data` are in a directory, without a log. */
export function startQuietly(directory: string): Promise<Gateway> {
  return Gateway.start({
    configFile: join(directory, 'gateway.yaml'),
    directory: join(directory, 'data'),
    log: new ServiceLog({ write: () => undefined, form: 'json' }),
  });
}
