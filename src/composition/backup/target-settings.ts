import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import { isRecord } from '../../api/rpc/rpc.js';
import type { TargetSettings } from '../../backup/targets/open-target.js';
import { HIDDEN, unmaskUrlsIn } from '../../base/url-secrets.js';
import { parseConfig } from '../../config/load.js';
import type { TargetConfig } from '../../config/schema/backup-schema.js';

/** A target as its checked configuration describes it. */
export function targetSettings({ name, path, webdav, s3, sftp }: TargetConfig): TargetSettings {
  return { name, path, webdav, s3: s3 && { ...s3, secretKey: s3.secretKey ?? '' }, sftp };
}

/** The members that say where a target is. A folder of a server can be relative to that of its user. */
const PLACE = 'path webdav url s3 endpoint bucket prefix sftp host port username folder'.split(' ');

/** A digest of where the backups of a key are. */
export function targetIdentity(target: TargetConfig, keyId: string): string {
  return createHash('sha256')
    .update(JSON.stringify([keyId, target], PLACE))
    .digest('hex');
}

/** A target as GW_GetSettings shows it, with the stored secrets where it has `***`. */
export function withSecrets(given: object, stored: TargetSettings | undefined): object {
  const secrets: Readonly<Record<string, string | undefined>> = {
    password: stored?.webdav?.password,
    secretKey: stored?.s3?.secretKey,
  };
  const shown = Object.fromEntries(
    Object.entries(given).map(([kind, value]: [string, unknown]) => [
      kind,
      isRecord(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, one]) => [name, one === HIDDEN ? secrets[name] : one]),
          )
        : value,
    ]),
  );
  return unmaskUrlsIn(shown, stored) as object;
}

/**
 * Checks a target that is not in the configuration, with the keys that it has there; files are relative to
 * the directory of `file`. Throws ConfigurationError.
 */
export async function parseTarget(file: string, given: object): Promise<TargetSettings> {
  const text = stringify({ backup: { targets: [{ ...given, name: 'restore' }] } });
  const [target] = (await parseConfig(file, text)).config.backup?.targets ?? [];
  return targetSettings(target ?? { name: '' });
}
