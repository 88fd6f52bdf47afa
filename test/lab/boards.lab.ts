/**
 * The board files are held to what the kernel says of the machines: the facts kept for that are this very
 * kernel's.
 */
import { join } from 'node:path';
import t from 'tap';
import { kernelFacts, writtenFacts } from '../tools/generate/board-facts.js';
import { WORK } from './paths.js';

t.test("the facts of the boards are those of Debian's kernel of today", async (t) => {
  const { kernel, labels, machines } = kernelFacts(join(WORK, 'kernel/root'));
  const series = kernel.split('.').slice(0, 2).join('.');
  const written = writtenFacts().find((facts) => facts.kernel.startsWith(`${series}.`));
  t.strictSame({ labels, machines }, { labels: written?.labels, machines: written?.machines }, kernel);
});
