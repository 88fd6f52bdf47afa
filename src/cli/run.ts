import { messageOf } from '../base/fault.js';
import { closestWord } from '../base/did-you-mean.js';
import { packageVersion } from '../service/system.js';
import { commands } from './command-table.js';
import { exitCode } from './exit-codes.js';
import { escapeControls } from './output/terminal.js';

const names = [...Object.keys(commands), 'help'];

/** Runs the command line after `stellwerk`; resolves with the exit code. Errors go to stderr. */
export async function run([name, ...args]: readonly string[]): Promise<number> {
  if (name === '--version' || name === 'version') return say(`stellwerk ${packageVersion()}\n`);
  if (name === '--help' || name === '-h') return say(overview());
  if (name === 'help') return args.length === 0 ? say(overview()) : run([...args, '--help']);
  const found = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (name === undefined || found === undefined) {
    process.stderr.write(name === undefined ? overview() : unknown(name));
    return exitCode.usage;
  }
  const command = await found[1]();
  try {
    return await command.run(args);
  } catch (thrown) {
    process.stderr.write(`stellwerk ${name}: ${textOf(thrown)}\n`);
    if (!isNamed(thrown, 'UsageError')) return codeOf(thrown);
    const [usage = ''] = command.help.split('\n');
    process.stderr.write(`${usage}\nstellwerk ${name} --help shows the help\n`);
    return exitCode.usage;
  }
}

function say(text: string): number {
  process.stdout.write(text);
  return exitCode.ok;
}

function overview(): string {
  const lines = Object.entries(commands).map(([name, [about]]) => `  ${name.padEnd(14)} ${about}`);
  return `usage: stellwerk COMMAND [options] …\n\n${lines.join('\n')}\n
stellwerk COMMAND --help explains one; --version prints the version.
Exit codes: 0 done, 1 failed, 64 wrong usage, 69 the gateway cannot be reached or started, 78 errors in the configuration.\n`;
}

function unknown(name: string): string {
  const near = closestWord(name, names);
  const hint = near === undefined ? '' : `; did you mean ${near}?`;
  return `stellwerk: there is no command ${name}${hint}\n${overview()}`;
}

/** Compares classes by name: importing them would load their modules at every start. */
const isNamed = (thrown: unknown, name: string): boolean => thrown instanceof Error && thrown.name === name;
/** Whether the gateway rejected the call for this reason. */
const hasReason = (thrown: unknown, reason: string): boolean =>
  isNamed(thrown, 'RpcError') && (thrown as { reason?: string }).reason === reason;

function codeOf(thrown: unknown): number {
  if (isNamed(thrown, 'ConfigurationError')) return exitCode.configuration;
  if (isNamed(thrown, 'AbortError') || hasReason(thrown, 'CANCELLED')) return exitCode.cancelled;
  return isNamed(thrown, 'ServerError') ? exitCode.unavailable : exitCode.failed;
}

/** What to do about failures whose texts come from elsewhere. */
function adviceFor(thrown: unknown): string {
  if (isNamed(thrown, 'ServerError') && /certificate/i.test(messageOf(thrown)))
    return ". Trust it with --ca FILE; the gateway's own CA certificate is tls/ca-cert.pem in its data directory, also at /tls/ca.pem";
  if (isNamed(thrown, 'ServerError'))
    return '. Is the gateway running (systemctl status stellwerk, or make run), and are --url and --config correct?';
  return hasReason(thrown, 'UNAUTHORIZED')
    ? ': give the user name with --url or --config, and the password with --password-file'
    : '';
}

/** Errors of a configuration have one line each; any other error is put on one line. */
function textOf(thrown: unknown): string {
  if (isNamed(thrown, 'ConfigurationError'))
    return `the configuration has errors\n${(thrown as Error).message}`;
  if (isNamed(thrown, 'AbortError')) {
    const text = messageOf(thrown);
    return text.startsWith('cancelled') ? escapeControls(text) : 'cancelled';
  }
  return escapeControls(messageOf(thrown)) + adviceFor(thrown);
}
