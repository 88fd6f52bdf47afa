import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { locateConfig } from '../../../src/config/config-source.js';
import { boardsOnce } from '../../../src/composition/module-list.js';
import { requestReset, resetAtStart } from '../../../src/composition/backup/factory-reset.js';
import { checkResetLine } from '../../../src/composition/backup/reset-line.js';
import { ServiceLog } from '../../../src/service/log.js';
import { runCli } from '../../tools/gateway/run-cli.js';
import { SAMPLE_TREE, SIMULATED_CONFIG, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';
import { tempDirectory } from '../../tools/temp-directory.js';

t.test('a factory reset deletes all data and the owner; backups elsewhere stay', async (t) => {
  const stick = await tempDirectory(t);
  const yaml = `${SIMULATED_CONFIG}${SAMPLE_TREE}backup: { targets: [{ name: stick, path: ${stick} }] }\n`;
  const fixture = await startGateway(t, yaml);
  const data = join(fixture.directory, 'data');
  t.ok(await idOf(fixture, 'ground_floor/setpoint'));
  await rpc(fixture, 'GW_CreateRecoveryKey');
  await rpc(fixture, 'GW_RunTargetBackup', 'stick');
  await writeFile(join(data, 'left.txt'), '');
  const kept = readdirSync(stick, { recursive: true });
  for (const wrong of ['', 'reset', 'yes'])
    t.equal(await rpc(fixture, 'GW_FactoryReset', wrong), 'PARAMETER_BOUNDS', wrong);
  t.notOk(existsSync(join(data, 'factory-reset')));
  t.equal(await rpc(fixture, 'GW_FactoryReset', 'RESET'), true);
  t.ok(existsSync(join(data, 'left.txt')), 'not before the next start');
  await fixture.gateway.close();

  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.match(again.gateway.claimCode, /^.{8}$/, 'it has no owner');
  const configuration = readFileSync(join(fixture.directory, 'gateway.yaml'), 'utf8');
  t.match(configuration, /board: simulated/);
  t.notMatch(configuration, /remoteAccess|tree|backup/);
  for (const name of ['left.txt', 'recovery-key', 'backup-targets.json', 'factory-reset'])
    t.notOk(existsSync(join(data, name)), name);
  t.same(readdirSync(stick, { recursive: true }), kept);
  await again.gateway.close();
  const third = await startGateway(t, undefined, { directory: fixture.directory });
  t.ok(third.gateway.claimCode, 'it is reset once');
});

/** Does what a start does if a reset was requested, and returns what it logs as errors. */
async function resetIn(directory: string): Promise<string[]> {
  const data = join(directory, 'data');
  await requestReset(data, 'owner');
  const errors: string[] = [];
  const log = new ServiceLog({ write: (line) => void errors.push(line), form: 'json' }, { default: 'error' });
  await resetAtStart(data, {
    source: locateConfig(join(directory, 'gateway.yaml'), data),
    log: log.root.subject('gateway'),
  });
  return errors;
}

const BROKEN = 'remoteAccess: { username: me }\nboard: simulated\nname: x\napi: { port: 1';

t.test('a reset with a file that is not YAML leaves one that the gateway starts with', async (t) => {
  const directory = await tempDirectory(t);
  for (const [text, board] of [
    [BROKEN, 'simulated'],
    ['name: *none\n"board": simulated\n', 'auto'],
    ['api', 'auto'],
    ['api: {port: 1', 'auto'],
  ] as const) {
    const data = join(directory, 'data');
    mkdirSync(data, { recursive: true });
    await writeFile(join(data, 'left.txt'), '');
    await writeFile(join(directory, 'gateway.yaml'), text);
    t.same(await resetIn(directory), [], text);
    t.same(
      readdirSync(data).filter((name) => !name.startsWith('stellwerk.lock')),
      [],
      text,
    );
    t.equal(readFileSync(join(directory, 'gateway.yaml'), 'utf8'), `board: ${board}\n`, text);
  }
  const checked = await runCli(['check', join(directory, 'gateway.yaml')]);
  t.equal(checked.code, 0, checked.stdout + checked.stderr);
});

t.test('nothing is deleted if the configuration cannot be written', async (t) => {
  const directory = await tempDirectory(t);
  const data = join(directory, 'data');
  mkdirSync(data);
  await writeFile(join(data, 'left.txt'), '');
  await writeFile(join(directory, 'gateway.yaml'), SIMULATED_CONFIG);
  const inTheWay = join(directory, 'gateway.yaml.new');
  mkdirSync(inTheWay);
  t.match(await resetIn(directory), [/not reset completely/]);
  t.ok(existsSync(join(data, 'left.txt')));
  rmdirSync(inTheWay);
  t.same(await resetIn(directory), []);
  t.notOk(existsSync(join(data, 'left.txt')));
});

t.test('the installed file replaces what cannot be read of an overlay', async (t) => {
  const fixture = await startGateway(t, `${SIMULATED_CONFIG}name: installed\n`);
  const data = join(fixture.directory, 'data');
  t.equal(await rpc(fixture, 'GW_FactoryReset', 'RESET'), true);
  await fixture.gateway.close();
  await writeFile(join(data, 'gateway.yaml'), BROKEN);
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.ok(again.gateway.claimCode, 'it has no owner');
  const overlay = readFileSync(join(data, 'gateway.yaml'), 'utf8');
  t.equal(overlay, 'board: simulated\napi: { port: 0 }\nname: installed\n');
});

t.test('a kept value may be an alias of a deleted one, and the reset is done once', async (t) => {
  const yaml = `${SIMULATED_CONFIG}language: &o de\nname: *o\n`;
  const fixture = await startGateway(t, yaml);
  t.equal(await rpc(fixture, 'GW_FactoryReset', 'RESET'), true);
  await fixture.gateway.close();
  const again = await startGateway(t, undefined, { directory: fixture.directory });
  t.ok(again.gateway.claimCode, 'it has no owner');
  const kept = parse(readFileSync(join(fixture.directory, 'gateway.yaml'), 'utf8'));
  t.same(kept, { board: 'simulated', api: { port: 0 }, name: 'de' });
  await again.gateway.close();
  const later = join(fixture.directory, 'data', 'later.txt');
  await writeFile(later, '');
  await startGateway(t, undefined, { directory: fixture.directory });
  t.ok(existsSync(later), 'the next start deletes nothing');
});

t.test('if the deletion fails, an overlay has what is kept, and the next start continues', async (t) => {
  const directory = await tempDirectory(t);
  const data = join(directory, 'data');
  const overlay = join(data, 'gateway.yaml');
  // A path that is longer than the system allows (PATH_MAX), made of two that are not: not even root can remove it.
  const half = Array<string>(10).fill('x'.repeat(220)).join('/');
  const [outside, inside] = [join(directory, 'half'), join(data, 'deep', half, 'half')];
  mkdirSync(join(outside, half), { recursive: true });
  mkdirSync(join(data, 'deep', half), { recursive: true });
  renameSync(outside, inside);
  await writeFile(join(directory, 'gateway.yaml'), 'name: installed\n');
  await writeFile(overlay, `${SIMULATED_CONFIG}name: x\n`);
  t.match(await resetIn(directory), [/not reset completely.*ENAMETOOLONG/]);
  const kept = { board: 'simulated', api: { port: 0 }, name: 'x' };
  t.same(parse(readFileSync(overlay, 'utf8')), kept);
  renameSync(inside, outside);
  t.same(await resetIn(directory), []);
  t.same(parse(readFileSync(overlay, 'utf8')), kept);
  t.notOk(existsSync(join(data, 'deep')));
});

/** A gateway on a simulated board with a line that resets it, and a jumper on that line. */
async function withJumper(t: Test) {
  const boards = await tempDirectory(t);
  const simulated = readFileSync(join(PACKAGE_ROOT, 'board', 'simulated.yaml'), 'utf8');
  const setReset = (reset: string) =>
    writeFile(join(boards, 'simulated.yaml'), `${simulated}reset: { ${reset} }\n`);
  const directory = await tempDirectory(t);
  const data = join(directory, 'data');
  const yaml = `${SIMULATED_CONFIG}${SAMPLE_TREE}`;
  /** Lets the clock run until what needs it has ended. */
  async function finish<T>(begin: (clock: ManualClock) => Promise<T>): Promise<T> {
    const clock = new ManualClock();
    let isEnded = false;
    const running = begin(clock).finally(() => (isEnded = true));
    while (!isEnded) {
      clock.advance(50);
      await new Promise((resolve) => setImmediate(resolve));
    }
    return running;
  }
  return {
    data,
    setReset,
    // Its lines float, so that the resistor is what drives them: as with a jumper to the supply, or without one.
    setJumper: (isSet: boolean) =>
      setReset(`line: BUTTON8, activeLow: false, bias: ${isSet ? 'pull-up' : 'pull-down'}`),
    async start({ isClaimed = false } = {}) {
      const fixture = await finish((clock) =>
        startGateway(t, isClaimed ? yaml : undefined, { directory, clock, boards }),
      );
      const line = fixture.gateway.health.record().Checks.find(({ Name }) => Name === 'reset line');
      return { ...fixture, state: line?.State, text: line?.Text };
    },
    /** What a start does before a power cut that comes as soon as the line was read. */
    async startUntilPowerCut() {
      const boardNamed = boardsOnce(boards);
      const source = locateConfig(join(directory, 'gateway.yaml'), data);
      await finish((clock) => checkResetLine(data, { source, boardNamed, clock, log: silentLog }));
    },
  };
}

t.test('a jumper resets the gateway once, until it was removed at a start', async (t) => {
  const { data, setReset, setJumper, start } = await withJumper(t);
  await setJumper(false);
  const first = await start({ isClaimed: true });
  t.equal(first.gateway.claimCode, undefined, 'it has its owner');
  t.equal(first.state, undefined, 'a new gateway has nothing to reset');
  await first.gateway.close();

  await setJumper(true);
  const reset = await start();
  t.ok(reset.gateway.claimCode, 'it has no owner');
  t.match(reset, { state: 'warning', text: /reset by BUTTON8/ });
  t.match(reset.log.join(''), /the line BUTTON8 is active[^]*resets the gateway[^]*the gateway was reset/);
  await reset.gateway.close();

  // Somebody forgets the jumper.
  const claimed = await start({ isClaimed: true });
  t.equal(claimed.gateway.claimCode, undefined, 'it keeps the new owner');
  t.match(claimed, { state: 'warning' });
  await claimed.gateway.close();
  await setJumper(false);
  const removed = await start();
  t.match(removed, { state: 'ok', text: 'BUTTON8 resets the gateway' });
  t.notOk(existsSync(join(data, 'reset-by-line')));
  await removed.gateway.close();
  await setReset('line: NONE');
  const wrong = await start();
  t.equal(wrong.gateway.claimCode, undefined);
  t.match(wrong, { state: 'warning', text: /cannot be read/ });
});

for (const isLeft of [true, false])
  t.test(
    `after a power cut the gateway is reset once; the jumper was ${isLeft ? 'left' : 'removed'}`,
    async (t) => {
      const { data, setJumper, start, startUntilPowerCut } = await withJumper(t);
      await setJumper(false);
      await (await start({ isClaimed: true })).gateway.close();
      await setJumper(true);
      await startUntilPowerCut();
      t.notOk(existsSync(join(data, 'reset-by-line')), 'nothing says that the reset was done');
      await setJumper(isLeft);
      const reset = await start();
      t.ok(reset.gateway.claimCode, 'it has no owner');
      await reset.gateway.close();
      const claimed = await start({ isClaimed: true });
      t.equal(claimed.gateway.claimCode, undefined, 'it keeps the new owner');
      t.equal(existsSync(join(data, 'reset-by-line')), isLeft);
    },
  );
