/**
 * Compares the board files with the kernel's data of the machines; the stored data must be that of this
 * kernel.
 */
import { join } from 'node:path';
import t from 'tap';
import { kernelFacts, writtenFacts } from '../tools/generate/board-facts.js';
import { WORK } from './paths.js';

t.test('the stored data of the boards is that of Debian’s present kernel', async (t) => {
  const { kernel, labels, machines } = kernelFacts(join(WORK, 'kernel/root'));
  const series = kernel.split('.').slice(0, 2).join('.');
  const written = writtenFacts().find((facts) => facts.kernel.startsWith(`${series}.`));
  t.strictSame({ labels, machines }, { labels: written?.labels, machines: written?.machines }, kernel);
});
