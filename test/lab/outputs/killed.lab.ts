/** The gateway, the keeper or both are killed. The outputs follow their policies and do nothing else. */
import t from 'tap';
import { until } from '../../tools/until.js';
import { PATIENCE_MS } from '../machine/box.js';
import { Fixture, prove } from './output-fixture.js';

/** Enough of a script's thousand commands to be in the middle of it. */
const MOVES = 100;
const KEEPER = 'stellwerk-keeper';

await using fixture = await Fixture.open(t);
const { agent } = fixture.box.machine;

await prove(t, fixture, {
  name: 'the gateway is killed (kill −9)',
  ends: true,
  isCommanded: true,
  async make({ pid, moves }, round) {
    // Every other time while a script sends commands.
    if (round % 2 === 0) {
      await fixture.box.call('SVC_RunScriptText', fixture.flood(100));
      const many = () => [...moves.values()].flat().length >= MOVES;
      await until('the script is running', many, PATIENCE_MS);
    }
    await agent.run(`kill -9 ${pid}`);
    return { signal: 9, to: pid };
  },
});

await prove(t, fixture, {
  name: 'the keeper is killed (kill −9)',
  ends: false,
  async make() {
    const pid = Number(await fixture.unit(KEEPER, 'MainPID'));
    await agent.run(`kill -9 ${pid}`);
    const isBack = async () =>
      Number(await fixture.unit(KEEPER, 'MainPID')) !== pid &&
      (await fixture.unit(KEEPER, 'ActiveState')) === 'active';
    await until('another keeper', isBack, PATIENCE_MS);
    return { signal: 9, to: pid };
  },
});

await prove(t, fixture, {
  name: 'both are killed together (kill −9)',
  ends: true,
  async make({ pid }, round) {
    const keeper = await fixture.unit(KEEPER, 'MainPID');
    await agent.run(`kill -9 ${keeper} ${pid}`);
    await fixture.safe(round);
    return { signal: 9, to: pid };
  },
});
