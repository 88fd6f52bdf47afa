import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { ClaimedAccess, ClaimedRestore, OwnerClaim } from '../api/web/claim-routes.js';
import { writeFileAtomically } from '../base/atomic-write.js';
import { fault, messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import { SerialQueue } from '../base/serial-queue.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import type { AuditRecord } from '../kernel/audit-record.js';
import { networksOf } from '../service/machine/host-info.js';
import type { Backups } from './backup/backups.js';
import { setPendingRestore } from './backup/pending-restore.js';
import type { ConfigurationFile } from './configuration-file.js';

/** Letters and digits that cannot be confused. A code has 39 bits, and guessing is throttled. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const LENGTH = 8;

/** The file in the runtime directory that `stellwerk setup --claim` reads. */
const CLAIM_FILE = 'claim-code';
const CONTENT = new RegExp(`^([${ALPHABET}]{${LENGTH}})\\n$`);

interface ClaimDependencies {
  readonly directory: string;
  readonly runtimeDirectory: string;
  readonly config: () => GatewayConfig;
  readonly configurationFile: () => Promise<ConfigurationFile>;
  readonly backups: () => Promise<Backups>;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly recordAudit: (record: AuditRecord) => void;
  /** Ends the gateway; systemd starts it again. */
  readonly stop: () => void;
}

/**
 * The claim of a gateway whose owner has no password. The code is in no log, message or reply; only the
 * runtime directory and the console of the process have it. It is kept when the gateway restarts, because the
 * machine may have shown it already; the runtime directory of the installed unit ends with the machine.
 */
export class GatewayClaim implements OwnerClaim {
  readonly #dependencies: ClaimDependencies;
  /** One restore at a time. */
  readonly #queue = new SerialQueue();
  readonly #closed = new AbortController();
  readonly #path: string;
  readonly #code: string;

  constructor(dependencies: ClaimDependencies) {
    this.#dependencies = dependencies;
    this.#path = join(dependencies.runtimeDirectory, CLAIM_FILE);
    this.#code = shownCode(this.#path) ?? newCode();
  }

  /** See {@link OwnerClaim}. */
  code(): string | undefined {
    const { password, passwordHash } = this.#dependencies.config().remoteAccess ?? {};
    return password === undefined && passwordHash === undefined ? this.#code : undefined;
  }

  /** See {@link OwnerClaim}. */
  async set({ username, password, settings, remote }: ClaimedAccess): Promise<void> {
    const { checkSetup } = await import('../config/setup-file.js');
    const setup = checkSetup(settings, 'INVALID_REQUEST');
    const file = await this.#dependencies.configurationFile();
    await file.claim({ ...setup, username, password }, () => this.code() === undefined);
    // A start would replace what was set now with the backup that was chosen, or is being fetched, before.
    this.#closed.abort();
    await this.#queue.run(() => setPendingRestore(this.#dependencies.directory, undefined));
    this.#dependencies.log.info({ remote }, 'the first password of the owner was set with the claim code');
    this.#dependencies.recordAudit({
      role: 'owner',
      at: Math.floor(this.#dependencies.nowMs() / 1000),
      user: username,
      remote,
      method: 'console/claim',
      params: [],
      ok: true,
    });
    await this.publish();
  }

  /** See {@link OwnerClaim}. */
  async facts(): ReturnType<OwnerClaim['facts']> {
    const { name, language, timeZone } = this.#dependencies.config();
    const networks = await networksOf();
    return {
      settings: { hostname: name, language, timezone: timeZone },
      hostName: hostname(),
      addresses: networks.map(({ IP }) => IP).filter((address) => address !== ''),
    };
  }

  /** See {@link OwnerClaim}. */
  restore({ target, key, remote }: ClaimedRestore): Promise<void> {
    const { directory, log, nowMs } = this.#dependencies;
    return this.#queue.run(async () => {
      const { fetchForClaim } = await import('./backup/claim-restore.js');
      const { signal } = this.#closed;
      const name = await fetchForClaim(directory, { target, key }, { nowMs: nowMs(), signal });
      log.info({ remote }, `${name} was fetched with the claim code, and is restored at the next start`);
    });
  }

  /** See {@link OwnerClaim}. */
  async receive(content: Readable, remote: string): Promise<void> {
    const { backups: get, log, nowMs } = this.#dependencies;
    const backups = await get();
    const { Name: name } = await backups.receive(`first-page-${nowMs()}.db`, content);
    try {
      await this.#queue.run(async () => {
        // Somebody may have set the password while it was uploaded.
        if (this.code() === undefined) throw fault('NOT_FOUND');
        await backups.restore(name);
      });
    } catch (thrown) {
      await backups.delete(name);
      throw thrown;
    }
    log.info({ remote }, `${name} was uploaded with the claim code, and is restored at the next start`);
  }

  /** See {@link OwnerClaim}. */
  restart(): void {
    this.#dependencies.stop();
  }

  /** Cancels a restore in progress. */
  close(): void {
    this.#closed.abort();
  }

  /** Writes the code to the runtime directory, or removes it once the owner has a password. */
  async publish(): Promise<void> {
    const code = this.code();
    try {
      if (code === undefined) await rm(this.#path, { force: true });
      else await writeFileAtomically(this.#path, `${code}\n`, 0o600);
    } catch (thrown) {
      this.#dependencies.log.warn({}, `${this.#path} cannot be written: ${messageOf(thrown)}`);
    }
  }
}

function newCode(): string {
  return Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

/** The code of the last start; undefined if there was none. */
function shownCode(path: string): string | undefined {
  try {
    return CONTENT.exec(readFileSync(path, 'utf8'))?.[1];
  } catch {
    // The machine has started since then.
    return undefined;
  }
}
