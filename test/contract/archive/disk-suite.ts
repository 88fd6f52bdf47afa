import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { empty, fill, smallDisk } from '../../tools/small-disk.js';
import { openArchive, VARIABLE } from './open-archive.js';

const ALL = { startS: 0, endS: 0, limit: 0 };

/** The tests; given a reason, they are skipped with it. */
export function diskTests(skip: string | false): void {
  t.test(
    'a full disk: records wait, can be read meanwhile, and are written when there is space',
    { skip },
    async (t) => {
      const directory = await smallDisk(t);
      const clock = new ManualClock();
      const fixture = await openArchive(directory, clock);
      const { archive, kernel, variable, findings } = fixture;
      const set = (value: number) => {
        clock.advance(1000);
        kernel.variables.update(variable, value, clock.nowMs());
      };
      set(1);
      await archive.flush();
      t.equal(findings.get('archive')?.state, 'ok');
      fill(directory);
      // A database has some free pages.
      let value = 1;
      while (findings.get('archive')?.state === 'ok' && value < 200_000) {
        for (let n = 0; n < 1000; n++) set(++value);
        await archive.flush();
      }
      t.match(findings.get('archive'), { state: 'failed', whatToDo: /free some space/ });
      const [newest] = await archive.logged(VARIABLE, { ...ALL, limit: 1 });
      t.equal(newest?.value, value, 'waiting records are read');
      const tried = archive.flush();
      await yieldToEventLoop();
      const [trying] = await archive.logged(VARIABLE, { ...ALL, limit: 1 });
      t.equal(trying?.value, value, 'even while the write is retried');
      await tried;
      empty(directory);
      set(++value);
      await archive.flush();
      t.equal(findings.get('archive')?.state, 'ok');
      await archive.close();
      const again = await openArchive(directory, clock);
      const [first] = await again.archive.statistics();
      t.match(first, { id: VARIABLE, count: value });
      await again.archive.close();
    },
  );
}
