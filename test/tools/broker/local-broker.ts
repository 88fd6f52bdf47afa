import { createServer, type AddressInfo } from 'node:net';
import type { Test } from 'tap';
import type { BrokerLimits } from '../../../drivers/mqtt/server/messages.js';
import { Broker } from '../../../drivers/mqtt/server/program/broker.js';
import { GuardedStream } from '../../../drivers/mqtt/server/program/guarded-stream.js';
import { DurableRecords } from '../../../drivers/mqtt/server/store/durable-records.js';
import { ManualClock } from '../../../src/base/clock.js';
import { TEST_LIMITS } from './test-server.js';

/** A broker in this process, on records that outlive it. `flush` writes them. */
export async function startLocalBroker(
  t: Test,
  stored: Map<string, Uint8Array>,
  { clock = new ManualClock(), ...changed }: Partial<BrokerLimits> & { readonly clock?: ManualClock } = {},
) {
  const records = new DurableRecords({
    journal: {
      length: 0,
      readAll: () => [],
      append: () => undefined,
      rotate: () => 0,
      removeUpTo: () => undefined,
      close: () => undefined,
    },
    database: {
      write: async (puts, deletes) => {
        for (const [key, value] of puts) stored.set(key, value);
        for (const key of deletes) stored.delete(key);
      },
      close: () => Promise.resolve(),
    },
    stored: [...stored],
    onProblem: () => undefined,
  });
  const limits = { ...TEST_LIMITS, sessionMs: 7 * 86_400_000, ...changed };
  const broker = new Broker({ clock, records, limits, onRejected: () => undefined });
  await broker.start([], false);
  const server = createServer((socket) =>
    broker.handle(new GuardedStream(socket, limits.packetBytes, () => undefined)),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  t.teardown(async () => {
    await broker.close();
    server.close();
  });
  return { broker, port: (server.address() as AddressInfo).port, flush: () => records.flush() };
}
