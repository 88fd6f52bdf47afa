import type { BackupTarget } from './backup-target.js';
import type { S3Options } from './s3-target.js';
import type { SftpOptions } from './sftp-target.js';
import type { WebdavOptions } from './webdav-target.js';

/**
 * Where backups are kept; secrets are read, and paths are absolute. Exactly one member other than `name` is
 * set.
 */
export interface TargetSettings {
  readonly name: string;
  readonly path?: string | undefined;
  readonly webdav?: WebdavOptions | undefined;
  readonly s3?: S3Options | undefined;
  readonly sftp?: SftpOptions | undefined;
}

/** Opens a target. Nothing is sent before the first call. */
export async function openTarget(
  { path, webdav, s3, sftp }: TargetSettings,
  signal: AbortSignal,
  nowMs: () => number,
): Promise<BackupTarget> {
  if (webdav !== undefined) return new (await import('./webdav-target.js')).WebdavTarget(webdav, signal);
  if (s3 !== undefined) return new (await import('./s3-target.js')).S3Target(s3, signal, nowMs);
  if (sftp !== undefined) return new (await import('./sftp-target.js')).SftpTarget(sftp, signal);
  return new (await import('./path-target.js')).PathTarget(path ?? '');
}
