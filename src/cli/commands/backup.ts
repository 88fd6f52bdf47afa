import { resolve } from 'node:path';
import { backupDirectory } from '../../store/restore.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { locateData } from '../arguments/locate-gateway.js';

/** `stellwerk backup FILE`: everything of a gateway in one file. */
export const backup = command({
  usage: 'backup [options] FILE',
  about: `Writes a backup of a gateway to FILE: the tree with all values, scripts, configuration, icons and media. The
gateway may be running. FILE may contain secrets and is readable by its owner only.`,
  options: {
    data: {
      type: 'string',
      value: 'DIR',
      help: 'the data directory; default /var/lib/stellwerk, in a checkout data/',
    },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'the configuration; default: that of the data directory',
    },
  },
  words: [1, 1],
  exits: '0 done, 1 failed (FILE exists, the database is damaged, the disk is full)',
  run: async (options, [file = '']) => {
    const { data, config } = locateData(options.data, options.config);
    const { bytes, leftOut } = backupDirectory(resolve(data), { to: resolve(file), config });
    const what = config === undefined ? 'without a configuration (--config FILE)' : `with ${config}`;
    process.stdout.write(`${file}: ${bytes} bytes, from ${data}, ${what}\n`);
    if (leftOut.length > 0) process.stdout.write(`too large, and left out: ${leftOut.join(', ')}\n`);
    return exitCode.ok;
  },
});
