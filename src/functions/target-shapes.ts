import { Type } from '@sinclair/typebox';
import { codedText, named } from './shapes.js';

const target = named(
  'BackupTargetRecord',
  'A target of encrypted backups. Kind: path, webdav, s3 or sftp. Times are unix milliseconds; 0 is never. Problem says why the last backup failed, VerifyProblem why the last comparison did; both are empty otherwise.',
  {
    Name: Type.String(),
    Kind: Type.String(),
    LastMs: Type.Integer(),
    LastName: Type.String(),
    NextMs: Type.Integer(),
    VerifiedMs: Type.Integer(),
    Problem: Type.String(),
    CodedProblem: codedText,
    VerifyProblem: Type.String(),
    CodedVerifyProblem: codedText,
  },
);

export const targetList = named('BackupTargetList', 'The targets, and the id of the recovery key.', {
  KeyID: Type.String(),
  Targets: Type.Array(target),
});

export const recoveryKey = named(
  'RecoveryKeyRecord',
  'A new recovery key. Only the owner can keep it: without it, encrypted backups cannot be read.',
  { Key: Type.String(), KeyID: Type.String() },
);

export const targetBackup = named('TargetBackupRecord', 'A backup on a target.', {
  Name: Type.String(),
  CreatedMs: Type.Integer(),
});

export const storedBackup = named(
  'StoredBackupRecord',
  'A backup that was stored. StoredBytes and StoredChunks are new on the target; Chunks is what the backup has.',
  {
    Name: Type.String(),
    StoredBytes: Type.Integer(),
    StoredChunks: Type.Integer(),
    Chunks: Type.Integer(),
    DeletedBackups: Type.Integer(),
  },
);

export const verifiedBackup = named('VerifiedBackupRecord', 'What a restore of a backup has.', {
  Name: Type.String(),
  Objects: Type.Integer(),
  Values: Type.Integer(),
  ArchiveRecords: Type.Integer(),
});
