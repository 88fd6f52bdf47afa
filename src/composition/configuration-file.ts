import { coded, joined, recordOf } from '../base/codes/coded-text.js';
import { createHash } from 'node:crypto';
import { access, constants, readFile, realpath, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseDocument } from 'yaml';
import { hashPassword } from '../base/credentials/password-hash.js';
import { syncDirectory, writeFileAtomically } from '../base/atomic-write.js';
import { Fault, codeOf, fault, faultFrom, messageOf, codedMessageOf } from '../base/fault.js';
import { urlChanged } from '../base/codes/url-changed.js';
import { hasMaskedUrl } from '../base/url-secrets.js';
import { SerialQueue } from '../base/serial-queue.js';
import {
  changeSettings,
  parseSettingPath,
  settingsIn,
  type SettingChange,
} from '../config/change-settings.js';
import { overlayPath } from '../config/config-source.js';
import { ConfigurationError, FILE_LIMIT, codedFinding, type ConfigFinding } from '../config/document.js';
import { hideSecrets, revealSecrets } from '../config/hidden-secrets.js';
import { readConfig, type ModulesOf } from '../config/load.js';
import { writeSetup } from '../config/first-access.js';
import { setPasswordHash, type PasswordTarget } from '../config/set-password.js';
import type { Setup } from '../config/setup-file.js';
import type { ConfigurationPort } from '../functions/ports.js';
import type { Foundation } from './foundation.js';
import { reviewFacts } from './review-facts.js';

/** A configuration with passwords, in the data directory. */
const OVERLAY_MODE = 0o600;
/** The process may not write the file: it belongs to root, is mounted read-only, or is a mount itself. */
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY']);

type ReloadReport = Awaited<ReturnType<ConfigurationPort['write']>>;
type Problems = Awaited<ReturnType<ConfigurationPort['check']>>;

/**
 * Reads, checks and replaces the configuration on the disk. Changes are written to the overlay in the data
 * directory if there is one, otherwise to the file that the gateway was started with; if that is not writable,
 * to a new overlay.
 */
export class ConfigurationFile implements ConfigurationPort {
  readonly #foundation: Pick<Foundation, 'configSource' | 'modulesFor' | 'directory'>;
  readonly #reload: () => Promise<ReloadReport>;
  /** One change at a time, each based on the text that the previous one has written. */
  readonly #queue = new SerialQueue();

  constructor(
    foundation: Pick<Foundation, 'configSource' | 'modulesFor' | 'directory'>,
    reload: () => Promise<ReloadReport>,
  ) {
    this.#foundation = foundation;
    this.#reload = reload;
  }

