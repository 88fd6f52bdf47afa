import { randomInt } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ClaimedAccess, OwnerClaim } from '../api/web/claim-routes.js';
import { writeFileAtomically } from '../base/atomic-write.js';
import { messageOf } from '../base/fault.js';
import type { Log } from '../base/log.js';
import type { GatewayConfig } from '../config/schema/gateway-schema.js';
import type { AuditRecord } from '../kernel/audit-record.js';
import type { ConfigurationFile } from './configuration-file.js';

/** Letters and digits that are not alike: 39 bits in a code, and guessing is throttled. */
const ALPHABET = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';
const LENGTH = 8;

/** The file in the runtime directory that `stellwerk setup --claim` reads. */
const CLAIM_FILE = 'claim-code';

interface ClaimDependencies {
  readonly runtimeDirectory: string;
  readonly config: () => GatewayConfig;
  readonly configurationFile: () => Promise<ConfigurationFile>;
  readonly log: Log;
  readonly nowMs: () => number;
  readonly recordAudit: (record: AuditRecord) => void;
}

/**
 * The claim of a gateway whose owner has no password: a new code at each start. The code is in no log, message
 * or reply; only the runtime directory and the console of the process have it.
 */
export class GatewayClaim implements OwnerClaim {
  readonly #of: ClaimDependencies;
  readonly #code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

  constructor(of: ClaimDependencies) {
    this.#of = of;
  }

  /** See {@link OwnerClaim}. */
  code(): string | undefined {
    const { password, passwordHash } = this.#of.config().remoteAccess ?? {};
    return password === undefined && passwordHash === undefined ? this.#code : undefined;
  }

  /** See {@link OwnerClaim}. */
  async set({ username, password, remote }: ClaimedAccess): Promise<void> {
    const file = await this.#of.configurationFile();
    await file.claim({ username, password }, () => this.code() === undefined);
    this.#of.log.info({ remote }, 'the first password of the owner was set with the claim code');
    this.#of.recordAudit({
      role: 'owner',
      at: Math.floor(this.#of.nowMs() / 1000),
      user: username,
      remote,
      method: 'console/claim',
      params: [],
      ok: true,
    });
    await this.show();
  }

  /** Writes the code to the runtime directory, or removes it once the owner has a password. */
  async show(): Promise<void> {
    const path = join(this.#of.runtimeDirectory, CLAIM_FILE);
    const code = this.code();
    try {
      if (code === undefined) await rm(path, { force: true });
      else await writeFileAtomically(path, `${code}\n`, 0o600);
    } catch (thrown) {
      this.#of.log.warn({}, `${path} cannot be written: ${messageOf(thrown)}`);
    }
  }
}
