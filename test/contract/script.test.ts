import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/base/clock.js';
import { fault } from '../../src/base/fault.js';
import { silentLog } from '../../src/base/log.js';
import type { Caller } from '../../src/device/declare.js';
import { Kernel } from '../../src/kernel/kernel.js';
import { ScriptEngine } from '../../src/script/engine.js';
import { ScriptFiles } from '../../src/script/files.js';
import { DEPTH_LIMIT } from '../../src/script/pool.js';
import { scriptLimits, type ScriptLimits } from '../../src/script/worker.js';

const owner: Caller = { role: 'owner', user: 'test', remote: 'local' };

async function bench(t: Test, limits: Partial<ScriptLimits> = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const calls: [string, unknown][] = [];
  const functions: Record<string, (params: unknown[], caller: Caller) => unknown> = {
    GetValue: () => 21.5,
    Double: ([n]) => Number(n) * 2,
    Later: async ([n]) => n,
    Fails: () => {
      throw fault('OBJECT_MISSING', 4711);
    },
    RunWait: ([id], caller) => engine.run({ id: Number(id), parameters: {}, sender: 'RunScript', caller }),
  };
  const engine: ScriptEngine = new ScriptEngine({
    kernel,
    files: new ScriptFiles(join(directory, 'scripts')),
    clock: systemClock(),
    log: silentLog,
    functions: {
      names: () => Object.keys(functions),
      call: (method, params, caller) => {
        calls.push([caller.user, params]);
        return functions[method]?.(params as unknown[], caller);
      },
    },
    limits: () => ({ ...scriptLimits, ...limits }),
  });
  t.teardown(async () => {
    await engine.close();
    await rm(directory, { recursive: true });
  });
  const script = async (text: string) => {
    const made = kernel.scripts.create(0);
    await engine.setContent(made.id, text);
    return made;
  };
  const runs = async (text: string, values = {}) =>
    engine.run({ id: (await script(text)).id, parameters: values, sender: 'Test', caller: owner });
  return { directory, kernel, engine, script, runs, calls };
}

t.test('functions are synchronous globals, and what is printed comes back', async (t) => {
  const { runs, calls, kernel } = await bench(t);
  t.equal(
    await runs('print(GetValue(1) + 1, "\\n"); echo(VALUE, PARAMETERS.VARIABLE)', {
      VALUE: true,
      VARIABLE: 7,
    }),
    '22.5\ntrue7',
  );
  t.equal(await runs('print(Later("ä€\\n" + "x".repeat(200000)).length)'), '200003');
  t.equal(
    await runs('let n = 1; for (let i = 0; i < 10; i++) n = Double(n); console.log({ n })'),
    '{"n":1024}\n',
  );
  t.equal(
    await runs('try { Fails() } catch (e) { print(e.message, e.code) }'),
    'Object #4711 does not exist' + 'OBJECT_MISSING',
  );
  t.match(calls[0]?.[0], /^script \d{5}$/);
  const own = await runs('print(SELF)');
  t.equal(kernel.scripts.get(Number(own)).data.broken, false);
  t.equal(await runs('print(typeof process, typeof require, typeof fetch)'), 'undefinedundefinedundefined');
});

