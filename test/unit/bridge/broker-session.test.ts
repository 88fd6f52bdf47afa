import t from 'tap';
import type {
  BrokerLink,
  BrokerListener,
  BrokerOptions,
  BrokerPort,
} from '../../../drivers/bridge/mqtt/broker-port.js';
import { BrokerSession, type SessionHandler } from '../../../drivers/bridge/mqtt/broker-session.js';
import { ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { until } from '../../tools/until.js';

t.test('the log has the first failure and other reasons, not each attempt', async (t) => {
  const clock = new ManualClock();
  const logged: unknown[] = [];
  const log = { ...silentLog, info: (fields: object) => void logged.push({ ...fields }) };
  // What each attempt meets: a reason, or a connection.
  const attempts = [
    'no route',
    'no route',
    'no route',
    'bad login',
    'bad login',
    undefined,
    'no route',
    'no route',
  ];
  let made = 0;
  let listener: BrokerListener | undefined;
  const link: BrokerLink = {
    subscribe: async () => [],
    publish: async () => undefined,
    close: async () => undefined,
  };
  const port: BrokerPort = {
    connect: async (_options, opened) => {
      const why = attempts[made++];
      if (why !== undefined) throw new Error(why);
      listener = opened;
      return link;
    },
  };
  const handler: SessionHandler = {
    optionsOf: () => ({}) as BrokerOptions, // the port ignores them
    onConnected: async () => undefined,
    onMessage: () => undefined,
    onClosed: () => undefined,
  };
  const session = new BrokerSession(port, handler, { clock, log, countMessage: () => undefined });
  session.start();
  const after = (count: number) =>
    until(`attempt ${count}`, () => {
      clock.advance(60_000);
      return made >= count;
    });
  await after(6);
  await until('the connection', () => listener !== undefined);
  await until('the end of its opening', () => logged.length === 2);
  listener?.onLost(new Error('no route'));
  await after(8);
  t.strictSame(logged, [{ why: 'no route' }, { why: 'bad login' }, { why: 'no route' }]);
  await session.close();
});
