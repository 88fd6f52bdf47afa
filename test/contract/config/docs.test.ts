import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { Backends, gpioModules } from '../../../drivers/gpio/index.js';
import { ledModules } from '../../../drivers/led/index.js';
import { SimulatedBroker } from '../../../drivers/mqtt/simulated-broker.js';
import { modbusModules } from '../../../drivers/modbus/index.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { pwmModules } from '../../../drivers/pwm/index.js';
import { SimulatedPorts } from '../../../drivers/serial/simulated-ports.js';
import { sensorModules } from '../../../drivers/sensor/index.js';
import { serialModules } from '../../../drivers/serial/index.js';
import { socketModules } from '../../../drivers/socket/index.js';
import { virtualModules } from '../../../drivers/virtual/index.js';
import { systemClock } from '../../../src/base/clock.js';
import { parseConfig } from '../../../src/config/load.js';
import { gatewaySchema, nodeSchemas } from '../../../src/config/schema/gateway-schema.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { defaultsOf, validateProperties, withProperty } from '../../../src/device/properties.js';
import type { ModuleDefinition } from '../../../src/device/module.js';
import { filesOf, textOf } from '../../law/sources.js';
import { enableLinearPatterns } from '../../tools/linear-patterns.js';
import { backlightModule } from '../../examples/backlight.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { registerMaps } from '../../tools/devices/register-maps.js';

enableLinearPatterns();
const DOCS = join(PACKAGE_ROOT, 'docs');
const modules = new ModuleRegistry([
  ...gpioModules(new Backends({ gpio: [] }, systemClock())),
  ...ledModules({ leds: [] }, systemClock()),
  ...pwmModules({}, systemClock()),
  ...sensorModules({}, systemClock()),
  ...serialModules(new SimulatedPorts()),
  ...socketModules(),
  ...modbusModules(registerMaps()),
  ...virtualModules(),
  ...mqttModules(new SimulatedBroker()),
  backlightModule() as ModuleDefinition,
]);

interface Entry {
  readonly module?: string;
  readonly properties?: Record<string, unknown>;
  readonly children?: readonly Entry[];
}

const all = (entries: readonly Entry[]): Entry[] =>
  entries.flatMap((entry) => [entry, ...all(entry.children ?? [])]);

await t.test('the examples of the drivers’ pages can be opened', async (t) => {
  let seen = 0;
  for (const page of readdirSync(DOCS, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )) {
    for (const [, yaml = ''] of readFileSync(join(DOCS, page), 'utf8').matchAll(/```ya?ml\n([^]*?)```/g)) {
      const { tree = [] } = parse(yaml) as { tree?: Entry[] };
      for (const { module: name = '', properties = {} } of all(tree)) {
        const module = modules.find(name);
        if (module === undefined) continue;
        const set = Object.entries(properties).reduce(
          (before, pair) => withProperty(module, before, pair),
          defaultsOf(module),
        );
        t.equal(validateProperties(module, set), undefined, `${page}: ${name}`);
        seen += 1;
      }
    }
  }
  t.ok(seen >= 15);
});

await t.test('the configuration page describes every key, and its example is valid', async (t) => {
  const page = readFileSync(join(DOCS, 'use/configuration.md'), 'utf8');
  const named = new Set(page.match(/\w+/g));
  const keys = [gatewaySchema, ...Object.values(nodeSchemas)].flatMap((schema) => keysOf(schema));
  t.ok(keys.length > 50);
  t.strictSame(
    keys.filter((key) => !named.has(key)),
    [],
  );
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  const { config, tree } = await parseConfig('/x/gateway.yaml', yaml, createModuleList(systemClock()));
  t.equal(config.webServers?.length, 1);
  t.strictSame(
    tree.map(({ children }) => children.length),
    [3, 1],
  );
});

await t.test('texts quoted in the troubleshooting page exist in the code', (t) => {
  const page = readFileSync(join(DOCS, 'start/troubleshooting.md'), 'utf8');
  const table = /\| `STATUS` contains [^]*?\n\n/.exec(page)?.[0] ?? '';
  const quoted = [...table.matchAll(/^\| `(?!STATUS)([^`]+)`/gm)].map(([, text = '']) => text);
  const code = [...filesOf('src'), ...filesOf('drivers')]
    .filter((file) => file.endsWith('.ts'))
    .map(textOf)
    .join('\n');
  t.ok(quoted.length > 0);
  t.strictSame(
    quoted.filter((text) => !code.includes(text)),
    [],
  );
  t.end();
});

/** All keys of a schema, at any depth. */
function keysOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { properties?: object };
  const inner = [...Object.values(properties), ...Object.values(rest)];
  return [...Object.keys(properties), ...inner.flatMap((one) => keysOf(one))];
}
