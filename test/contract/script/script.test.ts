import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { message } from '../../../src/kernel/messages.js';
import { scriptLimits } from '../../../src/script/script-limits.js';
import { owner, scriptFixture } from '../../tools/gateway/script-fixture.js';
import { setTimeZone } from '../../tools/time-zone.js';
import { until } from '../../tools/until.js';

t.test('functions are synchronous globals, and printed text is returned', async (t) => {
  const { runs, calls, kernel } = await scriptFixture(t);
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
  t.equal(await runs('print(SENDER, VARIABLE, EVENT, PARAMETERS.SENDER)'), 'TestundefinedundefinedTest');
});

t.test('each run is reported, of a script and of a text', async (t) => {
  const { engine, script, runId, kernel } = await scriptFixture(t);
  const messages: unknown[] = [];
  kernel.changes.listen(({ SenderID, Message, Data }) => {
    if (Message === message.SE_EXECUTE || Message === message.SE_RUNNING)
      messages.push([SenderID, Message, Data]);
  });
  const { id, data } = await script('print(1)');
  await runId(id);
  const at = data.executed;
  t.strictSame(messages.splice(0), [
    [id, message.SE_EXECUTE, [1, 1, 0, at]],
    [0, message.SE_RUNNING, ['Test', `scripts/${data.file}`, 1, at]],
  ]);
  t.equal(await engine.run({ text: 'print(2)', parameters: {}, sender: 'RunScript', caller: owner }), '2');
  t.match(messages, [[0, message.SE_RUNNING, ['RunScript', 'scripts/text.js', 2, Number]]]);
});

t.test('values passed to a script belong to its realm, and printed ones are readable', async (t) => {
  const { runs } = await scriptFixture(t);
  const kinds =
    'const [, item] = List(); try { Fails() } catch (e) { print(List() instanceof Array, item instanceof Object, e instanceof Error) }';
  t.equal(await runs(kinds), 'truetruetrue');
  t.equal(
    await runs('print(List(), [1, 2], 3n, Symbol("s"), null, undefined)'),
    '[1,{"a":"b"}][1,2]3Symbol(s)nullundefined',
  );
  t.equal(await runs('const a = {}; a.a = a; print(a); console.warn("w", 1)'), '[object Object]w 1\n');
  t.equal(await runs('print(atob(btoa("hall")))'), 'hall');
});

t.test('modules, network and process are not available', async (t) => {
  const { runs } = await scriptFixture(t);
  const absent = ['process', 'require', 'module', 'fetch', 'Buffer', 'global'];
  t.equal(
    await runs(`print(${absent.map((name) => `typeof ${name}`).join()})`),
    'undefined'.repeat(absent.length),
  );
  await t.rejects(runs('await import("node:fs")'), { message: /can import nothing/ });
  await t.rejects(runs('import fs from "node:fs"'), { message: /import statement/ });
});

t.test('a script has the time zone of the gateway', async (t) => {
  setTimeZone(t, 'Australia/Lord_Howe');
  const { runs } = await scriptFixture(t);
  t.equal(await runs('print(new Date(0).getHours(), ":", new Date(0).getMinutes())'), '10:0');
  t.equal(await runs('print(new Date(2026, 0, 1).getTimezoneOffset())'), '-660');
});

t.test('a script ends when its timers and promises have ended', async (t) => {
  const { runs } = await scriptFixture(t);
  const order = `
    setTimeout((word) => print(word, Double(2)), 20, "d");
    setImmediate(() => print("c"));
    Promise.resolve().then(() => print("b"));
    queueMicrotask(() => print("m"));
    print("a");`;
  t.equal(await runs(order), 'abmcd4');
  t.equal(
    await runs('let n = 0; const id = setInterval(() => { if (++n === 3) clearInterval(id); print(n) }, 1)'),
    '123',
  );
  t.equal(
    await runs('const id = setTimeout(() => print("never"), 5); clearTimeout(id); print("done")'),
    'done',
  );
  const awaiting = `const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
    await sleep(5);
    for await (const n of [1, 2]) print(n);
    print(SELF > 0)`;
  t.equal(await runs(awaiting), '12true');
  await t.rejects(runs('\nawait new Promise(() => {})'), {
    message: /awaits a promise that is never settled/,
  });
  await t.rejects(runs('\n\nsetTimeout(() => {\n  nothing.there() }, 1)'), {
    message: /\.js:4:3: nothing is not/,
  });
  await t.rejects(runs('\nPromise.reject(new Error("lost"))'), { message: /\.js:2:16: lost/ });
  await t.rejects(runs('const a = 1;\nawait null;\nthrow new Error("late")'), { message: /\.js:3:7: late/ });
  await t.rejects(runs('setTimeout("print(1)", 1)'), { message: /a timer requires a function/ });
  t.equal(await runs('print("next")'), 'next', 'and nothing of that is left for the next script');
});

