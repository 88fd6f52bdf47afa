import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { type AnyFunction, Client } from '../../client/index.js';
import { replacementOf } from '../../base/addresses.js';
import { messageOf } from '../../base/fault.js';
import { PACKAGE_ROOT } from '../../base/package-root.js';
import { locateConfig, overlayPath, type ConfigSource } from '../../config/config-source.js';
import { UsageError } from '../command.js';
import { promptHidden } from '../output/terminal.js';

/** Configuration and data directory of an installed gateway (systemd/stellwerk.service). */
const INSTALLED = { config: '/etc/stellwerk/gateway.yaml', data: '/var/lib/stellwerk' };
/** Those of the gateway that `make run` starts. */
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

/** The given values of {@link gatewayOptions}. */
export interface GatewayArguments {
  readonly url?: string;
  readonly config?: string;
  readonly 'password-file'?: string;
  readonly ca?: string;
}

/**
 * A client of the selected gateway. If only the hash of the password is known, prompts for the password at a
 * terminal. Without `asks` it does not prompt; without a password, the client can only call functions that
 * need no credentials. Throws UsageError with what to give, ConfigurationError.
 */
export async function gatewayClient(given: GatewayArguments, asks = true): Promise<Client<AnyFunction>> {
  const { url, username, password, trusts } =
    given.url === undefined ? await fromConfig(given) : fromUrl(given.url);
  for (const file of [given.ca, trusts]) if (file !== undefined) trust(file);
  const isPasswordRequested = asks || password !== undefined || given['password-file'] !== undefined;
  if (username !== '' && isPasswordRequested) {
    url.username = encodeURIComponent(username);
    url.password = encodeURIComponent(await passwordOf(given, { username, password }));
  }
  return new Client<AnyFunction>(url.href);
}

interface Place {
  readonly url: URL;
  /** '' for no credentials. */
  readonly username: string;
  readonly password: string | undefined;
  /** A self-signed certificate that the gateway may use. */
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
    throw new UsageError('in the name or the password of --url, write % as %25');
  }
}

async function fromConfig(given: GatewayArguments): Promise<Place> {
  const { config, own, webServers } = await configured(given);
  const first = replacementOf(own, webServers) ?? own;
  // All web servers serve the API, too.
  const listener = [first, ...webServers].find((one) => URL.canParse(reachable(one).origin));
  if (listener === undefined)
    throw new UsageError(
      `${first.host} has a zone, which a URL cannot express: give --url with another address of the gateway`,
    );
  const { tls } = listener;
  const { username = '', password } = config.remoteAccess ?? {};
  return {
    url: new URL('/api/', reachable(listener).origin),
    username,
    password,
    trusts: typeof tls === 'object' ? tls.certificate : undefined,
  };
}

/** Where a program of this machine reaches a listener. */
export interface ListenerPlace {
  readonly isTls: boolean;
  /** A name or an address; that of IPv6 may have a zone (fe80::1%eth0), which a URL cannot express. */
  readonly host: string;
  readonly port: number;
  /** As the beginning of a URL. */
  readonly origin: string;
}

/**
 * All listeners of the configured gateway on this machine, the local one first. Throws UsageError,
 * ConfigurationError.
 */
export async function configuredListeners(given: GatewayArguments): Promise<ListenerPlace[]> {
  const { own, webServers } = await configured(given);
  const isReplaced = replacementOf(own, webServers) !== undefined;
  return [...(isReplaced ? [] : [own]), ...webServers].map(reachable);
}

async function configured(given: GatewayArguments) {
  // Loaded here, because the code that reads a configuration takes longer to load than all other code.
  const [{ loadConfig }, { listenersOf }] = await Promise.all([
    import('../../config/load.js'),
    import('../../config/settings.js'),
  ]);
  const { config } = await loadConfig(configSource(configPath(given.config)));
  const { webServers = [], ...own } = listenersOf(config);
  return { config, own, webServers };
}

function reachable({
  host,
  port,
  tls,
}: {
  readonly host: string;
  readonly port: number;
  readonly tls?: unknown;
}): ListenerPlace {
  // A gateway that listens on all addresses also listens on loopback.
  const near = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  const isTls = tls !== undefined;
  const origin = `${isTls ? 'https' : 'http'}://${near.includes(':') ? `[${near}]` : near}:${port}`;
  return { isTls, host: near, port, origin };
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
    `the password of ${username} is not known${given.url === undefined ? ' (the configuration has its hash)' : ''}: give --password-file FILE`,
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
  throw new UsageError(`${file === '-' ? 'stdin' : file} is empty: its first line must be the password`);
}

function trust(file: string): void {
  // Loaded here, because most gateways do not use TLS.
  const { getCACertificates, setDefaultCACertificates } = process.getBuiltinModule('node:tls');
  try {
    setDefaultCACertificates([...getCACertificates('default'), readFileSync(file, 'utf8')]);
  } catch (thrown) {
    throw new UsageError(`${file} cannot be used as a certificate: ${messageOf(thrown)}`);
  }
}

/**
 * The path of the configuration: the given one, or the first that exists. Throws UsageError if there is none.
 */
export function configPath(given: string | undefined): string {
  const named = given ?? configOfEnvironment();
  const path = named ?? [INSTALLED, CHECKOUT].map(({ config }) => config).find(isThere);
  if (path === undefined) throw new UsageError('no configuration was found: give --config FILE or --url URL');
  return path;
}

/**
 * The file that a gateway started with this configuration reads: the overlay in its data directory if that
 * directory is known and has one, otherwise this file.
 */
export function configSource(path: string, data?: string): ConfigSource {
  const file = resolve(path);
  const known = data ?? [INSTALLED, CHECKOUT].find((place) => place.config === file)?.data;
  return known === undefined
    ? { file, given: file, base: dirname(file), isOverlay: false }
    : locateConfig(file, known);
}

/**
 * The data directory, with its configuration if that is known. Throws UsageError.
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

/** The certificate of the authority of the gateway with this data directory; undefined if it has none. */
export function ownAuthority(data: string): string | undefined {
  const file = join(data, 'tls/ca-cert.pem');
  return isThere(file) ? file : undefined;
}

/** What identifies the authority in a file, as devices show it; undefined if the file cannot be read. */
export function authorityIn(
  file: string,
): { readonly name: string; readonly fingerprint: string } | undefined {
  try {
    const { subject, fingerprint256 } = new X509Certificate(readFileSync(file));
    return { name: subject.replace(/^CN=/, ''), fingerprint: fingerprint256 };
  } catch {
    // Readable by root and by the service only, or damaged: the gateway's own check says so.
    return undefined;
  }
}

/** An empty variable counts as unset. */
const configOfEnvironment = (): string | undefined => process.env['STELLWERK_CONFIG'] || undefined;

/** False only if the path does not exist; a path that cannot be read exists. */
function isThere(path: string): boolean {
  try {
    statSync(path);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'EACCES';
  }
}
