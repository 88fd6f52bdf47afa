/**
 * The gateway hangs: its process is stopped, its event loop is blocked, or a script floods it. The keeper
 * takes over the outputs when the deadline has passed, not before, and the gateway takes them back
 * afterwards.
 */
import t from 'tap';
import { Fixture, type Moment, prove } from './output-fixture.js';

/**
 * The gateway's deadline (drivers/gpio/keeper/keeper-connection.ts) is 5 s, and the last message may be one
 * second old when the loop blocks.
 */
const BLOCKED_S = { short: 3, long: 9 } as const;
const INSPECTOR_PORT = 9229;

await using fixture = await Fixture.open(t);
const { agent } = fixture.box.machine;
const evaluate = await inspector();

await prove(t, fixture, {
  name: 'the gateway hangs (SIGSTOP) and goes on later',
  ends: true,
  async make({ pid }, round) {
    await agent.run(`kill -STOP ${pid}`);
    await fixture.safe(round);
    await agent.run(`kill -CONT ${pid}`);
    return { signal: 19, to: pid };
  },
});

await prove(t, fixture, {
  name: `the event loop is blocked for ${BLOCKED_S.short} s`,
  ends: false,
  make: () => block(BLOCKED_S.short),
});

await prove(t, fixture, {
  name: `the event loop is blocked for ${BLOCKED_S.long} s`,
  ends: true,
  make: () => block(BLOCKED_S.long),
});

await prove(t, fixture, {
  name: 'a script floods',
  ends: false,
  isCommanded: true,
  async make() {
    // A thousand commands: a script that runs for half a minute under emulation would be stopped.
    for (let n = 0; n < 10; n++) await fixture.box.call('SVC_RunScriptTextWait', fixture.flood(10));
    return { atS: 0 };
  },
});

/** Blocks the gateway's event loop from within; returns since when. */
async function block(forS: number): Promise<Moment> {
  const began = await evaluate(
    `{ const began = process.hrtime.bigint(); while (process.hrtime.bigint() - began < ${forS}_000_000_000n); Number(began) / 1e9; }`,
  );
  return { atS: Number(began) };
}

/**
 * Opens the debugger's port of the running gateway with a signal; returns a function that runs code in it.
 */
async function inspector(): Promise<(expression: string) => Promise<unknown>> {
  await agent.run('systemctl kill --kill-whom=main -s USR1 stellwerk');
  const isOpen = `(exec 3<>/dev/tcp/127.0.0.1/${INSPECTOR_PORT}) 2>/dev/null`;
  await agent.run(`for n in {1..100}; do ${isOpen} && exit; sleep 0.2; done; exit 1`);
  const port = await fixture.box.forward(INSPECTOR_PORT);
  return async (expression) => {
    const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as { id: string }[];
    const socket = new WebSocket(`ws://127.0.0.1:${port}/${targets[0]?.id}`);
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    socket.onopen = () =>
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }));
    socket.onmessage = ({ data }) => resolve(String(data));
    socket.onerror = () => reject(new Error('the debugger does not answer'));
    const { result } = JSON.parse(await promise) as { result: { result: { value?: unknown } } };
    socket.close();
    return result.result.value;
  };
}
