import { coded } from '../base/codes/coded-text.js';
import { HIDDEN } from '../base/url-secrets.js';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { messageOf, codedMessageOf } from '../base/fault.js';
import { readNamedFile } from '../base/named-file.js';
import type { ModuleRegistry } from '../device/module-registry.js';
import { checkBackupTargets } from './check/backup-check.js';
import { checkSchema } from './check/schema-check.js';
import {
  ConfigDocument,
  ConfigurationError,
  FILE_LIMIT,
  formatPath,
  type ConfigFinding,
  type DocumentPath,
} from './document.js';
import { isLoopbackHost } from '../base/addresses.js';
import type { ConfigSource } from './config-source.js';
import type { EntryLocation } from './apply/apply-problems.js';
import { profileProblems } from './apply/apply-profile.js';
import { reviewConfig } from './review/review.js';
import type { ReviewFacts } from './review/review-facts.js';
import { gatewaySchema, type GatewayConfig, type TreeNode } from './schema/gateway-schema.js';
import { secretEntries } from './secret-entries.js';
import { checkTree } from './check/tree-check.js';
import { checkSettingUrls } from './check/url-check.js';

/** A checked configuration. Secrets are read from their files; paths are absolute. */
export interface LoadedConfig {
  readonly file: string;
  /** Whether it was read from the overlay in the data directory. */
  readonly isOverlay: boolean;
  readonly config: GatewayConfig;
  readonly tree: readonly TreeNode[];
  /** Problems and warnings; only of a configuration that was reviewed. */
  readonly findings: readonly ConfigFinding[];
  /** The locations of configurators and profiles, by `configurators[0]` and `profile:NAME`. */
  readonly places: ReadonlyMap<string, EntryLocation>;
}

/** The modules of a gateway with this configuration; they depend on its board. */
export type ModulesOf = (config: GatewayConfig) => Promise<ModuleRegistry | undefined>;

/** The user name and passwords of the sample configuration, which are public. */
const SAMPLE_CREDENTIALS = new Set(['swordfish', 'tulip', 'rose', 'owner@example.org']);

/**
 * Reads and checks `gateway.yaml`. With `modulesOf` it also checks the instances in `tree`; with `facts` it
 * also reviews what would not work. Throws ConfigurationError with all errors by line, or with the reason why
 * the file can't be read.
 */
export async function loadConfig(
  from: string | ConfigSource,
  modulesOf?: ModulesOf,
  facts?: ReviewFacts,
): Promise<LoadedConfig> {
  const source = typeof from === 'string' ? { file: resolve(from) } : from;
  const path = source.file;
  let text: string;
  try {
    if ((await stat(path)).size > FILE_LIMIT) throw new Error(`it is larger than ${FILE_LIMIT} bytes`);
    text = await readFile(path, 'utf8');
  } catch (thrown) {
    throw new ConfigurationError(path, [
      {
        severity: 'error',
        line: 1,
        column: 1,
        key: '',
        text: coded`UNREADABLE_BECAUSE: cannot be read: ${codedMessageOf(thrown)}`,
      },
    ]);
  }
  return readConfig({ ...source, text }, modulesOf, facts);
}

/** As {@link loadConfig}, for a given text; relative paths are relative to the directory of `file`. */
export function parseConfig(file: string, text: string, modulesOf?: ModulesOf): Promise<LoadedConfig> {
  return readConfig({ file, text }, modulesOf);
}

/** The text of a configuration, and where it was read from. */
interface ConfigText extends Partial<ConfigSource> {
  readonly file: string;
  readonly text: string;
}

