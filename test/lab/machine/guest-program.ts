/**
 * Runs programs of the contract tests in a machine: each is bundled with its imports into one file, and runs
 * with the Node, addons and packages of the installed gateway.
 */
import { build } from 'esbuild';
import { basename, join } from 'node:path';
import type { Test } from 'tap';
import { nodeBuildOptions } from '../../../systemd/esbuild-options.js';
import type { GuestAgent } from './agent.js';
import { ROOT } from '../paths.js';

const INSTALLED = '/opt/stellwerk/current';
/** At the depth of the sources: addons are found relative to it. */
const FOLDER = `${INSTALLED}/dist/test/contract`;
/** Packages that the installed gateway has. */
const PACKAGES = ['onoff', 'serialport', 'mqtt', 'ws', 'fastify', '@fastify/send', 'pino', 'suncalc'];

/**
 * Runs such a program of dist/test with arguments; each contract case is an assertion, and there are more
 * than `minAssertions`.
 */
export async function runInGuest(
  t: Test,
  agent: GuestAgent,
  {
    file,
    words,
    minAssertions,
    limitMs,
  }: { file: string; words: string; minAssertions: number; limitMs: number },
): Promise<void> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'dist/test', file)],
    ...nodeBuildOptions,
    write: false,
    external: PACKAGES,
  });
  const program = `${FOLDER}/${basename(file)}`;
  await agent.run(`mkdir -p ${FOLDER}`);
  await agent.put(program, Buffer.from(outputFiles[0]?.contents ?? []));
  const node = `${INSTALLED}/bin/node --test-reporter=tap ${program} ${words}`;
  const { code, out, err } = await agent.try(node, limitMs);
  const messages = [...out.matchAll(/^(not )?ok \d+ - (.*)$/gm)];
  for (const [, failed, sentence = ''] of messages) t.notOk(failed, sentence);
  if (code !== 0) t.comment(out + err);
  t.equal(code, 0);
  t.ok(messages.length > minAssertions, 'the contract is complete');
}
