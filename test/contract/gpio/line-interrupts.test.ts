import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { LineInterrupts } from '../../../drivers/gpio/backends/interrupts.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test("the kernel's interrupt counter is found by consumer and number", async (t) => {
  const root = await tempDirectory(t);
  const interrupt = async (number: number, attributes: Record<string, string>) => {
    await mkdir(join(root, String(number)), { recursive: true });
    for (const [name, text] of Object.entries(attributes))
      await writeFile(join(root, String(number), name), `${text}\n`);
  };
  await interrupt(1, { actions: 'uart', hwirq: '8', per_cpu_count: '5,5' });
  await interrupt(40, { actions: 'stellwerk', hwirq: '8', per_cpu_count: '4294967290,3' });
  await interrupt(41, { actions: 'stellwerk', hwirq: '9', per_cpu_count: '1,1' });
  await interrupt(42, { actions: '', hwirq: '10', per_cpu_count: '1,1' });
  const line = new LineInterrupts(8, root);
  t.equal(await line.count(), 0);
  await interrupt(40, { per_cpu_count: '4294967295,5' });
  t.equal(await line.count(), 7);
  await interrupt(40, { per_cpu_count: '4,5' });
  t.equal(await line.count(), 12, 'a count that wraps');
  await rm(join(root, '40'), { recursive: true });
  t.equal(await line.count(), undefined, 'gone');
  t.equal(await new LineInterrupts(10, root).count(), undefined, "nobody's");
  await interrupt(43, { actions: 'stellwerk', hwirq: '9', per_cpu_count: '1,1' });
  t.equal(await new LineInterrupts(9, root).count(), undefined, "two chips' lines of one number");
  t.equal(await new LineInterrupts(9, join(root, 'nothing')).count(), undefined);
});
