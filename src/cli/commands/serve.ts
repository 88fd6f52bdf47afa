import { systemClock } from '../../base/clock.js';
import { Fault, messageOf } from '../../base/fault.js';
import { logKind } from '../../base/codes/log-kinds.js';
import { ConfigurationError } from '../../config/document.js';
import { Gateway } from '../../composition/gateway.js';
import { Notifier } from '../../service/notify.js';
import { ServiceLog } from '../../service/log.js';
import { isJournal, journalSender } from '../../service/journal.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';

/** `stellwerk serve`: runs a gateway until SIGTERM or SIGINT; SIGHUP reloads. */
export const serve = command({
  usage: 'serve --config FILE --data DIR',
  about: `Runs a gateway until SIGTERM or Ctrl-C. SIGHUP reloads the configuration. The log goes to stdout: readable on a
terminal, with priorities under systemd, otherwise as JSON.`,
  options: {
    config: { type: 'string', value: 'FILE', help: 'the configuration' },
    data: { type: 'string', value: 'DIR', help: 'the data directory; created if it is missing' },
  },
  words: [0, 0],
  exits: '0 stopped, 69 it cannot start, 78 errors in the configuration',
  run: ({ config, data }) => {
    if (config === undefined || data === undefined) throw new UsageError('give --config FILE and --data DIR');
    return start(config, data);
  },
});

async function start(config: string, data: string): Promise<number> {
  // Files of the gateway may contain passwords of brokers, so that only its user may read them.
  process.umask(0o077);
  const form = logForm();
  const log = new ServiceLog({
    write: (text) => void process.stdout.write(text),
    form,
    ...(form === 'journal' && { sendToJournal: journalSender() }),
  });
  const notifier = new Notifier(process.env, log.root);
  // Installed first, so that a signal during the start takes effect as soon as the gateway has started.
  const stopped = Promise.withResolvers<NodeJS.Signals>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stopped.resolve(signal));
  const started = Promise.withResolvers<Gateway>();
  process.on('SIGHUP', () => void started.promise.then((gateway) => reload(gateway, notifier, log)));
  let gateway: Gateway;
  try {
    const { RUNTIME_DIRECTORY: runtimeDirectory, STELLWERK_KEEPER: keeperSocket } = process.env;
    gateway = await Gateway.start({
      configFile: config,
      directory: data,
      log,
      onStop: () => stopped.resolve('SIGTERM'),
      setTimeZone: timeZoneSetter(process.env),
      ...(runtimeDirectory && { runtimeDirectory }),
      ...(keeperSocket && { keeperSocket }),
    });
  } catch (thrown) {
    notifier.status(messageOf(thrown));
    if (thrown instanceof ConfigurationError) {
      process.stderr.write(`${thrown.message}\n`);
      return exitCode.configuration;
    }
    log.root.error(
      { kind: logKind.gatewayNotStarted, ...(!(thrown instanceof Fault) && { err: thrown }) },
      `the gateway cannot start: ${messageOf(thrown)}`,
    );
    return exitCode.unavailable;
  }
  started.resolve(gateway);
  showClaimCode(gateway);
  const clock = systemClock();
  notifier.ready('serving');
  log.root.info({ kind: logKind.gatewayStarted }, 'started');
  notifier.watch(clock, () => gateway.pingStore());
  // Keeps the process alive, which the gateway's timers do not.
  const alive = setInterval(() => undefined, 2 ** 30);
  const signal = await stopped.promise;
  log.root.info({ signal }, 'stopping');
  notifier.stopping();
  await gateway.close();
  clearInterval(alive);
  log.root.info({ kind: logKind.gatewayStopped }, 'stopped');
  return exitCode.ok;
}

/** Sets the time zone of this process, which `Date` and new script processes use. */
function timeZoneSetter(environment: NodeJS.ProcessEnv): (zone: string | undefined) => void {
  const { TZ: given } = environment;
  return (zone = given) => {
    if (zone === undefined) delete environment['TZ'];
    else environment['TZ'] = zone;
  };
}

/**
 * The code is for people at the machine: on its terminal or in its journal. It bypasses the log, which
 * clients can read, and is not sent to whoever collects JSON.
 */
function showClaimCode({ claimCode }: Gateway): void {
  const form = logForm();
  if (claimCode === undefined || form === 'json') return;
  const priority = form === 'journal' ? '<5>' : '';
  process.stdout.write(`${priority}no owner's password yet; claim code for the console: ${claimCode}\n`);
}

async function reload(gateway: Gateway, notifier: Notifier, log: ServiceLog): Promise<void> {
  notifier.reloading(systemClock());
  await gateway
    .reload()
    .catch((thrown: unknown) => log.root.error({ kind: logKind.configurationRejected }, messageOf(thrown)));
  notifier.ready('serving');
}

/** Journal priorities under systemd, readable lines on a terminal, otherwise JSON. */
function logForm(): 'journal' | 'terminal' | 'json' {
  if (isJournal(process.env)) return 'journal';
  return process.stdout.isTTY ? 'terminal' : 'json';
}
