import t from 'tap';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { BIN, SIMULATED_CONFIG, startGateway, SAMPLE_TREE } from '../../tools/gateway/gateway-fixture.js';
import { hasProgram, Program } from '../../tools/program.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';

t.test('lines prints the board once if stdout is not a terminal', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  await rpc(fixture, 'RequestAction', await idOf(fixture, 'ground_floor/hall_relay/STATE'), true);
  const { code, stdout, stderr } = await runCli(['lines', '--url', addressOf(fixture)]);
  t.strictSame([code, stderr], [0, '']);
  t.match(stdout, /^Simulated board\n\n +Hall relay {2}out ● +RELAY1 +1 │ 2 +SENSE1 +● in +Hall sense\n/);
  t.match(stdout, /\nHall button +in ○ +BUTTON1 +17 │ 18 +BUTTON2\n/);
  const json = await runCli(['lines', '--json', '--url', addressOf(fixture)]);
  t.equal((JSON.parse(json.stdout) as { Lines: unknown[] }).Lines.length, 24);
  const nobody = await runCli(['lines', '--url', 'http://127.0.0.1:1/']);
  t.equal(nobody.code, 69);
});

const onTerminal = { skip: !hasProgram('script') && 'the program "script" (bsdutils) is not installed' };

t.test('on a terminal it updates in place, and restores the terminal', onTerminal, async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const state = await idOf(fixture, 'ground_floor/hall_relay/STATE');
  for (const end of ['q', '\u0003', 'SIGTERM'] as const) {
    await rpc(fixture, 'RequestAction', state, false);
    const line = `stty rows 30 cols 70; echo PID $$; exec ${BIN} lines --url ${addressOf(fixture)}`;
    const env = { TERM: 'xterm', NO_COLOR: '1' };
    const program = new Program('script', ['-qefc', line, '/dev/null'], { env, stdin: 'pipe' });
    t.teardown(() => program.end('SIGKILL'));
    const [, pid] = await program.waitFor(/PID (\d+)/);
    await program.waitFor(/\[\?1049h[^]*Hall relay {2}out ○/);
    await rpc(fixture, 'RequestAction', state, true);
    await program.waitFor(/\[H[^]*Hall relay {2}out ●[^]*\[J/);
    t.notMatch(program.output, /\[\?1049l/, 'it is still running');
    if (end === 'SIGTERM') process.kill(Number(pid), end);
    else program.process.stdin?.write(end);
    t.equal(await program.ended(), 0, JSON.stringify(end));
    t.match(program.output, /\[\?25h.\[\?1049l$/, 'the cursor and the screen are restored');
    t.notMatch(program.output, /\[3[0-9]m/, 'NO_COLOR');
  }
});

t.test(
  'a picture that is too tall is cut with a notice; a stopped gateway is reported',
  onTerminal,
  async (t) => {
    const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
    const line = `stty rows 8 cols 70; exec ${BIN} lines --url ${addressOf(fixture)}`;
    const program = new Program('script', ['-qefc', line, '/dev/null'], {
      env: { TERM: 'xterm' },
      stdin: 'pipe',
    });
    t.teardown(() => program.end('SIGKILL'));
    await program.waitFor(/… 10 more rows: make the window taller/);
    t.notMatch(program.output, /BUTTON7/);
    await program.end('SIGKILL');
    const tall = `stty rows 30 cols 70; exec ${BIN} lines --url ${addressOf(fixture)}`;
    const second = new Program('script', ['-qefc', tall, '/dev/null'], {
      env: { TERM: 'xterm' },
      stdin: 'pipe',
    });
    t.teardown(() => second.end('SIGKILL'));
    await second.waitFor(/q ends/);
    await fixture.gateway.close();
    await second.waitFor(/The gateway cannot be reached[^]*; retrying; q ends/);
    second.process.stdin?.write('q');
    t.equal(await second.ended(), 0);
  },
);
