/**
 * Where encrypted backups are kept. Paths are relative and consist of `[a-z0-9./-]`. Every method rejects
 * with `BACKUP_TARGET_FAILED` if the target cannot be reached or rejects the request.
 */
export interface BackupTarget extends AsyncDisposable {
  /** Stores a file, with the folders above it; a reader never finds a part of it under this path. */
  put(path: string, content: Uint8Array): Promise<void>;
  /** The content of a file; undefined if it does not exist. */
  get(path: string): Promise<Buffer | undefined>;
  /** The names of the files in a folder; none if it does not exist. */
  list(folder: string): Promise<readonly string[]>;
  /** Deletes a file; one that does not exist is no failure. */
  delete(path: string): Promise<void>;
}

/** Maximum number of bytes of a file on a target: an index of a very large archive has some MiB. */
export const FILE_BYTES = 64 * 1024 * 1024;
