/**
 * What is made once and used again: a stage is made anew only when something that it is made from has
 * changed.
 */
import { createHash, type Hash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { WORK } from '../paths.js';

/** One thing to make. */
export interface BuildStage {
  /** Printed, and the name of the file that remembers the key. */
  name: string;
  /** What the result depends on: files, folders, or the keys of other stages. */
  from: readonly string[];
  /** Must be there for the stage to count as made. */
  output: string;
  make(): Promise<void>;
}

/**
 * Makes the stage if needed; gives its key. A stage that fails leaves no key behind and is made again next
 * time.
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

/** Adds what is in a file, or in all files of a folder; a key is added as it stands. */
function addTo(hash: Hash, input: string): void {
  if (!existsSync(input)) hash.update(`\0${input}`);
  else if (!statSync(input).isDirectory()) hash.update(`\0${basename(input)}\0`).update(readFileSync(input));
  else for (const name of readdirSync(input).sort()) addTo(hash, join(input, name));
}
