/** The health gate of an update, with shell scripts as stand-ins for systemd and the gateway. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { BIN, SIMULATED_CONFIG } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';

interface Gateway {
  /** The properties of its service. */
  properties: Record<string, string | number>;
  /** The exit code of `stellwerk check --start`; that of `check` is 78, for a problem that a start tolerates. */
  check?: number;
  /** Its configuration, which the real `stellwerk` checks. */
  configuration?: string;
}

/** The exit code of the gate. */
async function decide(t: Test, { properties, check = 0, configuration }: Gateway): Promise<number | null> {
  const root = await tempDirectory(t);
  const program = (directory: string, name: string, lines: readonly string[]) => {
    mkdirSync(join(root, directory), { recursive: true });
    writeFileSync(join(root, directory, name), ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 });
  };
  cpSync(join(PACKAGE_ROOT, 'systemd/health-gate.sh'), join(root, 'systemd/health-gate.sh'));
  const config = join(root, 'gateway.yaml');
  writeFileSync(config, configuration ?? '');
  const replies = `case $* in 'check --start') exit ${check} ;; check) exit 78 ;; esac`;
  const real = `[ "$1" != check ] || STELLWERK_CONFIG=${config} exec ${BIN} "$@"`;
  program('bin', 'stellwerk', [configuration === undefined ? replies : real]);
  const cases = Object.entries(properties).map(([name, value]) => `*" ${name} "*) echo ${value} ;;`);
  program('programs', 'systemctl', [`case "$* " in`, ...cases, 'esac']);
  const env = { ...process.env, PATH: `${join(root, 'programs')}:${process.env['PATH'] ?? ''}` };
  return spawnSync(join(root, 'systemd/health-gate.sh'), ['--steady', '0', '--limit', '2'], { env }).status;
}

t.test('a gateway that replies is healthy', async (t) => {
  t.equal(await decide(t, { properties: { MainPID: 42, ActiveState: 'active' } }), 0);
});

t.test('after its second restart, the configuration is checked', async (t) => {
  const properties = { MainPID: 42, ActiveState: 'activating', NRestarts: 2 };
  t.equal(await decide(t, { properties, check: 78 }), 78);
  t.equal(
    await decide(t, { properties: { ...properties, NRestarts: 1 }, check: 78 }),
    1,
    'not after the first',
  );
});

t.test('after five crashes, a gateway with a valid configuration is bad', async (t) => {
  const properties = { MainPID: 42, ActiveState: 'activating', NRestarts: 5 };
  t.equal(await decide(t, { properties, check: 0 }), 1);
  t.equal(await decide(t, { properties, check: 1 }), 1, 'its program does not run');
});

t.test('a problem that a start tolerates does not excuse a version that crashes', async (t) => {
  const properties = { MainPID: 42, ActiveState: 'activating', NRestarts: 5 };
  const reference =
    'tree:\n  - { event: E, ident: e, cyclic: { everyS: 60 }, action: { name: Run a script, target: created/by_call } }\n';
  t.equal(await decide(t, { properties, configuration: SIMULATED_CONFIG + reference }), 1);
  t.equal(await decide(t, { properties, configuration: `${SIMULATED_CONFIG}log: { levle: info }\n` }), 78);
});