t.test('a script that fails says where, and is marked broken when it cannot be parsed', async (t) => {
  const { runs, script, engine, kernel } = await bench(t);
  await t.rejects(runs('\n\nnothing.there()'), {
    code: 'SCRIPT_FAILED',
    message: /^\d+\.js:3: nothing is not defined$/,
  });
  await t.rejects(runs('Fails()'), { message: /\d+\.js:1: Object #4711 does not exist/ });
  await t.rejects(runs('throw "plain"'), { message: /plain/ });
  const broken = await script('let a = ;\n');
  t.equal(broken.data.broken, true);
  await t.rejects(engine.run({ id: broken.id, parameters: {}, sender: 'Test', caller: owner }), {
    message: /\.js:1: Unexpected token/,
  });
  await engine.setContent(broken.id, 'print(1)');
  t.equal(kernel.scripts.get(broken.id).data.broken, false);
  t.equal(await engine.run({ id: broken.id, parameters: {}, sender: 'Test', caller: owner }), '1');
});

/** Runs scripts that must each be stopped for a reason, beside one that must not be. */
async function stopped(
  t: Test,
  limits: Partial<ScriptLimits>,
  wild: readonly (readonly [text: string, why: RegExp])[],
) {
  const { runs } = await bench(t, limits);
  const good = runs('let n = 0; for (let i = 0; i < 2000; i++) n = Double(i); print(n)');
  const failures = await Promise.allSettled(wild.map(([text]) => runs(text)));
  for (const [i, [text, why]] of wild.entries()) {
    const failure = failures[i];
    const thrown: unknown = failure?.status === 'rejected' ? failure.reason : undefined;
    t.match(thrown, { code: 'SCRIPT_FAILED', message: why }, text);
  }
  t.equal(await good, '3998');
  t.equal(await runs('print("still here")'), 'still here');
}

t.test('a script that never ends is stopped, and stops nothing else', (t) =>
  stopped(t, { timeMs: 2000 }, [
    ['for(;;);', /ran for more than 2 s/],
    ['for(;;) try { print("x".repeat(1000)) } catch {}', /ran for more than 2 s/],
  ]),
);

t.test(
  'a script that eats memory, prints or recurses without end, or ends its process, harms only itself',
  (t) =>
    stopped(t, { timeMs: 120_000, residentMiB: 200 }, [
      ['const a = []; for(;;) a.push(new Array(10000).fill(a.length + 0.5))', /used more than 64 MiB/],
      [
        'const b = []; for(;;) b.push(new Uint8Array(1e6).fill(1))',
        /used more than 200 MiB|Array buffer allocation/,
      ],
      ['for(;;) print("x".repeat(1000))', /printed more than 1048576/],
      ['try { print("x".repeat(1048577)) } catch {}', /printed more/],
      ['(function f() { f() })()', /Maximum call stack/],
      ['Double("x".repeat(17e6))', /sent more than 16777216 bytes/],
      ['Double.constructor("return process")().exit(3)', /process ended \(3\)/],
    ]),
);

t.test('scripts that wait for each other go on; one that calls itself without end is refused', async (t) => {
  const { script, engine, runs } = await bench(t);
  const leaf = await script('print("leaf")');
  const middle = await script(`print("<", RunWait(${leaf.id}), ">")`);
  const all = await Promise.all(
    Array.from({ length: scriptLimits.atOnce * 3 }, () =>
      engine.run({ id: middle.id, parameters: {}, sender: 'Test', caller: owner }),
    ),
  );
  t.ok(all.every((output) => output === '<leaf>'));
  await t.rejects(runs('print(RunWait(SELF))'), {
    message: new RegExp(`more than ${DEPTH_LIMIT} levels deep`),
  });
});

t.test('writers of one text do not meet, and a script that is deleted meanwhile stays deleted', async (t) => {
  const { script, engine, kernel } = await bench(t);
  const made = await script('');
  const texts = Array.from({ length: 8 }, (_, i) => `print(${'1'.repeat(i * 1000)})`);
  await Promise.all(texts.map((text) => engine.setContent(made.id, text)));
  t.equal(await engine.content(made.id), texts.at(-1));
  const { id } = made;
  const late = Promise.allSettled([
    engine.setContent(id, 'let a = ;'),
    engine.setFile(id, 'other.js'),
    engine.run({ id, parameters: {}, sender: 'Test', caller: owner }),
  ]);
  kernel.tree.delete(made);
  const { counter } = kernel.changes;
  t.match(await late, Array(3).fill({ status: 'rejected', reason: { code: 'NOT_OF_TYPE' } }));
  t.equal(kernel.changes.counter, counter, 'nothing more is told of it');
});

t.test('texts are files that people can edit; their names lead nowhere else', async (t) => {
  const { script, engine, directory, kernel } = await bench(t);
  const made = await script('print("first")');
  const file = join(directory, 'scripts', made.data.file);
  t.equal(await readFile(file, 'utf8'), 'print("first")');
  await writeFile(file, 'print("edited")');
  t.equal(await engine.run({ id: made.id, parameters: {}, sender: 'Test', caller: owner }), 'edited');
  t.equal(await engine.content(made.id), 'print("edited")');
  for (const name of ['../evil.js', '/etc/passwd', 'a/b.js', '.js', 'x.txt', 'a\0.js']) {
    kernel.scripts.setFile(made, name);
    await t.rejects(engine.content(made.id), { code: 'FILE_NAME' });
    await t.rejects(engine.setContent(made.id, ''), { code: 'FILE_NAME' });
  }
  await t.rejects(engine.content(1), { code: 'NOT_OF_TYPE' });
});
