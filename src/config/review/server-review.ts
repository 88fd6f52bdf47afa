import { coded } from '../../base/codes/coded-text.js';
import { stat } from 'node:fs/promises';
import { systemClock } from '../../base/clock.js';
import { parseCertificateFor } from '../../base/credentials/certificate-key-pair.js';
import { manualPage } from '../../base/manual-page.js';
import { codedMessageOf } from '../../base/fault.js';
import { readNamedFile } from '../../base/named-file.js';
import { readPasswordHash } from '../../base/credentials/password-hash.js';
import type { ModuleRegistry } from '../../device/module-registry.js';
import type { Claims } from './claims.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import { isLoopbackHost, replacementOf } from '../../base/addresses.js';
import type { ReviewFacts } from './review-facts.js';
import type { GatewayConfig, SecretConfig, TlsConfig } from '../schema/gateway-schema.js';
import { secretEntries } from '../secret-entries.js';
import { listenersOf } from '../settings.js';
import { didYouMean } from '../../base/did-you-mean.js';

/** The log subjects (`Log.subject`). */
const SUBJECTS =
  'api archive backup call config debug device event execute gateway health keeper media script store update default'.split(
    ' ',
  );

/** Reviews the listeners and the access settings. Paths in the configuration are absolute. */
export async function reviewServers(
  document: ConfigDocument,
  config: GatewayConfig,
  { claims, facts, modules }: { claims: Claims; facts: ReviewFacts; modules: ModuleRegistry },
): Promise<void> {
  const { api = {}, webServers = [], log } = config;
  claimPorts(claims, config);
  await reviewTimeZone(document, config.timeZone);
  for (const [secret, path] of secretEntries(config)) reviewHash(document, secret, path);
  const tls = [[api.tls, ['api', 'tls']], ...webServers.map((one, i) => [one.tls, ['webServers', i, 'tls']])];
  for (const [source, path] of tls as [TlsConfig | undefined, DocumentPath][])
    await reviewTls(document, source, path);
  for (const [i, { serve }] of webServers.entries())
    if (serve !== 'front')
      await reviewDirectory(document, serve.directory, ['webServers', i, 'serve', 'directory']);
  reviewAliases(document, api.aliases ?? {}, await prefixesFor(api.aliases, facts, modules));
  for (const [i, origin] of (api.allowedOrigins ?? []).entries())
    if (!isOrigin(origin))
      document.addProblem(
        ['api', 'allowedOrigins', i],
        coded`NOT_ORIGIN_MATCHES_NOTHING: this is not an origin and matches nothing; write it like https://panel.example, without a path`,
      );
  for (const [i, host] of (api.allowedHosts ?? []).entries())
    if (/[/:\s]/.test(host))
      document.addProblem(
        ['api', 'allowedHosts', i],
        coded`NOT_HOST_NAME_MATCHES: this is not a host name and matches nothing; write it without scheme and port`,
      );
  for (const subject of Object.keys(typeof log?.level === 'object' ? log.level : {}))
    if (!SUBJECTS.includes(subject))
      document.addWarning(
        ['log', 'level', subject],
        coded`LOG_NO_SUBJECT: the log has no subject ${subject}${didYouMean(subject, SUBJECTS) || coded`KNOWN: ; known: ${SUBJECTS.join(', ')}`}`,
      );
}

/** Adds a problem if a file that an instance refers to can't be read. */
export async function reviewFile(document: ConfigDocument, file: string, path: DocumentPath): Promise<void> {
  try {
    await readNamedFile(file);
  } catch (thrown) {
    document.addProblem(
      path,
      coded`GIVE_EXISTING_FILE: it can't be read: ${codedMessageOf(thrown)}; give the path of an existing file`,
    );
  }
}

/** Where the machine has its time zones. Asking ICU would cost 8 MB at each start. */
const ZONES = '/usr/share/zoneinfo';

async function reviewTimeZone(document: ConfigDocument, zone: string | undefined): Promise<void> {
  if (zone === undefined) return;
  const [zones, found] = await Promise.all(
    // What cannot be read is not there.
    [ZONES, `${ZONES}/${zone}`].map((path) => stat(path).catch(() => undefined)),
  );
  if (zones !== undefined && found?.isFile() !== true)
    document.addProblem(
      ['timeZone'],
      coded`NO_TIME_ZONE: there is no time zone ${zone}; give the name of one, such as Europe/Berlin`,
    );
}

function claimPorts(claims: Claims, config: GatewayConfig): void {
  const { webServers = [], host, port } = listenersOf(config);
  if (replacementOf({ host, port }, webServers) === undefined)
    claims.claimPort({ kind: 'tcp', host, port }, { name: 'the API', path: ['api', 'port'] });
  for (const [i, one] of webServers.entries())
    claims.claimPort(
      { kind: 'tcp', host: one.host, port: one.port },
      { name: `the web server ${one.name}`, path: ['webServers', i, 'port'] },
    );
}