t.test('a failure has its position, and a syntax error marks the script as broken', async (t) => {
  const { runs, runId, script, engine, kernel, loud } = await scriptFixture(t);
  await t.rejects(runs('\n\nnothing.there()'), {
    code: 'SCRIPT_FAILED',
    message: /^\d+\.js:3:1: nothing is not defined$/,
  });
  await t.rejects(runs('Fails()'), { message: /^\d+\.js:1:1: Object #4711 does not exist/ });
  await t.rejects(runs('throw "plain"'), { message: /plain/ });
  await t.rejects(runs('throw new Proxy({}, { has() { throw 1 } })'), {
    message: /a value that cannot be described/,
  });
  const problems = [
    ['let a = ;\n', /\.js:1:9: Unexpected token ';'$/],
    ['\nconst x = {\n a: 1\n', /\.js:4: Unexpected end of input$/],
    ['await 1; let b = ;', /\.js:1:18: Unexpected token ';'$/],
    ['print(1);\nawait 1;\n  let b = ;', /\.js:3:11: Unexpected token ';'$/],
  ] as const;
  for (const [text, where] of problems) {
    const broken = await script(text);
    t.equal(broken.data.broken, true);
    t.match(loud.at(-1), where);
    t.match(await engine.compileError(broken.id), where);
    await t.rejects(runId(broken.id), { message: where });
    await engine.setContent(broken.id, 'print(1)');
    t.equal(kernel.scripts.get(broken.id).data.broken, false);
    t.equal(await engine.compileError(broken.id), '');
    t.equal(await runId(broken.id), '1');
  }
});

t.test('a repeated failure is logged once a minute, even if the clock is set back', async (t) => {
  const clock = new ManualClock();
  const { script, runId, loud } = await scriptFixture(t, {}, clock);
  const { id } = await script('nothing.there()');
  const fail = async () => {
    await t.rejects(runId(id), { code: 'SCRIPT_FAILED' });
    return loud.length;
  };
  t.equal(await fail(), 1);
  t.equal(await fail(), 1);
  clock.stepWallClock(-365 * 86_400_000);
  clock.advance(120_000);
  t.equal(await fail(), 2);
  t.match(loud[1], / \(and 1 times more since\)$/);
});

t.test('a script includes another once, by its id or its file', async (t) => {
  const { runs, runId, script, engine, loud } = await scriptFixture(t);
  const library = await script(
    'const half = 0.5;\nfunction scaled(n) { return Double(n) * half }\nprint("i")',
    'scaling.js',
  );
  t.equal(await runs(`include(${library.id}); print(scaled(21), half)`), 'i210.5');
  t.equal(await runs('print(include("scaling.js"), include("scaling.js"), scaled(4))'), 'itruefalse4');
  t.equal(await runs('await null; include("scaling.js"); print(scaled(3))'), 'i3');
  const first = await script('include("second.js"); print("1")', 'first.js');
  await script('include("first.js"); print("2")', 'second.js');
  t.equal(await runId(first.id), '21', 'a cycle ends where it began');
  await script('let a = ;', 'wrong.js');
  await t.rejects(runs('print(1);\ninclude("wrong.js")'), { message: /^wrong\.js:1:9: Unexpected token/ });
  await script('\n nothing.there()', 'failing.js');
  await t.rejects(runs('include("failing.js")'), { message: /^failing\.js:2:2: nothing is not defined/ });
  await t.rejects(runs('include("missing.js")'), { message: /^\d+\.js:1:1: missing\.js does not exist$/ });
  await t.rejects(runs('include("../../gateway.yaml")'), { message: /not a usable file name/ });
  await t.rejects(runs('include(4711)'), { message: /Script #4711 does not exist/ });
  t.equal(await runs('try { include({}) } catch (e) { print(e.code) }'), 'FILE_NAME');
  t.ok(loud.length > 0);
  t.equal(await engine.compileError(first.id), '');
});

t.test('TypeScript runs with its types removed', async (t) => {
  const { runs, runId, script, engine } = await scriptFixture(t);
  const typed =
    'interface Lamp { readonly id: number }\nconst lamp: Lamp = { id: 7 };\nprint(Double(lamp.id as number))';
  t.equal(await runs(typed, {}, 'lamp.ts'), '14');
  t.equal(await runs('include("lamp.ts")'), '14');
  t.equal(await runs('const n: number = await Promise.resolve(3);\nprint(n)', {}, 'later.ts'), '3');
  await t.rejects(runs('type A = string;\n\n  nothing.there()', {}, 'a.ts'), {
    message: /^a\.ts:3:3: nothing/,
  });
  const broken = await script('const a: number = ;', 'b.ts');
  t.equal(broken.data.broken, true);
  t.equal(await engine.compileError(broken.id), 'b.ts:1:19: Expression expected');
  const unsupported = await script('let a = 1;\n  enum A { b }', 'c.ts');
  await t.rejects(runId(unsupported.id), { message: /^c\.ts:2:3: TypeScript enum is not supported/ });
});

t.test('a stop while a broken script is compiled again leaves it marked as broken', async (t) => {
  // The limits are read when a process is chosen, and when it gets the text.
  let reads = 0;
  const limits = {
    get timeMs() {
      reads += 1;
      return scriptLimits.timeMs;
    },
  };
  const { script, engine } = await scriptFixture(t, limits);
  const { id, data } = await script('let a = ;');
  reads = 0;
  const text = `${'function one() { return [1, 2, 3]; }\n'.repeat(20_000)}let b = ;`;
  const replaced = engine.setContent(id, text).catch((thrown: unknown) => thrown);
  await until('it is compiled', () => reads >= 2);
  await engine.close();
  t.match(await replaced, { code: 'STOPPING' });
  t.equal(data.broken, true);
});

t.test('a PHP script is stored, marked broken, and fails with a text', async (t) => {
  const { script, runId, engine, runs } = await scriptFixture(t);
  const why = /\.js:\d+(:\d+)?: this gateway runs JavaScript and TypeScript; this text is PHP$/;
  for (const text of ['<?php\necho 1;', '\n <? echo 1; ?>', '<html><?php echo 1; ?></html>', '<?=1?>']) {
    const { id, data } = await script(text);
    t.equal(await engine.content(id), text, 'it is stored unchanged');
    t.equal(data.broken, true);
    t.match(await engine.compileError(id), why);
    await t.rejects(runId(id), { code: 'SCRIPT_FAILED', message: why });
  }
  await script('<?php', 'lib.js');
  await t.rejects(runs('include("lib.js")'), { message: /^lib\.js:1:1: .* is PHP$/ });
  t.equal(await runs('print("<?php")'), '<?php', 'JavaScript may mention it');
});

t.test('types in a .js file are reported as TypeScript', async (t) => {
  const { script, engine } = await scriptFixture(t);
  const hint = 'types are TypeScript: rename the file to end in .ts';
  const problem = async (text: string) => engine.compileError((await script(text)).id);
  t.match(await problem('const n: number = 1;'), new RegExp(`\\.js:1:\\d+: .*; ${hint}$`));
  t.match(await problem('interface A { b: string }\nprint(await 1)'), new RegExp(`; ${hint}$`));
  t.match(await problem('let a = ;'), /Unexpected token ';'$/);
  t.notMatch(await problem('const n: number = ;'), hint);
});