  /** See {@link ConfigurationPort}. */
  async read(): ReturnType<ConfigurationPort['read']> {
    const { file, isOverlay } = this.#foundation.configSource();
    const content = await this.#text();
    return {
      Text: hideSecrets(content, await this.#modulesOf(content)),
      Digest: digestOf(content),
      Path: file,
      IsOverlay: isOverlay,
      IsWritable: !isOverlay && (await isWritable(file)),
    };
  }

  /** See {@link ConfigurationPort}. */
  async check(content: string): Promise<Problems> {
    const { text, placed } = await this.#revealed(content);
    return (await this.#findingsIn(text)).map((finding) => problemOf(placed(finding)));
  }

  /** See {@link ConfigurationPort}. */
  write(content: string, digest: string): Promise<ReloadReport> {
    return this.#queue.run(async () => {
      if (digestOf(await this.#text()) !== digest) throw fault('CONFIGURATION_CHANGED');
      const { text, losesUrlSecret, placed } = await this.#revealed(content);
      if (losesUrlSecret) throw fault('CONFIGURATION_INVALID', urlChanged());
      this.#rejectInvalid((await this.#findingsIn(text)).map(placed));
      await this.#put(text);
      return this.#applied();
    });
  }

  /** See {@link ConfigurationPort}. */
  async exported(values: boolean): ReturnType<ConfigurationPort['exported']> {
    const { directory, configSource } = this.#foundation;
    const { runExport } = await import('./export/run-export.js');
    const { text, notes } = await runExport({ data: directory, config: configSource().file, values });
    return { Text: text, Notes: notes };
  }

  /** See {@link ConfigurationPort}. */
  async settings(): ReturnType<ConfigurationPort['settings']> {
    const content = await this.#text();
    await this.rejectInvalid(content);
    return { Settings: settingsIn(content), Digest: digestOf(content) };
  }

  /** See {@link ConfigurationPort}. */
  async checkChanges(given: Parameters<ConfigurationPort['change']>[0]): Promise<Problems> {
    // Computing hashes is slow, and a password can be checked as well.
    const changes = (await Promise.all(given.map((one) => changesOf(one, false)))).flat();
    return (await this.#findingsIn(changedText(await this.#text(), changes))).map(problemOf);
  }

  /** See {@link ConfigurationPort}. */
  async change(given: Parameters<ConfigurationPort['change']>[0], digest: string): Promise<ReloadReport> {
    const changes = (await Promise.all(given.map((one) => changesOf(one, true)))).flat();
    return this.#queue.run(async () => {
      const before = await this.#text();
      if (digestOf(before) !== digest) throw fault('CONFIGURATION_CHANGED');
      await this.rejectInvalid(before);
      return this.#replace(changedText(before, changes));
    });
  }

  /** See {@link ConfigurationPort}. */
  async installed(): ReturnType<ConfigurationPort['installed']> {
    const { given } = this.#foundation.configSource();
    const content = await textIn(given);
    const IsWritable = await isWritable(given);
    const Text = hideSecrets(content, await this.#modulesOf(content));
    return { Text, Digest: digestOf(content), Path: given, IsOverlay: false, IsWritable };
  }

  /** See {@link ConfigurationPort}. */
  removeOverlay(digest: string): Promise<ReloadReport> {
    return this.#queue.run(async () => {
      const { file, given, isOverlay } = this.#foundation.configSource();
      if (!isOverlay)
        throw fault('NOT_SUPPORTED', coded`WHAT_REMOVING_OVERLAY: Removing an overlay that does not exist`);
      if (digestOf(await this.#text()) !== digest) throw fault('CONFIGURATION_CHANGED');
      await this.rejectInvalid(await textIn(given), given);
      try {
        await rename(file, `${file}.removed`);
        await syncDirectory(dirname(file));
      } catch (thrown) {
        throw faultFrom(thrown, 'FILE_FAILED', coded`WHAT_OVERLAY: The overlay`, messageOf(thrown));
      }
      return this.#applied();
    });
  }

  /** See {@link ConfigurationPort}. */
  async setPassword(target: string, password: string): Promise<ReloadReport> {
    const hash = await hashPassword(password);
    return this.#queue.run(() =>
      this.#setPasswordHash(target === 'owner' ? { owner: true } : { configurator: target }, hash),
    );
  }

  /**
   * Sets the owner's first credentials, and settings. Throws `NOT_FOUND` if `isClaimed` returns true, and the
   * faults of {@link setPassword}.
   */
  async claim(
    { password, ...setup }: Setup & { readonly password: string },
    isClaimed: () => boolean,
  ): Promise<void> {
    const passwordHash = await hashPassword(password);
    await this.#queue.run(async () => {
      if (isClaimed()) throw fault('NOT_FOUND');
      const before = await this.#text();
      await this.rejectInvalid(before);
      return this.#replace(writeSetup(before, { ...setup, passwordHash }));
    });
  }

  async #setPasswordHash(target: PasswordTarget, hash: string): Promise<ReloadReport> {
    const before = await this.#text();
    await this.rejectInvalid(before);
    const text = setPasswordHash(before, target, hash);
    if (text === undefined)
      throw fault('NAME_NOT_FOUND', 'configurator' in target ? target.configurator : 'remoteAccess');
    return this.#replace(text);
  }

  /** Replaces the text if it has no errors, and applies it. */
  async #replace(content: string): Promise<ReloadReport> {
    await this.rejectInvalid(content);
    await this.#put(content);
    return this.#applied();
  }

  /** Applies what is on the disk, which is valid. */
  async #applied(): Promise<ReloadReport> {
    try {
      return await this.#reload();
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'CONFIGURATION_INVALID') throw thrown;
      // The text is valid for the board that it names, but only a restart changes the board.
      return {
        Applied: [],
        NeedsRestart: ['board'],
        Problems: [thrown.message],
        CodedProblems: [recordOf(codedMessageOf(thrown))],
      };
    }
  }

  /** Throws `CONFIGURATION_INVALID` with all problems if the text of a file has errors. */
  async rejectInvalid(content: string, file = this.#foundation.configSource().file): Promise<void> {
    this.#rejectInvalid(await this.#findingsIn(content), file);
  }

  /** The given text, in which each hidden secret (`***`) is replaced by that of the current configuration. */
  async #revealed(given: string): Promise<ReturnType<typeof revealSecrets>> {
    const text = await this.#text();
    if (Buffer.byteLength(given) > FILE_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_CONFIGURATION: The configuration`, FILE_LIMIT, 'bytes');
    return revealSecrets(given, text, await this.#modulesOf(text));
  }

  /** The modules of the board that a configuration names; undefined if it is not known. */
  async #modulesOf(text: string): ReturnType<ModulesOf> {
    try {
      const board: unknown = parseDocument(text, { logLevel: 'error' }).get('board');
      return await this.#foundation.modulesFor(typeof board === 'string' ? { board } : {});
    } catch {
      // The text or the board may be damaged. Then names of properties say what is secret.
      return undefined;
    }
  }

  async #text(): Promise<string> {
    return textIn(this.#foundation.configSource().file);
  }

  async #findingsIn(text: string): Promise<readonly ConfigFinding[]> {
    if (Buffer.byteLength(text) > FILE_LIMIT)
      throw fault('TEXT_TOO_LONG', coded`WHAT_CONFIGURATION: The configuration`, FILE_LIMIT, 'bytes');
    const { configSource, modulesFor } = this.#foundation;
    try {
      return (await readConfig({ ...configSource(), text }, modulesFor, reviewFacts)).findings;
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      return thrown.findings;
    }
  }

  #rejectInvalid(findings: readonly ConfigFinding[], file = this.#foundation.configSource().file): void {
    if (!findings.some(({ severity }) => severity === 'error')) return;
    const cause = new ConfigurationError(file, findings);
    const details = { problems: findings.map(problemOf) };
    throw new Fault('CONFIGURATION_INVALID', `Configuration is not valid: ${cause.message}`, {
      cause,
      parameters: [
        joined(
          findings.filter(({ severity }) => severity !== 'warning').map((one) => codedFinding(file, one)),
          '\n',
        ),
      ],
      details,
    });
  }

  async #put(content: string): Promise<void> {
    const { file, isOverlay } = this.#foundation.configSource();
    const overlay = overlayPath(this.#foundation.directory);
    try {
      if (!isOverlay && (await isWritable(file)) && (await tryReplace(file, content))) return;
      await writeFileAtomically(overlay, content, OVERLAY_MODE);
    } catch (thrown) {
      throw faultFrom(thrown, 'FILE_FAILED', coded`WHAT_CONFIGURATION: The configuration`, messageOf(thrown));
    }
  }
}

async function textIn(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (thrown) {
    throw faultFrom(
      thrown,
      'CONFIGURATION_INVALID',
      coded`CANNOT_BE_READ: ${file} cannot be read: ${codedMessageOf(thrown)}`,
    );
  }
}

/** Throws `PARAMETER_BOUNDS`. */
function pathOf(text: string): SettingChange['path'] {
  const path = parseSettingPath(text);
  if (path === undefined) throw fault('PARAMETER_BOUNDS', coded`WHAT_PATH: Path (${text})`);
  return path;
}

/**
 * Throws `PARAMETER_BOUNDS` if a path leads into a value without keys, and `CONFIGURATION_INVALID` if a URL would
 * be stored with `***` in place of its secret.
 */
function changedText(before: string, changes: readonly SettingChange[]): string {
  const text = changeSettings(before, changes);
  if (text === undefined)
    throw fault('PARAMETER_BOUNDS', coded`WHAT_PATH_INTO_VALUE: Path (leads into a value without keys)`);
  if (hasMaskedUrl(text) && !hasMaskedUrl(before)) throw fault('CONFIGURATION_INVALID', urlChanged());
  return text;
}

/**
 * A change as the file has it, with or without hashing its passwords. A password and its hash replace each
 * other. Throws `PARAMETER_BOUNDS`.
 */
async function changesOf(
  { Path, Value }: Parameters<ConfigurationPort['change']>[0][number],
  isHashing: boolean,
): Promise<SettingChange[]> {
  const path = pathOf(Path);
  if (!isHashed(path) || typeof Value !== 'string') {
    const isKept = !isHashing || path.at(-1) === SENT_PASSWORD;
    return [{ path, value: isKept ? Value : await withHashes(Value) }];
  }
  const hash = [...path.slice(0, -1), 'passwordHash'];
  if (!isHashing)
    return [
      { path: hash, value: null },
      { path, value: Value },
    ];
  return [
    { path, value: null },
    { path: hash, value: await hashPassword(Value) },
  ];
}

/** The settings with a password that the gateway sends, of a backup's target: a hash would be of no use. */
const SENT_PASSWORD = 'webdav';

/** Whether the setting is a password that the gateway only compares. */
const isHashed = (path: SettingChange['path']): boolean =>
  path.at(-1) === 'password' && path.at(-2) !== SENT_PASSWORD;

async function withHashes(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(withHashes));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(async ([key, one]) =>
    key === 'password' && typeof one === 'string'
      ? (['passwordHash', await hashPassword(one)] as const)
      : ([key, key === SENT_PASSWORD ? one : await withHashes(one)] as const),
  );
  return Object.fromEntries(await Promise.all(entries));
}

function problemOf({ line, column, key, severity, text }: ConfigFinding): Problems[number] {
  return {
    Line: line,
    Column: column,
    Path: key,
    Severity: severity,
    Text: text.toString(),
    CodedText: recordOf(text),
  };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether the process may write the file, and replace it in its directory. A read-only file stays. */
export async function isWritable(file: string): Promise<boolean> {
  try {
    const path = await realpath(file);
    const { W_OK } = constants;
    // Root may write every file, even one without write permission.
    if (((await stat(path)).mode & 0o222) === 0) return false;
    await Promise.all([access(path, W_OK), access(dirname(path), W_OK)]);
    return true;
  } catch {
    return false;
  }
}

/**
 * Replaces a file and keeps its mode and owner; false if this process may not write it. Follows symbolic
 * links.
 */
async function tryReplace(file: string, content: string): Promise<boolean> {
  try {
    const path = await realpath(file);
    await writeFileAtomically(path, content, await stat(path));
    return true;
  } catch (thrown) {
    if (NOT_WRITABLE.has(codeOf(thrown) ?? '')) return false;
    throw thrown;
  }
}
