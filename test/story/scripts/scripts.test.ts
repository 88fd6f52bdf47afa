import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { owner } from '../../tools/gateway/function-fixture.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, startGateway, SAMPLE_TREE } from '../../tools/gateway/gateway-fixture.js';
import { until } from '../../tools/until.js';

interface ScriptFacts {
  readonly ScriptIsBroken: boolean;
  readonly ScriptError: string;
}

t.test('a script file edited with any editor is checked immediately', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const id = await rpc(fixture, 'SVC_CreateScript', 0);
  t.equal(await rpc(fixture, 'SVC_SetScriptFile', id, 'evening.ts'), true);
  t.equal(await rpc(fixture, 'SVC_SetName', id, 'Evening'), true);
  const file = join(fixture.directory, 'data', 'scripts', 'evening.ts');
  const facts = async () => (await rpc(fixture, 'SVC_GetScript', id)) as ScriptFacts;
  await writeFile(`${file}~`, 'const warm: number = 21;\nSetValue(, warm);\n');
  await rename(`${file}~`, file);
  await until('it has an error', async () => (await facts()).ScriptIsBroken);
  t.equal((await facts()).ScriptError, 'evening.ts:2:10: Expression expected');
  await until('the log says so', () =>
    fixture.log.some((line) =>
      line.includes(`script ${String(id)} “Evening” cannot be run: evening.ts:2:10`),
    ),
  );
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  await writeFile(
    file,
    `const warm: number = 23;\nSetValue(${setpoint}, warm);\nprint(GetValueFormatted(${setpoint}));\n`,
  );
  await until('it has no error', async () => !(await facts()).ScriptIsBroken);
  t.match(await facts(), { ScriptError: '' });
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', id), '23.0 °C');
  await rm(file);
  await until('the file is missing', async () => (await facts()).ScriptError === 'evening.ts does not exist');
  t.equal(await rpc(fixture, 'SVC_RunScriptWait', id), 'SCRIPT_FAILED');
});

t.test(
  'a script that is edited while the gateway is stopped, or right after a start, is noticed',
  async (t) => {
    const first = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const id = await rpc(first, 'SVC_CreateScript', 0);
    await rpc(first, 'SVC_SetScriptContent', id, 'print(1)');
    await first.gateway.close();
    const file = join(first.directory, 'data', 'scripts', `${String(id)}.js`);
    await writeFile(file, 'print(2)');
    const fixture = await startGateway(t, undefined, { directory: first.directory });
    t.equal(await rpc(fixture, 'SVC_RunScriptWait', id), '2');
    await writeFile(file, 'let a = ;');
    await until(
      'it has an error',
      async () => ((await rpc(fixture, 'SVC_GetScript', id)) as ScriptFacts).ScriptIsBroken,
    );
  },
);

t.test('functions show a script’s thread, its semaphores, and who called', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const run = (text: string) => rpc(fixture, 'SVC_RunScriptTextWait', text);
  t.strictSame(await rpc(fixture, 'SVC_GetScriptThreadList'), [1, 2, 3, 4]);
  t.strictSame(
    [await rpc(fixture, 'SVC_ScriptThreadExists', 4), await rpc(fixture, 'SVC_ScriptThreadExists', 5)],
    [true, false],
  );
  t.equal(await rpc(fixture, 'SVC_GetScriptThread', 5), 'NOT_OF_TYPE');
  t.equal(((await rpc(fixture, 'SVC_GetScriptThreads', [])) as object[]).length, 4);
  const id = await rpc(fixture, 'SVC_CreateScript', 0);
  const holds = `print(SVC_SemaphoreEnter("pump", 1000)); SVC_SetInfo(SELF, "pumps"); for (;;) SVC_Sleep(60000)`;
  await rpc(fixture, 'SVC_SetScriptContent', id, holds);
  t.equal(await rpc(fixture, 'SVC_AbortScript', id), false, 'it does not run');
  t.equal(await rpc(fixture, 'SVC_RunScript', id), true);
  const [thread] = await until('it holds the semaphore', async () => {
    if ((await run('print(SVC_SemaphoreEnter("pump", 0))')) === 'true') return undefined;
    const all = (await rpc(fixture, 'SVC_GetScriptThreads', [])) as { ThreadID: number; ScriptID: number }[];
    const found = all.filter(({ ScriptID }) => ScriptID === id);
    return found.length > 0 ? found : undefined;
  });
  t.match(await rpc(fixture, 'SVC_GetScriptThread', thread?.ThreadID), {
    ScriptID: id,
    FilePath: `${String(id)}.js`,
    Sender: 'RunScript',
  });
  t.equal(await run('print(SVC_SemaphoreEnter("pump", 10), SVC_SemaphoreLeave("pump"))'), 'falsefalse');
  t.equal(await rpc(fixture, 'SVC_AbortScript', id), true);
  await until('it is free', async () => (await run('print(SVC_SemaphoreEnter("pump", 10000))')) === 'true');
  t.equal(await rpc(fixture, 'SVC_SemaphoreEnter', 'pump', 0), 'NOT_ALLOWED', 'outside of a script');
  t.equal(await rpc(fixture, 'SVC_SemaphoreLeave', 'pump'), 'NOT_ALLOWED');
  for (const [name, ms] of [
    ['', 1],
    ['x'.repeat(201), 1],
    ['x', -1],
    ['x', 1e9],
  ] as const)
    t.equal(await rpc(fixture, 'SVC_SemaphoreEnter', name, ms), 'PARAMETER_BOUNDS');
  t.equal(await rpc(fixture, 'SVC_Sleep', 1), true);
  t.equal(await rpc(fixture, 'SVC_Sleep', -1), 'PARAMETER_BOUNDS');
  const audit = JSON.stringify(await rpc(fixture, 'GW_GetAudit', 50, 'inside'));
  t.match(audit, `"User":"script ${String(id)}","Remote":"local","Method":"SVC_SetInfo"`);
  await until('the log has it once, with its line', () =>
    fixture.log.some((line) => line.includes(`script ${String(id)}: ${String(id)}.js:1:`)),
  );
});

t.test('SVC_Sleep waits as long as requested', async (t) => {
  const clock = new ManualClock();
  const fixture = await startGateway(t, SIMULATED_CONFIG, { clock });
  let isOver = false;
  const sleeping = Promise.resolve(fixture.gateway.registry.call('SVC_Sleep', [1000], owner)).then(
    (result) => {
      isOver = true;
      return result;
    },
  );
  clock.advance(999);
  await yieldToEventLoop();
  t.equal(isOver, false);
  clock.advance(1);
  t.equal(await sleeping, true);
});
