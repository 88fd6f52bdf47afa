import { resolve } from 'node:path';
import { systemClock } from '../../base/clock.js';
import { exportGateway } from '../../composition/export/export-gateway.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { locateData } from '../arguments/locate-gateway.js';
import { ProgressLine } from '../output/progress-line.js';

/** `stellwerk export`: the tree as a configuration. */
export const exportCommand = command({
  usage: 'export [options] > gateway.yaml',
  about: `Prints a gateway.yaml that describes a gateway as it is, including objects that were created by calls. Reads a copy
of the data: the gateway may be running, and nothing is changed. Passwords and secrets are replaced by ***; what the
file cannot express is listed in comments at its end. Values are those last written to the disk.`,
  options: {
    data: {
      type: 'string',
      value: 'DIR',
      help: 'the data directory; default /var/lib/stellwerk, in a checkout data/',
    },
    backup: { type: 'string', value: 'FILE', help: 'a backup instead of a data directory' },
    config: {
      type: 'string',
      value: 'FILE',
      help: 'the configuration that provides everything except the tree; default: that of the data directory,\nor the one in the backup',
    },
    'no-values': {
      type: 'boolean',
      help: 'omit the values of variables: for comparing and version control',
    },
  },
  words: [0, 0],
  exits: '0 done, 1 failed (the database is damaged), 78 the configuration is not YAML, 130 cancelled',
  run: async ({ data, backup, config, 'no-values': noValues = false }) => {
    if (data !== undefined && backup !== undefined) throw new UsageError('give either --data or --backup');
    const place = backup === undefined ? locateData(data, config) : undefined;
    const from = backup === undefined ? { data: resolve(place?.data ?? '') } : { backup: resolve(backup) };
    const named = place === undefined ? config : place.config;
    // Ctrl-C would leave the copy of the data.
    using line = new ProgressLine(() => systemClock().nowMs());
    const { text, notes } = await exportGateway({
      from,
      config: named === undefined ? undefined : resolve(named),
      values: !noValues,
      signal: line.signal,
    });
    process.stdout.write(text);
    if (notes.length > 0)
      process.stderr.write(
        `not in the file (also listed at its end):\n${notes.map((note) => `  ${note}\n`).join('')}`,
      );
    return exitCode.ok;
  },
});
