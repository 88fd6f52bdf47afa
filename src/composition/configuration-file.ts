import { createHash } from 'node:crypto';
import { access, constants, readFile, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hashPassword } from '../api/access/credentials.js';
import { writeFileAtomically } from '../base/atomic-write.js';
import { Fault, codeOf, fault, faultFrom, messageOf } from '../base/fault.js';
import { SerialQueue } from '../base/serial-queue.js';
import { overlayPath } from '../config/config-source.js';
import { ConfigurationError, FILE_LIMIT, type ConfigFinding } from '../config/document.js';
import { readConfig } from '../config/load.js';
import { setPasswordHash, type PasswordTarget } from '../config/set-password.js';
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
 * Reads, checks and replaces the configuration on the disk. A change goes to the file that the gateway was
 * started with; where the gateway may only read that, to an overlay in the data directory.
 */
export class ConfigurationFile implements ConfigurationPort {
  readonly #foundation: Pick<Foundation, 'configSource' | 'modulesFor' | 'directory'>;
  readonly #reload: () => Promise<ReloadReport>;
  /** Changes are made one at a time, each based on the text that the former has written. */
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
      Text: content,
      Digest: digestOf(content),
      Path: file,
      IsOverlay: isOverlay,
      IsWritable: !isOverlay && (await isWritable(file)),
    };
  }

  /** See {@link ConfigurationPort}. */
  async check(content: string): Promise<Problems> {
    return (await this.#findingsIn(content)).map(problemOf);
  }

  /** See {@link ConfigurationPort}. */
  write(content: string, digest: string): Promise<ReloadReport> {
    return this.#queue.run(async () => {
      if (digestOf(await this.#text()) !== digest) throw fault('CONFIGURATION_CHANGED');
      return this.#replace(content);
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
   * Sets the owner's first credentials. Throws `NOT_FOUND` if `isClaimed` says that there are some, and as
   * {@link setPassword}.
   */
  async claim(
    { username, password }: { readonly username: string; readonly password: string },
    isClaimed: () => boolean,
  ): Promise<void> {
    const hash = await hashPassword(password);
    await this.#queue.run(() => {
      if (isClaimed()) throw fault('NOT_FOUND');
      return this.#setPasswordHash({ owner: true, username }, hash);
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
    try {
      return await this.#reload();
    } catch (thrown) {
      if (!(thrown instanceof Fault) || thrown.code !== 'CONFIGURATION_INVALID') throw thrown;
      // It is valid for the board that it names, which only a restart can change to.
      return { Applied: [], NeedsRestart: ['board'], Problems: [thrown.message] };
    }
  }

  /** Throws `CONFIGURATION_INVALID` with all problems if a text has errors. */
  async rejectInvalid(content: string): Promise<void> {
    this.#rejectInvalid(await this.#findingsIn(content));
  }

  async #text(): Promise<string> {
    const { file } = this.#foundation.configSource();
    try {
      return await readFile(file, 'utf8');
    } catch (thrown) {
      throw faultFrom(thrown, 'CONFIGURATION_INVALID', `${file} cannot be read: ${messageOf(thrown)}`);
    }
  }

  async #findingsIn(text: string): Promise<readonly ConfigFinding[]> {
    if (Buffer.byteLength(text) > FILE_LIMIT) throw fault('TEXT_TOO_LONG', 'The configuration', FILE_LIMIT);
    const { configSource, modulesFor } = this.#foundation;
    try {
      return (await readConfig({ ...configSource(), text }, modulesFor, reviewFacts)).findings;
    } catch (thrown) {
      if (!(thrown instanceof ConfigurationError)) throw thrown;
      return thrown.findings;
    }
  }

  #rejectInvalid(findings: readonly ConfigFinding[]): void {
    const { file } = this.#foundation.configSource();
    if (!findings.some(({ severity }) => severity === 'error')) return;
    const cause = new ConfigurationError(file, findings);
    const details = { problems: findings.map(problemOf) };
    throw new Fault('CONFIGURATION_INVALID', `Configuration is not valid: ${cause.message}`, {
      cause,
      details,
    });
  }

  async #put(content: string): Promise<void> {
    const { file, isOverlay } = this.#foundation.configSource();
    const overlay = overlayPath(this.#foundation.directory);
    try {
      if (!isOverlay && (await isWritable(file)) && (await isReplaced(file, content))) return;
      await writeFileAtomically(overlay, content, OVERLAY_MODE);
    } catch (thrown) {
      throw faultFrom(thrown, 'FILE_FAILED', 'The configuration', messageOf(thrown));
    }
  }
}

function problemOf({ line, column, key, severity, text }: ConfigFinding): Problems[number] {
  return { Line: line, Column: column, Path: key, Severity: severity, Text: text };
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Whether the file may be written, and replaced in its directory. A file without write permission stays. */
export async function isWritable(file: string): Promise<boolean> {
  try {
    const path = await realpath(file);
    const { W_OK } = constants;
    // Root may write everything, even what somebody has write-protected.
    if (((await stat(path)).mode & 0o222) === 0) return false;
    await Promise.all([access(path, W_OK), access(dirname(path), W_OK)]);
    return true;
  } catch {
    return false;
  }
}

/** Replaces a file and keeps its mode and owner; false if this process may not. Follows symbolic links. */
async function isReplaced(file: string, content: string): Promise<boolean> {
  try {
    const path = await realpath(file);
    await writeFileAtomically(path, content, await stat(path));
    return true;
  } catch (thrown) {
    if (NOT_WRITABLE.has(codeOf(thrown) ?? '')) return false;
    throw thrown;
  }
}
