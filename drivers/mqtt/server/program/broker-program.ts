/**
 * The process of a broker: serves clients as the gateway configures, until the gateway ends or closes it.
 * What clients send never reaches the process of the gateway.
 */
import { setPriority } from 'node:os';
import { systemClock } from '../../../../src/base/clock.js';
import { codeOf, messageOf } from '../../../../src/base/fault.js';
import type { FromBroker, ToBroker } from '../messages.js';
import { BrokerRun } from './broker-run.js';

/** Devices come first (setpriority(2)). */
const NICENESS = 5;

const send = (message: FromBroker): void => void (process.connected && process.send?.(message));
const clock = systemClock();
let run: BrokerRun | undefined;

async function close(): Promise<never> {
  await run?.close();
  process.exit(0);
}

async function receive(message: ToBroker): Promise<void> {
  switch (message.is) {
    case 'open':
      try {
        run = await BrokerRun.open(message.options, { clock, send });
      } catch (thrown) {
        send({ is: 'failed', code: codeOf(thrown) ?? '', message: messageOf(thrown) });
      }
      break;
    case 'users':
      run?.setUsers(message.users, message.isLoginRequired);
      break;
    case 'certificate':
      run?.setCertificate(message.certificate);
      break;
    case 'close':
      await close();
  }
}

setPriority(NICENESS);
process.on('message', (message) => void receive(message as ToBroker));
// The gateway has ended, perhaps killed: what the store knows is written before this process ends.
process.on('disconnect', () => void close());
// A terminal sends them to all processes of the gateway, which closes this one itself.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
