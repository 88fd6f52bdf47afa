import { Type, type Static } from '@sinclair/typebox';
import { oneOf, optional, strict, text } from './event-schema.js';

const url = Type.String({ pattern: '^https?://' });
const kept = (maximum: number) => Type.Integer({ minimum: 0, maximum });

/** A place that keeps encrypted backups: exactly one of `path`, `webdav`, `s3` and `sftp`. */
const target = strict({
  name: Type.String({ pattern: '^[A-Za-z0-9_]+$' }),
  path: optional(text),
  webdav: optional(
    strict({
      url,
      username: optional(text),
      password: optional(text),
      passwordFile: optional(text),
      ca: optional(text),
    }),
  ),
  s3: optional(
    strict({
      endpoint: url,
      region: text,
      bucket: text,
      prefix: optional(text),
      accessKey: text,
      secretKey: optional(text),
      secretKeyFile: optional(text),
      ca: optional(text),
    }),
  ),
  sftp: optional(
    strict({
      host: Type.String({ pattern: '^[A-Za-z0-9]' }),
      port: optional(Type.Integer({ minimum: 1, maximum: 65_535 })),
      username: Type.String({ pattern: '^[A-Za-z0-9_]' }),
      folder: optional(text),
      keyFile: text,
      hostKey: text,
    }),
  ),
});

/** Backups on other machines. */
export const backupSchema = strict({
  at: optional(Type.String({ pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' })),
  verify: optional(oneOf(['weekly', 'off'])),
  keep: optional(
    strict({ days: optional(kept(366)), weeks: optional(kept(520)), months: optional(kept(120)) }),
  ),
  targets: optional(Type.Array(target, { maxItems: 8 })),
});

export type BackupConfig = Static<typeof backupSchema>;
export type TargetConfig = Static<typeof target>;
