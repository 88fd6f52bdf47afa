import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

const run = promisify(execFile);

const STRICT = ['-std=gnu17', '-O1', '-g', '-Wall', '-Wextra', '-Werror'];
/** Options of a shared library with the headers of Node. */
export const ADDON: readonly string[] = [
  '-fPIC',
  '-shared',
  '-DNAPI_VERSION=9',
  '-I',
  join(dirname(process.execPath), '../include/node'),
];
/** Options of the address and undefined-behaviour sanitizers. */
export const SANITIZERS: readonly string[] = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all'];

/**
 * Compiles C files with gcc and returns the path of the result, a file of this name below `build/test/`. It is
 * kept as long as the sources, the headers next to them and the options stay the same. Several tests may call
 * it at the same time.
 */
export async function compileC(
  name: string,
  sources: readonly string[],
  options: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(options));
  for (const file of [...sources, ...(await headersNextTo(sources))])
    hash.update(basename(file)).update(await readFile(file));
  const directory = join(PACKAGE_ROOT, 'build/test', hash.digest('hex').slice(0, 16));
  const file = join(directory, name);
  if (existsSync(file)) return file;
  await mkdir(directory, { recursive: true });
  // Under another name first: another test may run the complete one.
  const temporary = `${file}.${process.pid}`;
  // Libraries follow the sources that use them.
  await run('gcc', [...STRICT, ...sources, ...options, '-o', temporary]);
  await rename(temporary, file);
  return file;
}

/** The C files of a directory. */
export async function sourcesIn(directory: string): Promise<string[]> {
  return filesIn(directory, '.c');
}

/** The library that a program must preload that loads an addon with sanitizers. */
export async function sanitizerLibrary(): Promise<string> {
  const { stdout } = await run('gcc', ['-print-file-name=libasan.so']);
  return stdout.trim();
}

async function headersNextTo(sources: readonly string[]): Promise<string[]> {
  const directories = [...new Set(sources.map((source) => dirname(source)))];
  return (await Promise.all(directories.map((directory) => filesIn(directory, '.h')))).flat();
}

async function filesIn(directory: string, ending: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(ending));
  return names.sort().map((name) => join(directory, name));
}
