import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ManualClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { applyTree } from '../../src/config/apply/apply-tree.js';
import type { ActionOf } from '../../src/config/apply/apply-event.js';
import { reviewFacts } from '../../src/composition/review-facts.js';
import { ConfigurationError, formatFinding } from '../../src/config/document.js';
import { type LoadedConfig, readConfig } from '../../src/config/load.js';
import { Devices } from '../../src/device/devices.js';
import { ModuleRegistry } from '../../src/device/module-registry.js';
import { actionByName } from '../../src/functions/events/built-in-actions.js';
import { Kernel } from '../../src/kernel/kernel.js';
import { Backends, gpioModules } from '../../drivers/gpio/index.js';
import { serialModules } from '../../drivers/serial/index.js';
import { Random, fuzzSeed, seedLabel } from '../tools/random.js';
import { randomYaml } from './inputs/yaml.js';
import { fakeContents } from '../tools/gateway/fake-contents.js';
import { PACKAGE_ROOT } from '../../src/base/package-root.js';

/** Bounds the suite: about 5 s. */
const FILES = 800;

const seed = fuzzSeed();
const root = PACKAGE_ROOT;
/** The secrets share no letters with a key at their ends: a damaged key never becomes one of them. */
const SECRETS = /trombone|tulip/;
const sample = readFileSync(join(root, 'docs/start/sample/gateway.yaml'), 'utf8').replace(
  'swordfish',
  'trombone',
);
const clock = new ManualClock();
const board = { gpio: [], simulated: { wires: [] } };

await t.test(`a configuration is accepted, or each error has its line (${seedLabel(seed)})`, async (t) => {
  const random = new Random(seed);
  const modules = new ModuleRegistry([...gpioModules(new Backends(board, clock)), ...serialModules()]);
  let taken = 0;
  for (let n = 0; n < FILES; n++) {
    const text = randomYaml(random, sample).toString();
    const outcome = await readConfig(
      { file: '/x/gateway.yaml', text },
      async () => modules,
      reviewFacts,
    ).catch((thrown: unknown) => thrown);
    if (outcome instanceof ConfigurationError) {
      const lines = text.split(/\r\n|[\r\n]/).length;
      for (const { line, column, text: why } of outcome.findings) {
        if (line < 1 || line > lines || column < 1 || why === '')
          t.fail(`${line}:${column} ${why}`, { text });
      }
      if (outcome.findings.length === 0) t.fail('no error reported', { text });
      if (SECRETS.test(outcome.message)) t.fail(`shows a secret: ${outcome.message}`, { text });
    } else if (outcome instanceof Error) {
      t.fail(`threw ${outcome.stack}`, { text });
    } else {
      taken++;
      const { findings } = outcome as LoadedConfig;
      const shown = findings.map((finding) => formatFinding('', finding)).join('\n');
      if (SECRETS.test(shown)) t.fail(`shows a secret: ${shown}`, { text });
      await applied(outcome as LoadedConfig, modules);
    }
  }
  t.ok(taken > 20 && taken < FILES, `${taken} of ${FILES} taken`);
  t.same(Object.keys(Object.prototype), [], 'nothing has got into every object');
});

/** An accepted configuration can be applied: to an empty tree, and again to the result. */
async function applied({ tree }: LoadedConfig, modules: ModuleRegistry): Promise<void> {
  const kernel = new Kernel({ counter: 0, random: () => 0.5 });
  const devices = new Devices({ kernel, modules, clock, log: silentLog });
  const actionOf: ActionOf = async (name, parameters) => actionByName(name, parameters);
  const target = { kernel, devices, clock, actionOf, log: silentLog, contents: fakeContents(kernel) };
  const first = await applyTree({ tree }, {}, target);
  await applyTree({ tree }, first.applied, target);
}
