import { statSync } from 'node:fs';
import { systemClock } from '../base/clock.js';
import { ConfigurationError } from '../config/document.js';
import { isLoopback, loadConfig, type LoadedConfig } from '../config/load.js';
import { listenersOf } from '../config/settings.js';
import { closedInstances } from '../config/tree.js';
import { modulesOf } from '../modules.js';
import { command } from './command.js';
import { exitCode } from './exit-codes.js';
import { configPath } from './where.js';

/** `stellwerk check [FILE]`: what is wrong with a configuration, by line. */
export const check = command({
  usage: 'check [FILE | --config FILE]',
  about: `Checks a configuration, and prints each mistake with file, line, column and key. What is no mistake but
may not be meant is printed as a warning. Without FILE: $STELLWERK_CONFIG, /etc/stellwerk/gateway.yaml,
or in a checkout the sample of make run.`,
  options: { config: { type: 'string', value: 'FILE', help: 'the same as FILE' } },
  words: [0, 1],
  exits: '0 no mistakes, 78 mistakes',
  run: async ({ config }, [file]) => {
    const path = configPath(file ?? config);
    let loaded: LoadedConfig;
    const makeModules = modulesOf(systemClock());
    try {
      loaded = await loadConfig(path, makeModules);
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      process.stderr.write(`${thrown.message}\n`);
      return exitCode.configuration;
    }
    const modules = await makeModules(loaded.config);
    const warnings = [
      ...warningsOf(loaded, modules.board.isUnknown),
      ...closedInstances(loaded.tree, modules),
    ];
    for (const warning of warnings) process.stderr.write(`${path}: warning: ${warning}\n`);
    process.stdout.write(`${path}: fine\n`);
    return exitCode.ok;
  },
});

/** What a gateway would run with, and its owner might not have meant. */
function warningsOf({ file, config }: LoadedConfig, isUnknown: boolean): string[] {
  const warnings: string[] = [];
  if (isUnknown)
    warnings.push(
      'board: this machine is not known, so no line has a name; docs/boards.md tells how to describe it',
    );
  if (config.remoteAccess === undefined)
    warnings.push('remoteAccess: without it nobody can call anything; stellwerk setup adds it');
  const { webServers = [], ...api } = listenersOf(config);
  for (const { host, insecure } of [api, ...webServers])
    if (insecure === true && !isLoopback(host))
      warnings.push(`insecure: passwords travel in the clear to ${host}; tls: auto mends that`);
  const hasSecrets = config.board !== 'simulated' && JSON.stringify(config).includes('"password');
  if (hasSecrets && (statSync(file).mode & 0o004) !== 0)
    warnings.push('every user of this machine can read it, passwords included: chmod o= mends that');
  return warnings;
}
