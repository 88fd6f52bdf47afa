import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type AnyFunction, Client } from '../../client/index.js';
import { messageOf } from '../../base/fault.js';
import { PACKAGE_ROOT } from '../../base/package-root.js';
import { locateConfig, overlayPath, type ConfigSource } from '../../config/config-source.js';
import { UsageError } from '../command.js';
import { promptHidden } from '../output/terminal.js';

/** Where a box has its configuration and its data (systemd/stellwerk.service). */
const INSTALLED = { config: '/etc/stellwerk/gateway.yaml', data: '/var/lib/stellwerk' };
/** What `make run` starts. */
const CHECKOUT = {
  config: join(PACKAGE_ROOT, 'docs/start/sample/gateway.yaml'),
  data: join(PACKAGE_ROOT, 'data'),
};

/** The options that select a gateway. */
export const gatewayOptions = {
  url: {
    type: 'string',
    value: 'URL',
    help: 'the gateway, as http://owner%40example.org@host:3777/api/; it may contain a password\n(owner:password@), which other users of this machine can see: prefer --password-file',
  },
  config: {
    type: 'string',
    value: 'FILE',
    help: 'the configuration of a gateway on this machine: provides address, name and password.\nDefault $STELLWERK_CONFIG, /etc/stellwerk/gateway.yaml, or in a checkout the sample of make run',
  },
  'password-file': {
    type: 'string',
    value: 'FILE',
    help: 'the password is the first line of this file; - is stdin',
  },
  ca: {
    type: 'string',
    value: 'FILE',
    help: 'a certificate (PEM) to trust in addition to those of the system',
  },
} as const;

/** What was given of {@link gatewayOptions}. */
export interface GatewayArguments {
  readonly url?: string;
  readonly config?: string;
  readonly 'password-file'?: string;
  readonly ca?: string;
}

/**
 * A client of the gateway that is meant. Asks for the password where only its hash is known and a person sits
 * there. Without `asks` nobody is asked, and where the password is not known it is a client that may call
 * what everybody may. Throws UsageError with what to give, ConfigurationError.
 */
export async function gatewayClient(given: GatewayArguments, asks = true): Promise<Client<AnyFunction>> {
  const { url, username, password, trusts } =
    given.url === undefined ? await fromConfig(given) : fromUrl(given.url);
  for (const file of [given.ca, trusts]) if (file !== undefined) trust(file);
  const isAsked = asks || password !== undefined || given['password-file'] !== undefined;
  if (username !== '' && isAsked) {
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(await passwordOf(given, { username, password }));
  }
  return new Client<AnyFunction>(url.href);
}

interface Place {
  readonly url: URL;
  /** '' for nobody: what everybody may call can be called. */
  readonly username: string;
  readonly password: string | undefined;
  /** A certificate that it shows and no authority has signed, maybe. */
  readonly trusts?: string | undefined;
}

function fromUrl(text: string): Place {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError('--url must look like http://owner%40example.org@host:3777/api/');
  const [username, password] = [decoded(url.username), decoded(url.password)];
  return { url, username, password: password === '' ? undefined : password };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new UsageError('a % in the name or the password of --url must be written %25');
  }
}

async function fromConfig(given: GatewayArguments): Promise<Place> {
  // What reads a configuration takes longer to load than all else together.
  const [{ loadConfig }, { listenersOf }] = await Promise.all([
    import('../../config/load.js'),
    import('../../config/settings.js'),
  ]);
  const { config } = await loadConfig(configSource(configPath(given.config)));
  const { host, port, tls } = listenersOf(config);
  // Who listens everywhere listens here too.
  const near = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const url = new URL(
    `${tls === undefined ? 'http' : 'https'}://${near.includes(':') ? `[${near}]` : near}:${port}/api/`,
  );
  const { username = '', password } = config.remoteAccess ?? {};
  return { url, username, password, trusts: typeof tls === 'object' ? tls.certificate : undefined };
}

async function passwordOf(
  given: GatewayArguments,
  { username, password }: { username: string; password: string | undefined },
): Promise<string> {
  const file = given['password-file'];
  if (file !== undefined) return readFirstLine(file);
  if (password !== undefined) return password;
  if (process.stdin.isTTY) return promptHidden(`Password of ${username}: `);
  throw new UsageError(
    `the password of ${username} is not known here${given.url === undefined ? ' (the configuration has its hash)' : ''}: give --password-file FILE`,
  );
}

/** The first line of a file, or of stdin for `-`. Throws UsageError. */
export function readFirstLine(file: string): string {
  try {
    const [line = ''] = readFileSync(file === '-' ? 0 : file, 'utf8').split(/\r?\n/);
    if (line !== '') return line;
  } catch (thrown) {
    throw new UsageError(`${file} cannot be read: ${messageOf(thrown)}`);
  }
  throw new UsageError(`${file === '-' ? 'stdin' : file} is empty: it should hold the password`);
}

function trust(file: string): void {
  // Loaded here: the gateway itself, which this file finds too, mostly runs without TLS.
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(file, 'utf8')]);
  } catch (thrown) {
    throw new UsageError(`${file} cannot be used as a certificate: ${messageOf(thrown)}`);
  }
}

/**
 * The configuration that is meant: the given one, or the first there is. Throws UsageError where there is
 * none.
 */
export function configPath(given: string | undefined): string {
  const named = given ?? configOfEnvironment();
  const path = named ?? [INSTALLED, CHECKOUT].map(({ config }) => config).find(isThere);
  if (path === undefined)
    throw new UsageError('there is no configuration here: give --config FILE or --url URL');
  return path;
}

/**
 * Where a gateway with this configuration reads it from: where its data directory is known, the overlay in it
 * counts.
 */
export function configSource(path: string, data?: string): ConfigSource {
  const file = resolve(path);
  const known = data ?? [INSTALLED, CHECKOUT].find((place) => place.config === file)?.data;
  return known === undefined ? { file, base: dirname(file), isOverlay: false } : locateConfig(file, known);
}

/**
 * The data directory that is meant, with the configuration that belongs to it where that is known. Throws
 * UsageError.
 */
export function locateData(data: string | undefined, config: string | undefined) {
  const named = config ?? configOfEnvironment();
  const standard = [INSTALLED, CHECKOUT].find((place) =>
    data === undefined ? isThere(place.data) : place.data === data,
  );
  if (data === undefined && standard === undefined)
    throw new UsageError('give the data directory: --data DIR');
  if (named !== undefined && !isThere(named)) throw new UsageError(`there is no file ${named}`);
  const directory = data ?? standard?.data ?? '';
  return { data: directory, config: configIn(directory, named ?? standard?.config) };
}

/** The configuration of a data directory: its overlay, or the given file. */
function configIn(data: string, file: string | undefined): string | undefined {
  const overlay = overlayPath(data);
  return file === undefined ? (isThere(overlay) ? overlay : undefined) : configSource(file, data).file;
}

/** The certificate that a gateway with this data directory has made itself, where it has. */
export function ownCertificate(data: string): string | undefined {
  const file = join(data, 'tls/auto-cert.pem');
  return isThere(file) ? file : undefined;
}

/** One that is set to nothing is none. */
const configOfEnvironment = (): string | undefined => process.env['STELLWERK_CONFIG'] || undefined;

/** False only if the path does not exist: a path that may not be read exists. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EACCES';
  }
}
