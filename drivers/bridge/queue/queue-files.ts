/** A file of a queue. */
export interface QueueFile {
  readonly name: string;
  readonly bytes: number;
}

/**
 * The files of one queue, in a directory of the disk, and one file in memory that survives a crash of the
 * process but no power cut. Failures reject with the system's error.
 */
export interface QueueFiles {
  list(): Promise<readonly QueueFile[]>;
  read(name: string): Promise<Buffer>;
  /** The first bytes of a file; fewer if it is shorter. */
  readStart(name: string, length: number): Promise<Buffer>;
  /** Appends, and flushes to the disk. If it rejects, the file is as before, or is not used any more. */
  append(name: string, bytes: Buffer): Promise<void>;
  remove(name: string): Promise<void>;
  /** Replaces a small file atomically and durably. */
  replace(name: string, content: string): Promise<void>;
  readonly memory: MemoryFile;
  /** Releases the files; none is removed. */
  close(): Promise<void>;
}

/** A file on a tmpfs. It is written synchronously, which takes microseconds. Throws the system's error. */
export interface MemoryFile {
  /** What it contained when it was opened. */
  readonly left: Buffer;
  append(bytes: Buffer): void;
  /** Replaces bytes from this position on, within the content. */
  write(bytes: Buffer, position: number): void;
  /** Replaces the content. */
  reset(bytes: Buffer): void;
}
