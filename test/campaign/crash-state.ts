/**
 * What a crash after a number of recorded operations leaves on the disk. If the process is killed, that is all of
 * them. If the power is cut, it is what a journaling file system guarantees (ext4 with `data=ordered`, the
 * default):
 *
 * - Data of a file is on the disk if the file was flushed after it was written. All other writes may be there, may
 *   be missing, or some of their sectors may be.
 * - Operations on names and sizes reach the disk in their order, because the journal has an order. Each flush
 *   commits all of those before it; of those after the last flush, some of the first may be there.
 */
import {
  closeSync,
  copyFileSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../tools/random.js';
import { outcomeOf, writtenParts } from '../tools/torn-write.js';
import type { Operation } from './operation-log.js';

export type CrashKind = 'process' | 'power';

/** A directory before recording: a copy of it, and the inodes that its files had in the original. */
export interface Base {
  readonly copy: string;
  readonly paths: ReadonlyMap<string, string>;
}

/** Copies a directory and notes the inodes of its files. */
export function copyBase(original: string, copy: string): Base {
  const paths = new Map<string, string>();
  mkdirSync(copy);
  for (const entry of readdirSync(original, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(original.length);
    if (entry.isDirectory()) {
      mkdirSync(join(copy, name), { recursive: true });
      continue;
    }
    mkdirSync(join(copy, name, '..'), { recursive: true });
    copyFileSync(path, join(copy, name));
    paths.set(String(statSync(path).ino), name);
  }
  return { copy, paths };
}

/**
 * Writes to `target`, which must be a copy of the base, what a crash after the first `count` operations leaves.
 */
export function applyCrash(
  { paths: basePaths }: Base,
  operations: readonly Operation[],
  { count, kind, random, target }: { count: number; kind: CrashKind; random: Random; target: string },
): void {
  const at = (path: string): string => join(target, path);
  const paths = new Map(basePaths);
  const done = operations.slice(0, count);
  const keptNames = kind === 'process' ? count : committedNames(done, random);
  const lastSync = new Map(
    done.flatMap((operation, n) => (operation.kind === 'sync' ? [[operation.inode, n]] : [])),
  );
  const inodeAt = (path: string) => [...paths].find(([, one]) => one === path)?.[0];
  for (const [n, operation] of done.entries()) {
    if (operation.kind === 'sync') continue;
    if (operation.kind === 'write') {
      const path = paths.get(operation.inode);
      if (path === undefined) continue;
      const isSafe = kind === 'process' || n < (lastSync.get(operation.inode) ?? -1);
      writeParts(at(path), operation, { isSafe, random });
      continue;
    }
    if (n >= keptNames) {
      // Its inode is that of a deleted file whose deletion is lost, too.
      if (operation.kind === 'create') paths.delete(operation.inode);
      continue;
    }
    switch (operation.kind) {
      case 'create':
        closeSync(openSync(at(operation.path), 'w'));
        paths.set(operation.inode, operation.path);
        break;
      case 'truncate': {
        const path = paths.get(operation.inode);
        if (path !== undefined) truncate(at(path), operation.size);
        break;
      }
      case 'mkdir':
        mkdirSync(at(operation.path));
        break;
      case 'rmdir':
        rmdirSync(at(operation.path));
        break;
      case 'unlink':
        rmSync(at(operation.path));
        paths.delete(inodeAt(operation.path) ?? '');
        break;
      case 'rename':
        rename(operation.from, operation.to);
    }
  }

  function rename(from: string, to: string): void {
    renameSync(at(from), at(to));
    paths.delete(inodeAt(to) ?? '');
    for (const [inode, path] of paths)
      if (path === from || path.startsWith(`${from}/`)) paths.set(inode, to + path.slice(from.length));
  }
}

/** The number of operations of which those on names and sizes are kept. */
function committedNames(done: readonly Operation[], random: Random): number {
  const committed = done.findLastIndex(({ kind }) => kind === 'sync') + 1;
  return committed + random.below(done.length - committed + 1);
}

type Write = Extract<Operation, { kind: 'write' }>;

/** Writes what reaches the disk of a write. */
function writeParts(file: string, { offset, data }: Write, by: { isSafe: boolean; random: Random }): void {
  const fd = openSync(file, 'r+');
  const outcome = outcomeOf(by.isSafe, by.random);
  for (const { from, to } of writtenParts({ offset, length: data.length }, outcome, by.random))
    writeSync(fd, data, from, to - from, offset + from);
  closeSync(fd);
}

function truncate(file: string, size: number): void {
  const fd = openSync(file, 'r+');
  ftruncateSync(fd, size);
  closeSync(fd);
}
