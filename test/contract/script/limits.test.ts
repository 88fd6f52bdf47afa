import t, { type Test } from 'tap';
import { ManualClock, systemClock, type Cancel, type Clock } from '../../../src/base/clock.js';
import type { ScriptLimits } from '../../../src/script/script-limits.js';
import { DEPTH_LIMIT } from '../../../src/script/process-pool.js';
import { scriptFixture } from '../../tools/gateway/script-fixture.js';
import { until } from '../../tools/until.js';

type Wild = readonly (readonly [text: string, why: RegExp])[];

/** The time limit of scripts that must exceed it. */
const TIME_MS = 2000;
/** How long such a script really runs after its call of `Started`, ms. */
const LOOP_MS = 500;

/**
 * A clock whose timers of {@link TIME_MS} run when all scripts that have one have called `Started`: on a busy
 * machine their processes may need longer than that to start.
 */
function limitClock(): { clock: Clock; onStarted(): boolean } {
  const system = systemClock();
  const held = new Set<() => void>();
  let started = 0;
  const runHeld = () => {
    if (started < held.size) return;
    started = 0;
    for (const run of held) run();
    held.clear();
  };
  const after: Clock['after'] = (ms, callback) => {
    if (ms !== TIME_MS) return system.after(ms, callback);
    let cancel: Cancel = () => undefined;
    const run = () => void (cancel = system.after(LOOP_MS, callback));
    held.add(run);
    return () => {
      cancel();
      // The syntax of a script has been checked, which is limited, too.
      if (held.delete(run)) runHeld();
    };
  };
  const onStarted = () => {
    started += 1;
    runHeld();
    return true;
  };
  return { clock: { ...system, after }, onStarted };
}

/** Runs scripts that must each be stopped for a reason and reported once, next to one that must not be. */
async function stopped(t: Test, limits: Partial<ScriptLimits>, wild: Wild) {
  const now: { -readonly [K in keyof ScriptLimits]?: ScriptLimits[K] } = {};
  const { clock, onStarted } = limitClock();
  const { runs, loud, calls, functions } = await scriptFixture(t, now, clock);
  functions['Started'] = onStarted;
  const begin = limits.timeMs === TIME_MS ? 'Started(); ' : '';
  const good = runs('let n = 0; for (let i = 0; i < 2000; i++) n = Double(i); print(n)');
  await until('it runs, without a limit', () => calls.length > 0);
  Object.assign(now, limits);
  const failures = await Promise.allSettled(wild.map(([text]) => runs(begin + text)));
  for (const [i, [text, why]] of wild.entries()) {
    const failure = failures[i];
    const thrown: unknown = failure?.status === 'rejected' ? failure.reason : undefined;
    t.match(thrown, { code: 'SCRIPT_FAILED', message: why }, text);
    const { message } = thrown as Error;
    t.equal(loud.filter((line) => line.endsWith(message)).length, 1, `reported once: ${message}`);
  }
  t.ok(
    loud.every((line) => /^script \d{5} “S”: \d{5}\.js/.test(line)),
    'with its id, its name, its file',
  );
  t.equal(await good, '3998');
  delete now.timeMs;
  t.equal(await runs('print("still here")'), 'still here');
}

t.test('an endless script is stopped at its current line, and affects no other', (t) =>
  stopped(t, { timeMs: TIME_MS }, [
    [
      'let n = 0;\nfunction count() {\n  for (;;)\n    n++;\n}\ncount();',
      /\.js:[34]:\d+: the script ran for more than 2 s/,
    ],
    ['const s = "a".repeat(40) + "b";\n/(a+)+$/.test(s)', /\.js:2:\d+: the script ran for more than 2 s/],
    ['\nfor (;;) Double(1)', /\.js:2:\d+: the script ran for more than 2 s/],
    ['\n\nSleep(1e6)', /\.js:3:1: the script ran for more than 2 s/],
    ['setTimeout(() => {\n  for (;;);\n}, 1)', /\.js:2:\d+: the script ran for more than 2 s/],
    ['setInterval(() => {}, 10)', /\.js: the script ran for more than 2 s/],
    ['for (;;) try { Sleep(1e6) } catch {}', /\.js:1:\d+: the script ran for more than 2 s/],
    ['print(1);\nthrow { get message() { for (;;); }, stack: "" }', /ran for more than 2 s/],
  ]),
);

t.test('a script that allocates too much memory is stopped at its current line', (t) =>
  stopped(t, { timeMs: 120_000, residentMiB: 200 }, [
    [
      // Grows slowly enough to be stopped before V8 ends the process for lack of heap.
      'const a = [];\nfor (;;) for (let i = 0; i < 3e5; i++)\n  if (i === 0) a.push(new Array(10000).fill(a.length + 0.5))',
      /\.js:[23]:\d+: the script used more than 64 MiB and was stopped/,
    ],
    [
      'const b = [];\nfor (;;) b.push(new Uint8Array(1e6).fill(1))',
      /\.js:2:\d+: the script used more than 200 MiB and was stopped/,
    ],
  ]),
);

t.test('a script that prints or calls without end affects only itself', (t) =>
  stopped(t, { timeMs: 120_000, calls: 3000 }, [
    ['for (;;) print("x".repeat(1000))', /\.js:1:10: the script printed more than 1048576/],
    ['for (;;) try { print("x".repeat(1000)) } catch {}', /\.js:1:16: the script printed more/],
    ['try { print("x".repeat(1048577)) } catch {}', /printed more/],
    ['function f() {\n  f()\n}\nf()', /\.js:\d+:\d+: Maximum call stack/],
    ['\nDouble("x".repeat(17e6))', /\.js:2:1: the script sent more than 16777216 bytes/],
    [
      'for (;;) try { Double(1) } catch {}',
      /\.js:1:16: the script made more than 3000 calls and was stopped/,
    ],
  ]),
);

t.test('a flood of calls is limited to its rate', async (t) => {
  const clock = new ManualClock();
  const { runs, calls } = await scriptFixture(t, { timeMs: 3000, callsPerS: 20, calls: 1e6 }, clock);
  const ended = t.rejects(runs('for (;;) Double(1)'), { message: /ran for more than 3 s/ });
  await until('a burst of five seconds', () => calls.length === 100);
  for (let count = 101; count < 160; count++) {
    clock.advance(50);
    await until(`call ${count}`, () => calls.length === count);
  }
  clock.advance(50);
  await ended;
  t.equal(calls.length, 159, 'and three seconds at the rate');
});

t.test('a repeated failure is reported once per interval', async (t) => {
  const { script, runId, loud } = await scriptFixture(t);
  const { id } = await script('throw new Error("again")');
  for (let i = 0; i < 5; i++) await t.rejects(runId(id), { message: /:1:7: again/ });
  t.equal(loud.length, 1);
});

t.test('a script that calls itself recursively is rejected at a depth, and reported once', async (t) => {
  const { runs, loud } = await scriptFixture(t);
  const deep = new RegExp(`more than ${DEPTH_LIMIT} levels deep`);
  await t.rejects(runs('print(RunWait(SELF))'), { message: deep });
  t.match(loud, [deep]);
  t.equal(loud.length, 1);
  t.equal(await runs('Run(SELF)'), '', 'a script that starts itself ends at the same depth');
});
