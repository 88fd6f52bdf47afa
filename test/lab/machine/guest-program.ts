/**
 * Programs of the quick tests in a machine: each is put together with what it imports into one file, and runs
 * on the installed gateway's own Node, addons and packages.
 */
import { build } from 'esbuild';
import { basename, join } from 'node:path';
import type { Test } from 'tap';
import { nodeBuildOptions } from '../../../systemd/esbuild-options.js';
import type { GuestAgent } from './agent.js';
import { ROOT } from '../paths.js';

const INSTALLED = '/opt/stellwerk/current';
/** As deep as the sources stand: the addons are found from there. */
const FOLDER = `${INSTALLED}/dist/test/contract`;
/** What the installed gateway has as packages of their own. */
const PACKAGES = ['onoff', 'serialport', 'mqtt', 'ws', 'fastify', '@fastify/send', 'pino', 'suncalc'];

/**
 * Runs such a program of dist/test, with words; each of its sentences is an assertion, and there are more
 * than `least`.
 */
export async function runInGuest(
  t: Test,
  agent: GuestAgent,
  { file, words, least, limitMs }: { file: string; words: string; least: number; limitMs: number },
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
  t.ok(messages.length > least, 'the whole contract was told');
}