function reviewHash(
  document: ConfigDocument,
  { passwordHash, passwordFile }: SecretConfig,
  path: DocumentPath,
): void {
  if (passwordHash === undefined || readPasswordHash(passwordHash) !== undefined) return;
  document.addProblem(
    [...path, passwordFile === undefined ? 'passwordHash' : 'passwordFile'],
    coded`HASH_DAMAGED_NO_PASSWORD: this hash is damaged and no password matches it; create another with stellwerk hash-password`,
  );
}

async function reviewTls(
  document: ConfigDocument,
  tls: TlsConfig | undefined,
  path: DocumentPath,
): Promise<void> {
  if (tls === undefined || tls === 'auto') return;
  const texts = new Map<string, string>();
  for (const [key, file] of [
    ['certificate', tls.certificate],
    [tls.keyFile === undefined ? 'key' : 'keyFile', tls.key ?? ''],
  ] as const) {
    try {
      texts.set(file, (await readNamedFile(file)).toString());
    } catch (thrown) {
      document.addProblem(
        [...path, key],
        coded`GIVE_PEM_FILE: it can't be read: ${codedMessageOf(thrown)}; give a file in PEM format`,
      );
    }
  }
  const [cert, key] = [texts.get(tls.certificate), texts.get(tls.key ?? '')];
  if (cert === undefined || key === undefined) return;
  try {
    const { validTo } = parseCertificateFor(cert, key);
    if (Date.parse(validTo) < systemClock().nowMs())
      document.addWarning([...path, 'certificate'], coded`EXPIRED_RENEW: it expired on ${validTo}; renew it`);
  } catch (thrown) {
    document.addProblem(
      [...path, 'certificate'],
      coded`CERTIFICATE_NOT_USABLE: it can't be used: ${codedMessageOf(thrown)}; give a certificate in PEM format and its key`,
    );
  }
}

async function reviewDirectory(
  document: ConfigDocument,
  directory: string,
  path: DocumentPath,
): Promise<void> {
  try {
    if (!(await stat(directory)).isDirectory())
      document.addProblem(
        path,
        coded`NOT_DIRECTORY_GIVE_PATH: ${directory} is not a directory; give the path of one`,
      );
  } catch (thrown) {
    document.addProblem(
      path,
      coded`DIRECTORY_NOT_SERVED: it can't be served: ${codedMessageOf(thrown)}; create it, or give another path`,
    );
  }
}

async function prefixesFor(
  aliases: object | undefined,
  facts: ReviewFacts,
  modules: ModuleRegistry,
): Promise<ReadonlySet<string>> {
  return aliases === undefined ? new Set() : facts.prefixes(modules);
}

function reviewAliases(
  document: ConfigDocument,
  aliases: Readonly<Record<string, string>>,
  prefixes: ReadonlySet<string>,
): void {
  for (const [foreign, ours] of Object.entries(aliases))
    if (!prefixes.has(ours))
      document.addProblem(
        ['api', 'aliases', foreign],
        coded`NO_FUNCTION_BEGINS: no function begins with ${ours}_${didYouMean(ours, [...prefixes]) || coded`KNOWN: ; known: ${[...prefixes].toSorted().join(', ')}`}`,
      );
}

/** Whether this is an origin as browsers send it: a scheme and an authority, or `null`. */
const isOrigin = (text: string): boolean =>
  text === 'null' || /^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]+\/?$/i.test(text);

/** Adds warnings about settings that work but may be unintended. */
export async function warnOfServers(
  document: ConfigDocument,
  config: GatewayConfig,
  isUnknown: boolean,
): Promise<void> {
  if (isUnknown)
    document.addWarning(
      ['board'],
      coded`NO_BOARD_FILE_MATCHES: no board file matches this machine, so no line has a name; ${manualPage('hardware/boards.md')} explains how to describe it`,
    );
  if (config.remoteAccess === undefined)
    document.addWarning(
      ['remoteAccess'],
      coded`WITHOUT_ALL_CALLS_REJECTED: without it, all calls are rejected; stellwerk setup adds it`,
    );
  const { metrics } = config;
  if (metrics !== undefined && metrics.local === undefined && !hasPassword(metrics))
    document.addWarning(
      ['metrics'],
      coded`METRICS_UNREADABLE: nobody can read the metrics: add password, passwordFile, or local: open for programs of this machine`,
    );
  const { webServers = [], ...api } = listenersOf(config);
  for (const [{ host, insecure }, path] of [
    [api, ['api']],
    ...webServers.map((one, i) => [one, ['webServers', i]] as const),
  ] as const)
    if (insecure === true && !isLoopbackHost(host))
      document.addWarning(
        [...path, 'insecure'],
        coded`PASSWORDS_SENT_UNENCRYPTED_USE: passwords are sent unencrypted to ${host}; use tls: auto instead`,
      );
  if (config.board === 'simulated') return;
  const [first] = [...secretEntries(config)].filter(([secret]) => hasPassword(secret));
  const { mode } = await stat(document.file).catch(() => ({ mode: 0 }));
  if (first !== undefined && (mode & 0o004) !== 0)
    document.addWarning(
      first[1],
      coded`EVERY_USER_MACHINE_CAN: every user of this machine can read this file, passwords included: chmod o= FILE`,
    );
}

const hasPassword = ({ password, passwordHash }: SecretConfig): boolean =>
  (password ?? passwordHash) !== undefined;
