import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import type { Caller } from '../../../src/device/declare.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { ScriptEngine } from '../../../src/script/script-engine.js';
import { ScriptFiles } from '../../../src/script/script-files.js';
import { scriptLimits, type ScriptLimits } from '../../../src/script/script-limits.js';

export const owner: Caller = { role: 'owner', user: 'test', remote: 'local' };

/**
 * The real script engine over a tree and a few functions, in a directory of its own; it ends with the test.
 */
export async function scriptFixture(
  t: Test,
  limits: Partial<ScriptLimits> = {},
  clock: Clock = systemClock(),
) {
  const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
  const kernel = new Kernel({ counter: 0, random: Math.random });
  const calls: [string, unknown][] = [];
  /** The log at `warn` and above. */
  const loud: string[] = [];
  const log: Log = {
    ...silentLog,
    warn: (_details, text) => void loud.push(text),
    error: (_details, text) => void loud.push(text),
    subject: () => log,
  };
  const run = (id: unknown, caller: Caller) => ({
    id: Number(id),
    parameters: {},
    sender: 'RunScript',
    caller,
  });
  const functions: Record<string, (params: unknown[], caller: Caller) => unknown> = {
    GetValue: () => 21.5,
    Double: ([n]) => Number(n) * 2,
    Later: async ([n]) => n,
    List: () => [1, { a: 'b' }],
    // Tests replace it, to learn that a script has begun.
    Started: () => true,
    Fails: () => {
      throw fault('OBJECT_MISSING', 4711);
    },
    RunWait: ([id], caller) => engine.run(run(id, caller)),
    Run: ([id], caller) => engine.start(run(id, caller)),
    // Like an action that passes through a device: the caller is unknown.
    Act: ([id]) => engine.run(run(id, owner)),
    Enter: ([name, ms], caller) => engine.enter(String(name), Number(ms), caller),
    Leave: ([name], caller) => engine.leave(String(name), caller),
    Sleep: ([ms], caller) => engine.sleep(Number(ms), caller),
    Abort: ([id]) => engine.abort(Number(id)),
  };
  const engine: ScriptEngine = new ScriptEngine({
    kernel,
    files: new ScriptFiles(join(directory, 'scripts')),
    clock,
    log,
    functions: {
      names: async () => Object.keys(functions),
      call: (method, params, caller) => {
        calls.push([caller.user, params]);
        return functions[method]?.(params as unknown[], caller);
      },
    },
    limits: () => ({ ...scriptLimits, ...limits }),
  });
  t.teardown(async () => {
    await engine.close();
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  });
  const script = async (text: string, file?: string) => {
    const made = kernel.scripts.get(await engine.create());
    kernel.tree.set(made, 'name', 'S');
    if (file !== undefined) await engine.setFile(made.id, file);
    await engine.setContent(made.id, text);
    return made;
  };
  const runId = (id: number, parameters = {}) =>
    engine.run({ id, parameters, sender: 'Test', caller: owner });
  const runs = async (text: string, values = {}, file?: string) =>
    runId((await script(text, file)).id, values);
  return { directory, kernel, engine, script, runs, runId, calls, loud, functions };
}
