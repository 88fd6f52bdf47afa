/**
 * The contract on sysfs, as a program of its own: it runs in a mount namespace whose /sys/class/gpio is ours.
 */
import t from 'tap';
import { gpioContract } from './suite.js';
import { sysfsFixture } from './sysfs.js';

await gpioContract((name, body) => t.test(name, body), sysfsFixture);

t.test('of two values in quick succession, the later one stays', async (t) => {
  const { backend, levelAt, close } = await sysfsFixture();
  const [chip] = await backend.chips();
  if (chip === undefined) throw new Error('no chip');
  const location = { chip, offset: 0, name: 'line' };
  {
    await using line = await backend.requestOutput(location, {
      activeLow: false,
      drive: 'push-pull',
      boot: 'inactive',
    });
    let wrong = 0;
    for (let n = 0; n < 500; n++) {
      const value = n % 2 === 0;
      await Promise.all([line.set(!value), line.set(value)]);
      if ((await levelAt(0)) !== value) wrong += 1;
    }
    t.equal(wrong, 0);
  }
  await close();
});
