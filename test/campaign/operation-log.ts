import { readFile } from 'node:fs/promises';

/** A change of a recorded directory. Paths are relative to it and begin with a slash. */
export type Operation =
  | { readonly kind: 'create'; readonly inode: string; readonly path: string }
  | { readonly kind: 'mkdir' | 'unlink' | 'rmdir'; readonly path: string }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'truncate'; readonly inode: string; readonly size: number }
  | { readonly kind: 'write'; readonly inode: string; readonly offset: number; readonly data: Buffer }
  | { readonly kind: 'sync'; readonly inode: string };

const NEWLINE = 10;

/** Reads the log that `recordfs.c` has written; its head describes the format. */
export async function readOperations(path: string): Promise<Operation[]> {
  const log = await readFile(path);
  const operations: Operation[] = [];
  for (let at = 0; at < log.length;) {
    const end = log.indexOf(NEWLINE, at);
    const line = log.toString('utf8', at, end);
    at = end + 1;
    const operation = parse(line, (length) => log.subarray(at, at + length));
    if (operation.kind === 'write') at += operation.data.length;
    operations.push(operation);
  }
  return operations;
}

function parse(line: string, dataOf: (length: number) => Buffer): Operation {
  const [kind = '', first = '', second = '', third = ''] = line.split(' ');
  const rest = line.slice(kind.length + 1);
  switch (kind) {
    case 'create':
      return { kind, inode: first, path: rest.slice(first.length + 1) };
    case 'mkdir':
    case 'unlink':
    case 'rmdir':
      return { kind, path: rest };
    case 'rename': {
      const [from = '', to = ''] = rest.split('\t');
      return { kind, from, to };
    }
    case 'truncate':
      return { kind, inode: first, size: Number(second) };
    case 'write':
      return { kind, inode: first, offset: Number(second), data: dataOf(Number(third)) };
    case 'sync':
      return { kind, inode: first };
    default:
      throw new Error(`an unknown entry of the log: ${line}`);
  }
}