/** As {@link parseConfig}, with a review. */
export async function readConfig(
  { file, text, base = dirname(file), isOverlay = false }: ConfigText,
  modulesOf: ModulesOf = async () => undefined,
  facts?: ReviewFacts,
): Promise<LoadedConfig> {
  const document = new ConfigDocument(file, text);
  const value = document.value ?? {};
  const isValid = checkSchema(document, gatewaySchema, { path: [], value });
  const config = isValid ? (value as GatewayConfig) : validPartOf(value);
  // Which modules and lines exist depends on the board: nothing is checked if its key may be misspelt.
  let isBoardKnown = isValid || config.board !== undefined;
  const modules = await modulesOf(config).catch((thrown: unknown) => {
    document.addError(['board'], messageOf(thrown));
    isBoardKnown = false;
    return undefined;
  });
  const tree = checkTree({ document, modules }, config.tree ?? [], ['tree']);
  if (isBoardKnown) {
    checkSettingUrls(document, config);
    await resolveSecrets(document, config, base);
    await checkBackupTargets(document, config, base);
    checkSemantics(document, config);
    if (modules !== undefined && facts !== undefined)
      await reviewConfig(document, { config, tree: validNodes(document, tree) }, { modules, facts });
  }
  document.throwIfErrors();
  return { file, isOverlay, config, tree, findings: document.findings, places: placesOf(document, config) };
}

/** The valid top-level keys: errors in the others need not hide those in these. */
function validPartOf(value: unknown): GatewayConfig {
  if (typeof value !== 'object' || value === null) return {};
  const schemas: Readonly<Record<string, TSchema>> = gatewaySchema.properties;
  const valid = Object.entries(value).filter(([key, of]) => {
    const schema = Object.hasOwn(schemas, key) ? schemas[key] : undefined;
    return schema !== undefined && Check(schema, of);
  });
  return Object.fromEntries(valid);
}

/** Removes entries with errors: only valid entries can be reviewed. */
function validNodes(document: ConfigDocument, nodes: readonly TreeNode[]): TreeNode[] {
  if (!document.hasErrors) return [...nodes];
  return nodes
    .filter(({ entry }) => !document.hasErrorIn(entry))
    .map((node) => ({ ...node, children: validNodes(document, node.children) }));
}

function placesOf(
  document: ConfigDocument,
  { configurators = [], profiles = {} }: GatewayConfig,
): Map<string, EntryLocation> {
  const at = (path: DocumentPath): EntryLocation => ({
    place: document.locationOf(path),
    entry: formatPath(path),
  });
  return new Map([
    ...configurators.map((_, i) => [`configurators[${i}]`, at(['configurators', i])] as const),
    ...Object.keys(profiles).map((name) => [`profile:${name}`, at(['profiles', name])] as const),
  ]);
}

async function resolveSecrets(document: ConfigDocument, config: GatewayConfig, base: string): Promise<void> {
  for (const [secret, path] of secretEntries(config)) {
    const given = (['password', 'passwordHash', 'passwordFile'] as const).filter(
      (key) => secret[key] !== undefined,
    );
    if (secret.password === HIDDEN)
      document.addError(
        [...path, 'password'],
        coded`PLACEHOLDER_EXPORT_REPLACE_PASSWORD: ${HIDDEN} is the placeholder of an export; replace it with the password`,
      );
    if (given.length > 1)
      document.addError([...path, given[1] as string], coded`GIVE_ONE_OF: give one of ${given}`);
    if (secret.passwordFile === undefined) continue;
    try {
      const text = (await readNamedFile(resolve(base, secret.passwordFile))).toString().trim();
      if (text === '') document.addError([...path, 'passwordFile'], coded`FILE_EMPTY: the file is empty`);
      else if (text.startsWith('scrypt$')) secret.passwordHash = text;
      else secret.password = text;
    } catch (thrown) {
      document.addError(
        [...path, 'passwordFile'],
        coded`UNREADABLE_BECAUSE: cannot be read: ${codedMessageOf(thrown)}`,
      );
    }
  }
  for (const [{ tls }, path] of tlsOf(config)) {
    if (tls === undefined || tls === 'auto') continue;
    const key = tls.key ?? tls.keyFile;
    if (key === undefined || (tls.key !== undefined && tls.keyFile !== undefined))
      document.addError(
        [...path, 'tls'],
        coded`GIVE_FILE_PRIVATE_KEY: give the file of the private key: key`,
      );
    else tls.key = resolve(base, key);
    tls.certificate = resolve(base, tls.certificate);
  }
  for (const [i, { serve }] of (config.webServers ?? []).entries()) {
    if (serve === 'front') continue;
    serve.directory = resolve(base, serve.directory);
    const isServed = (directory: string) => `${directory}/`.startsWith(serve.directory.replace(/\/?$/, '/'));
    if (isServed(base) || isServed(dirname(document.file)))
      document.addError(
        ['webServers', i, 'serve', 'directory'],
        coded`CONTAINS_CONFIGURATION_FILE_WHICH: it contains this configuration file, which would be served with its passwords; choose another`,
      );
  }
}

