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

/** Files for editors: the types of scripts, and the schema of the configuration. */
interface EditorFiles {
  readonly types: string;
  readonly schema: string;
}

/** The names of the files for editors. */
export async function editorFiles(): Promise<EditorFiles> {
  const { types, schema } = await readManifest<string>();
  return { types: types ?? '', schema: schema ?? '' };
}

/** The files of a program as the build listed them. Read at each request for a page: nothing stays in memory. */
export async function programFiles(program: string): Promise<ProgramFiles> {
  const files = (await readManifest<ProgramFiles>())[program];
  if (files === undefined) throw new Error(`the build made no program ${program}`);
  return files;
}

async function readManifest<T>(): Promise<Readonly<Record<string, T>>> {
  const text = await readFile(`${ASSETS_DIRECTORY}/manifest.json`, 'utf8');
  return JSON.parse(text) as Readonly<Record<string, T>>;
}
