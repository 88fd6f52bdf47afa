import { join } from 'node:path';
import type { BrokerLimits, BrokerOptions } from '../../../drivers/mqtt/server/messages.js';
import {
  startBroker,
  type BrokerHandle,
  type BrokerListener,
} from '../../../drivers/mqtt/server/program/broker-process.js';
import { systemClock } from '../../../src/base/clock.js';

/** Limits that no test reaches by accident. */
export const TEST_LIMITS: BrokerLimits = {
  clients: 100,
  packetBytes: 16 * 1024 * 1024,
  subscriptions: 200,
  queued: 10_000,
  keptBytes: 16 * 1024 * 1024,
  sessionMs: 86_400_000,
};

/** Starts the broker of an MQTT Server, without the module: without users, and with its data in `directory`. */
export function startTestServer(
  directory: string,
  port: number,
  {
    listener = { onMessage: () => undefined, onEnded: () => undefined },
    ...more
  }: Partial<BrokerOptions> & { readonly listener?: BrokerListener } = {},
): Promise<BrokerHandle> {
  const options: BrokerOptions = {
    address: '127.0.0.1',
    port,
    database: join(directory, 'sessions.db'),
    journal: join(directory, 'journal'),
    writeIntervalMs: 60_000,
    limits: TEST_LIMITS,
    users: [],
    isLoginRequired: false,
    ...more,
  };
  return startBroker(options, listener, { clock: systemClock(), signal: new AbortController().signal });
}