function* tlsOf(config: GatewayConfig) {
  if (config.api !== undefined) yield [config.api, ['api'] as DocumentPath] as const;
  for (const [i, server] of (config.webServers ?? []).entries())
    yield [server, ['webServers', i] as DocumentPath] as const;
}

/** Checks what the schema can't express. */
function checkSemantics(document: ConfigDocument, config: GatewayConfig): void {
  for (const [listener, path] of tlsOf(config)) {
    const host = listener.host ?? '127.0.0.1';
    if (!isLoopbackHost(host) && listener.tls === undefined && listener.insecure !== true)
      document.addError(
        [...path, 'host'],
        coded`PLAIN_HTTP_NON_LOOPBACK: plain HTTP on a non-loopback address: set tls (tls: auto creates a certificate), or insecure: true`,
      );
  }
  const names = new Set(['api']);
  for (const [i, { name }] of (config.webServers ?? []).entries()) {
    if (names.has(name))
      document.addError(
        ['webServers', i, 'name'],
        coded`ANOTHER_LISTENER_NAME: another listener has this name`,
      );
    names.add(name);
  }
  for (const [name, profile] of Object.entries(config.profiles ?? {}))
    for (const [at, text] of profileProblems(name, profile))
      document.addError(['profiles', name, ...at], text);
  const idents = new Set<string>();
  for (const [i, configurator] of (config.configurators ?? []).entries()) {
    const path: DocumentPath = ['configurators', i];
    const hasPassword = [configurator.password, configurator.passwordHash].some(
      (given) => given !== undefined,
    );
    if (!hasPassword && configurator.passwordFile === undefined && configurator.passwordRequired !== false)
      document.addError(
        path,
        coded`SET_PASSWORD_PASSWORDREQUIRED_FALSE: set a password, or passwordRequired: false for access without one`,
      );
    if (hasPassword && configurator.passwordRequired === false)
      document.addError(
        [...path, 'passwordRequired'],
        coded`PASSWORD_REMOVE_TWO: it has a password; remove one of the two`,
      );
    if (idents.has(configurator.ident))
      document.addError(
        [...path, 'ident'],
        coded`ANOTHER_CONFIGURATOR_IDENT: another configurator has this ident`,
      );
    idents.add(configurator.ident);
    // GW_SetPassword would set the password of the gateway's owner.
    if (configurator.ident === 'owner')
      document.addError(
        [...path, 'ident'],
        coded`OWNER_IDENT_RESERVED: owner is reserved for the gateway itself; choose another ident`,
      );
  }
  if (config.remoteAccess?.username === 'webfront')
    document.addError(
      ['remoteAccess', 'username'],
      coded`WEBFRONT_USER_NAME_WEB: webfront is the user name of the web fronts; choose another`,
    );
  if (config.board !== 'simulated') checkSampleCredentials(document, config);
}

function checkSampleCredentials(document: ConfigDocument, config: GatewayConfig): void {
  const addSampleError = (path: DocumentPath) =>
    document.addError(
      path,
      coded`VALUE_FROM_PUBLIC_SAMPLE: this value is from the public sample configuration; choose another`,
    );
  for (const [secret, path] of secretEntries(config)) {
    if (SAMPLE_CREDENTIALS.has(secret.password ?? ''))
      addSampleError([...path, secret.passwordFile === undefined ? 'password' : 'passwordFile']);
    if ('username' in secret && SAMPLE_CREDENTIALS.has(String(secret.username)))
      addSampleError([...path, 'username']);
  }
}
