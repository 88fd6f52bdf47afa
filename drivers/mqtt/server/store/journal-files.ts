import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

/** Nobody else needs to read what clients published. */
const DIRECTORY_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * The changes that are not in the database yet, as files on a tmpfs: they survive the end of the process, not
 * that of the machine. A new file begins with each write to the database; the files before it are removed once
 * the database has their changes.
 */
export class JournalFiles {
  readonly #directory: string;
  #descriptor: number | undefined;
  #length = 0;
  #number = 0;

  constructor(directory: string) {
    this.#directory = directory;
    mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  }

  /** Bytes in the present file. */
  get length(): number {
    return this.#length;
  }

  /** The contents of the files that an earlier process has left, oldest first. */
  readAll(): Buffer[] {
    const numbers = this.#numbers();
    this.#number = numbers.at(-1) ?? 0;
    return numbers.map((number) => readFileSync(this.#path(number)));
  }

  /** Appends to the present file. Throws the system's error; what was written of it is replaced by the next call. */
  append(bytes: Buffer): void {
    this.#descriptor ??= this.#open();
    for (let done = 0; done < bytes.length;)
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#length + done);
    this.#length += bytes.length;
  }

  /** Begins a new file, and returns the number of the last one before it. */
  rotate(): number {
    this.close();
    return this.#number;
  }

  /** Removes the files up to this number. */
  removeUpTo(last: number): void {
    for (const number of this.#numbers()) if (number <= last) rmSync(this.#path(number), { force: true });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#length = 0;
  }

  #open(): number {
    this.#number += 1;
    const { O_CREAT, O_TRUNC, O_WRONLY } = constants;
    return openSync(this.#path(this.#number), O_CREAT | O_TRUNC | O_WRONLY, FILE_MODE);
  }

  #path(number: number): string {
    return join(this.#directory, `${number}.journal`);
  }

  #numbers(): number[] {
    return readdirSync(this.#directory)
      .flatMap((name) => /^(\d{1,15})\.journal$/.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => a - b);
  }
}
