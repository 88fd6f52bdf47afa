import { readFile } from 'node:fs/promises';
import { PACKAGE_ROOT } from '../base/package-root.js';

/** Where the build puts the programs for browsers; served at `/front/`. */
export const ASSETS_DIRECTORY = `${PACKAGE_ROOT}dist/program/front`;

/** The files of a program, by their names in the directory. */
interface ProgramFiles {
  readonly script: string;
  readonly style: string;
  /** What the script imports before it runs. */
  readonly chunks: readonly string[];
}

/** The files of a program as the build listed them. Read at each request for a page: nothing stays in memory. */
export async function programFiles(program: string): Promise<ProgramFiles> {
  const text = await readFile(`${ASSETS_DIRECTORY}/manifest.json`, 'utf8');
  const manifest = JSON.parse(text) as Readonly<Record<string, ProgramFiles>>;
  const files = manifest[program];
  if (files === undefined) throw new Error(`the build made no program ${program}`);
  return files;
}
