/** Results that are built once and reused: a stage is rebuilt only when one of its inputs has changed. */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WORK } from '../paths.js';

/** One stage of a build. */
export interface BuildStage {
  /** Printed, and the name of the file that stores the key. */
  name: string;
  /** Inputs: files, directories, or the keys of other stages. */
  from: readonly string[];
  /** Must exist for the stage to count as built. */
  output: string;
  make(): Promise<void>;
}

/**
 * Builds the stage if needed; returns its key. A stage that fails leaves no key and is built again next time.
 */
export async function buildStage({ name, from, output, make }: BuildStage): Promise<string> {
  const hash = createHash('sha256');
  for (const input of from) addTo(hash, input);
  const key = hash.digest('hex');
  const keyFile = join(WORK, `${name}.key`);
  if (existsSync(output) && existsSync(keyFile) && readFileSync(keyFile, 'utf8') === key) return key;
  const started = performance.now();
  rmSync(keyFile, { force: true });
  await make();
  writeFileSync(keyFile, key);
  console.log(`lab: ${name}, ${Math.round((performance.now() - started) / 1000)} s`);
  return key;
}

/** Adds the content of a file, or of all files of a directory; a key is added as it is. */
function addTo(hash: Hash, input: string): void {
  if (!existsSync(input)) hash.update(`\0${input}`);
  else if (!statSync(input).isDirectory()) hash.update(`\0${basename(input)}\0`).update(readFileSync(input));
  else for (const name of readdirSync(input).sort()) addTo(hash, join(input, name));
}
