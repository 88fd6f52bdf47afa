import type { Clock, Cancel } from '../../../../src/base/clock.js';
import type { BrokerCertificate, BrokerOptions, BrokerUser, FromBroker } from '../messages.js';
import type { DurableRecords } from '../store/durable-records.js';
import { openRecords } from '../store/open-records.js';
import { Broker } from './broker.js';
import { BrokerServer } from './broker-server.js';

/** How often figures are sent to the gateway, ms. */
const FIGURES_INTERVAL_MS = 1000;
/** Messages about rejections per interval; the figures have the number of all. */
const REPORTS_PER_INTERVAL = 5;

interface RunContext {
  readonly clock: Clock;
  readonly send: (message: FromBroker) => void;
}

/** An open broker with its server and its store. */
export class BrokerRun {
  readonly #records: DurableRecords;
  readonly #broker: Broker;
  readonly #server: BrokerServer;
  readonly #timers: Cancel[];

  private constructor(
    parts: { records: DurableRecords; broker: Broker; server: BrokerServer },
    timers: Cancel[],
  ) {
    this.#records = parts.records;
    this.#broker = parts.broker;
    this.#server = parts.server;
    this.#timers = timers;
  }

  /** Opens the store, and listens. Rejects with the error of the system, the certificate or the database. */
  static async open(options: BrokerOptions, { clock, send }: RunContext): Promise<BrokerRun> {
    const records = await openRecords(options, {
      onProblem: (message) => send({ is: 'disk', message }),
      onDamage: (lost) => send({ is: 'damaged', records: lost }),
    });
    let reports = 0;
    const broker = new Broker({
      clock,
      records,
      limits: options.limits,
      onRejected: (what) => {
        reports += 1;
        if (reports <= REPORTS_PER_INTERVAL) send({ is: 'rejected', what });
      },
    });
    let server: BrokerServer | undefined;
    try {
      server = new BrokerServer(broker, options, clock);
      await broker.start(options.users, options.isLoginRequired);
      const port = await server.listen();
      send({ is: 'listening', port });
    } catch (thrown) {
      server?.close();
      await broker.close();
      await records.close();
      throw thrown;
    }
    let shown = '';
    const report = (): void => {
      reports = 0;
      const figures = broker.figures();
      const text = JSON.stringify(figures);
      if (text !== shown) send({ is: 'figures', figures });
      shown = text;
    };
    const timers = [
      clock.every(FIGURES_INTERVAL_MS, report),
      clock.every(options.writeIntervalMs, () => void records.flush()),
    ];
    return new BrokerRun({ records, broker, server }, timers);
  }

  setUsers(users: readonly BrokerUser[], isLoginRequired: boolean): void {
    this.#broker.setUsers(users, isLoginRequired);
  }

  setCertificate(certificate: BrokerCertificate): void {
    this.#server.setCertificate(certificate);
  }

  /** Disconnects all clients and writes what is kept. */
  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel();
    this.#server.close();
    await this.#broker.close();
    await this.#records.close();
  }
}
