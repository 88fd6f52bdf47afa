import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { locateConfig } from '../../../src/config/config-source.js';
import { boardsOnce } from '../../../src/composition/module-list.js';
import { checkResetLine } from '../../../src/composition/backup/reset-line.js';
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
