import { readdir, readFile } from 'node:fs/promises';

/** The text of a file without surrounding blanks; empty if it is missing or its device does not respond. */
export async function textOf(path: string): Promise<string> {
  return (await readFile(path, 'utf8').catch(() => '')).trim();
}

/** The names in a directory, sorted; none if it is missing, as the kernel has only what the machine has. */
export async function namesIn(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(() => [])).sort();
}
