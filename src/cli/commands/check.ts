import { systemClock } from '../../base/clock.js';
import { reviewFacts } from '../../composition/review-facts.js';
import { ConfigurationError, formatFinding, type ConfigFinding } from '../../config/document.js';
import type { ConfigSource } from '../../config/config-source.js';
import { loadConfig } from '../../config/load.js';
import { createModuleList } from '../../composition/module-list.js';
import { command } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { configPath, configSource } from '../arguments/locate-gateway.js';

/** `stellwerk check [FILE]`: reports the errors of a configuration by line. */
export const check = command({
  usage: 'check [--start] [FILE | --config FILE]',
  about: `Checks a configuration without a gateway, and prints each error with file, line, column and key: everything
that a start or a reload would report. Valid but probably unintended settings are warnings. Without FILE:
$STELLWERK_CONFIG, /etc/stellwerk/gateway.yaml, or in a checkout the sample of make run; if the data directory has
a gateway.yaml of its own, which the console has written, that one.`,
  options: {
    config: { type: 'string', value: 'FILE', help: 'the same as FILE' },
    start: {
      type: 'boolean',
      help: 'return 78 only for errors with which the gateway does not start; the others are printed',
    },
  },
  words: [0, 1],
  exits: '0 no errors (there may be warnings), 78 errors, or the file cannot be read',
  run: async ({ config, start = false }, [file]) => {
    const given = file ?? config;
    const source = configSource(configPath(given));
    const path = given ?? source.file;
    const findings = await findingsIn(given ?? source);
    for (const finding of findings) process.stderr.write(`${formatFinding(path, finding)}\n`);
    const warnings = findings.filter(({ severity }) => severity === 'warning').length;
    const errors = findings.length - warnings;
    const counted = [...countOf(errors, 'error'), ...countOf(warnings, 'warning')].join(', ');
    if (source.isOverlay)
      process.stdout.write(`${source.file} replaces ${configPath(given)}: the console has changed it\n`);
    process.stdout.write(`${path}: ${counted === '' ? 'fine' : counted}\n`);
    // A start tolerates the others, such as a reference to an object that a call created.
    const isRejected = start ? findings.some(({ severity }) => severity === 'error') : errors > 0;
    return isRejected ? exitCode.configuration : exitCode.ok;
  },
});

async function findingsIn(path: string | ConfigSource): Promise<readonly ConfigFinding[]> {
  try {
    return (await loadConfig(path, createModuleList(systemClock()), reviewFacts)).findings;
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    return thrown.findings;
  }
}

const countOf = (count: number, what: string): string[] =>
  count === 0 ? [] : [`${count} ${what}${count > 1 ? 's' : ''}`];
