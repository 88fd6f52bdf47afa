import { resolve } from 'node:path';
import { exportGateway } from '../../composition/export-gateway.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { locateData } from '../arguments/locate-gateway.js';

/** `stellwerk export`: the tree as a configuration. */
export const exportCommand = command({
  usage: 'export [options] > gateway.yaml',
  about: `Prints a gateway.yaml that describes a gateway as it is, with the objects that were created by calls, from which it
can be rebuilt. Works on a copy of the data: the gateway may run or not, and nothing is changed. Passwords and secrets are
replaced by ***; what the file cannot express is listed in comments at its end. Values are those last saved to the disk.`,
  options: {
    data: {
      type: 'string',
      value: 'DIR',
      help: 'the data directory; else /var/lib/stellwerk, or in a checkout data/',
    },
    backup: { type: 'string', value: 'FILE', help: 'a backup in place of a data directory' },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'the configuration from which all but the tree is taken; else the one that belongs to the data directory,\nor the one in the backup',
    },
    'no-values': {
      type: 'boolean',
      help: 'without the values of variables: for comparing and for version control',
    },
  },
  words: [0, 0],
  exits: '0 done, 1 failed (the database is damaged), 78 the configuration is not YAML',
  run: async ({ data, backup, config, 'no-values': noValues = false }) => {
    if (data !== undefined && backup !== undefined) throw new UsageError('give either --data or --backup');
    const place = backup === undefined ? locateData(data, config) : undefined;
    const from = backup === undefined ? { data: resolve(place?.data ?? '') } : { backup: resolve(backup) };
    const named = place === undefined ? config : place.config;
    const { text, notes } = await exportGateway({
      from,
      config: named === undefined ? undefined : resolve(named),
      values: !noValues,
    });
    process.stdout.write(text);
    if (notes.length > 0)
      process.stderr.write(
        `not in the file (also listed at its end):\n${notes.map((note) => `  ${note}\n`).join('')}`,
      );
    return exitCode.ok;
  },
});
