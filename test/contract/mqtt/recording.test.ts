import t, { type Test } from 'tap';
import { connectBroker } from '../../../src/composition/recording/connect-broker.js';
import { received } from '../../tools/recording/transfers.js';
import { hasProgram } from '../../tools/program.js';
import { until } from '../../tools/until.js';
import { aedesTestBroker, mosquittoTestBroker, type TestBroker } from './brokers.js';

const skip = hasProgram('mosquitto') ? false : 'mosquitto is not installed (Debian package mosquitto)';

async function contract(t: Test, broker: TestBroker, showsRetained: boolean): Promise<void> {
  const messages: string[] = [];
  const lost = Promise.withResolvers<Error>();
  await broker.publish('a/old', 'before', true);
  const peer = await connectBroker(
    {
      url: broker.url,
      userName: '',
      password: '',
      caFile: '',
      filters: ['a/#'],
      onMessage: ({ topic, payload, isRetained }) =>
        messages.push(`${topic} ${payload.toString()} ${isRetained}`),
      onLost: lost.resolve,
    },
    new AbortController().signal,
  );
  await until('the retained message', () => messages.length === 1);
  await broker.publish('a/new', 'retained', true);
  await broker.publish('b', 'not selected');
  await broker.publish('a/new', 'live');
  await until('the messages', () => messages.length === 3);
  t.strictSame(messages, ['a/old before true', `a/new retained ${showsRetained}`, 'a/new live false']);
  await peer.send({ ...received(0, 'x/y', 'played'), isRetained: true });
  await until('what is played', () =>
    broker.heard().some(({ topic, payload }) => topic === 'x/y' && payload === 'played'),
  );
  broker.cut();
  t.match((await lost.promise).message, /./, 'a loss is reported');
  await peer[Symbol.asyncDispose]();
}

t.test('a broker of MQTT 5 says of new messages whether it retains them', { skip }, async (t) => {
  await using broker = await mosquittoTestBroker(5);
  await contract(t, broker, true);
});

t.test('a broker that knows MQTT 3.1.1 only is recorded with that version', async (t) => {
  await using broker = await aedesTestBroker();
  await contract(t, broker, false);
});
