import { resolve } from 'node:path';
import { coded } from '../../base/codes/coded-text.js';
import { codedMessageOf } from '../../base/fault.js';
import { readNamedFile } from '../../base/named-file.js';
import { HIDDEN } from '../../base/url-secrets.js';
import type { ConfigDocument, DocumentPath } from '../document.js';
import type { TargetConfig } from '../schema/backup-schema.js';
import type { GatewayConfig } from '../schema/gateway-schema.js';

const KINDS = ['path', 'webdav', 's3', 'sftp'] as const;

/** Checks the targets of backups, reads their secrets from files, and makes their paths absolute. */
export async function checkBackupTargets(
  document: ConfigDocument,
  { backup }: GatewayConfig,
  base: string,
): Promise<void> {
  const names = new Set<string>();
  for (const [i, target] of (backup?.targets ?? []).entries()) {
    const path: DocumentPath = ['backup', 'targets', i];
    const given = KINDS.filter((kind) => target[kind] !== undefined);
    if (given.length !== 1) document.addError(path, coded`GIVE_ONE_OF: give one of ${[...KINDS]}`);
    if (names.has(target.name))
      document.addError([...path, 'name'], coded`ANOTHER_TARGET_NAME: another target has this name`);
    names.add(target.name);
    await resolveTarget(document, target, { path, base });
  }
}

interface Place {
  readonly path: DocumentPath;
  readonly base: string;
}

async function resolveTarget(
  document: ConfigDocument,
  target: TargetConfig,
  { path, base }: Place,
): Promise<void> {
  const { webdav, s3, sftp } = target;
  if (target.path !== undefined) target.path = resolve(base, target.path);
  if (sftp !== undefined) sftp.keyFile = resolve(base, sftp.keyFile);
  /** The content of a file; empty if it cannot be read, which is reported. */
  const read = async (file: string, at: DocumentPath) => {
    try {
      return (await readNamedFile(resolve(base, file))).toString().trim();
    } catch (thrown) {
      document.addError(
        [...path, ...at],
        coded`UNREADABLE_BECAUSE: cannot be read: ${codedMessageOf(thrown)}`,
      );
      return '';
    }
  };
  const rejectPlaceholder = (secret: string | undefined, at: DocumentPath) => {
    if (secret === HIDDEN)
      document.addError(
        [...path, ...at],
        coded`PLACEHOLDER_EXPORT_REPLACE_PASSWORD: ${HIDDEN} is the placeholder of an export; replace it with the password`,
      );
  };
  if (webdav !== undefined) {
    rejectPlaceholder(webdav.password, ['webdav', 'password']);
    if (webdav.passwordFile !== undefined)
      webdav.password = await read(webdav.passwordFile, ['webdav', 'passwordFile']);
    if (webdav.ca !== undefined) webdav.ca = await read(webdav.ca, ['webdav', 'ca']);
  }
  if (s3 !== undefined) {
    rejectPlaceholder(s3.secretKey, ['s3', 'secretKey']);
    if (s3.secretKeyFile !== undefined) s3.secretKey = await read(s3.secretKeyFile, ['s3', 'secretKeyFile']);
    else if (s3.secretKey === undefined)
      document.addError([...path, 's3'], coded`GIVE_ONE_OF: give one of ${['secretKey', 'secretKeyFile']}`);
    if (s3.ca !== undefined) s3.ca = await read(s3.ca, ['s3', 'ca']);
  }
}
