import type { Cancel } from '../../../src/base/clock.js';
import { isLoopbackHost } from '../../../src/base/addresses.js';
import { coded } from '../../../src/base/codes/coded-text.js';
import { parseCertificateFor } from '../../../src/base/credentials/certificate-key-pair.js';
import { codeOf, fault, faultFrom } from '../../../src/base/fault.js';
import type { Host, OpenInstance } from '../../../src/device/module.js';
import { readCertificatePair, renewCertificateRegularly } from '../../../src/device/toolkit/property-file.js';
import { startBroker, type BrokerHandle } from './program/broker-process.js';
import type { BrokerCertificate, BrokerFigures, BrokerOptions, FromBroker } from './messages.js';
import type { ServerEnvironment, ServerProperties } from './mqtt-server.js';
import { UserList } from './user-list.js';

const KIB = 1024;
const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;
/** How often the rate of messages and the other figures are reported. */
const REPORT_INTERVAL_MS = 10_000;

/** An MQTT Server whose broker is running. */
export class OpenServer implements OpenInstance {
  readonly provided: UserList;
  readonly #host: Host<ServerProperties>;
  readonly #environment: ServerEnvironment;
  readonly #timers: Cancel[] = [];
  #broker: BrokerHandle | undefined;
  #certificate: BrokerCertificate | undefined;
  #figures: BrokerFigures | undefined;
  #receivedBefore = 0;
  #isLoginRequired = true;

  private constructor(host: Host<ServerProperties>, environment: ServerEnvironment) {
    this.#host = host;
    this.#environment = environment;
    this.provided = new UserList(() => this.#onUsers());
  }

  /** Starts the broker. Rejects with a fault that says what to do. */
  static async open(host: Host<ServerProperties>, environment: ServerEnvironment): Promise<OpenServer> {
    const server = new OpenServer(host, environment);
    await server.#start();
    return server;
  }

  /** After a crash of the process, the supervisor opens another one, with a back-off. */
  async #start(): Promise<void> {
    const { clock, id, properties, signal } = this.#host;
    const ids = this.#host.siblings().map((sibling) => sibling.id);
    const { database, journal } = await this.#environment.openDirectories(id, ids);
    if (properties.UseSSL) this.#certificate = await this.#loadCertificate();
    const access = this.#users();
    this.#isLoginRequired = access.isLoginRequired;
    const options: BrokerOptions = {
      address: properties.BindIP,
      port: properties.Port,
      certificate: this.#certificate,
      database,
      journal,
      writeIntervalMs: properties.WriteInterval * 1000,
      limits: {
        clients: properties.MaxClients,
        packetBytes: properties.MaxPacketKiB * KIB,
        subscriptions: properties.MaxSubscriptions,
        queued: properties.MaxQueued,
        keptBytes: properties.MaxKeptMiB * MIB,
        sessionMs: properties.SessionDays * DAY_MS,
      },
      ...access,
    };
    const listener = {
      onMessage: (message: Parameters<typeof this.onMessage>[0]) => this.onMessage(message),
      onEnded: (cause: Error) => this.#host.reportLost(cause),
    };
    try {
      this.#broker = await startBroker(options, listener, { clock, signal });
    } catch (thrown) {
      throw explained(thrown, properties);
    }
    this.#host.debug('listening', '', `port ${this.#broker.port}`);
    this.#report();
    this.#timers.push(
      clock.every(REPORT_INTERVAL_MS, () => {
        this.#checkUsers();
        this.#report();
      }),
    );
    if (properties.UseSSL)
      this.#timers.push(renewCertificateRegularly(this.#host, () => this.#renewCertificate()));
  }

  onMessage(message: Exclude<FromBroker, { is: 'listening' | 'failed' }>): void {
    const { log, id } = this.#host;
    switch (message.is) {
      case 'figures':
        if (message.figures.clients !== this.#figures?.clients)
          this.#host.report('CLIENTS', message.figures.clients);
        this.#figures = message.figures;
        this.provided.report(message.figures.clientsOf);
        break;
      case 'rejected':
        this.#host.debug('rejected', message.what);
        log.info({ instance: id }, `the MQTT server rejected: ${message.what}`);
        break;
      case 'disk':
        this.#host.setProblem(
          'NOT_WRITTEN',
          message.message === ''
            ? undefined
            : coded`SESSIONS_NOT_WRITTEN: retained and waiting messages cannot be written to the disk: ${message.message}`,
        );
        break;
      case 'damaged':
        log.warn(
          { instance: id, records: message.records },
          message.records < 0
            ? 'the database of the MQTT server was damaged; it begins without retained and waiting messages'
            : 'records of the MQTT server were damaged and are lost',
        );
    }
  }

  async close(): Promise<void> {
    for (const cancel of this.#timers) cancel();
    await this.#broker?.close();
  }

  #users(): Pick<BrokerOptions, 'users' | 'isLoginRequired'> {
    const { users } = this.provided;
    const isOpen = isLoopbackHost(this.#host.properties.BindIP) && this.#host.connected().length === 0;
    return { users, isLoginRequired: users.length > 0 || !isOpen };
  }

  #onUsers(): void {
    const { users, isLoginRequired } = this.#users();
    this.#isLoginRequired = isLoginRequired;
    this.#broker?.setUsers(users, isLoginRequired);
  }

  /** An instance closes before it is deleted: whether it was the last user shows afterwards. */
  #checkUsers(): void {
    if (this.#users().isLoginRequired !== this.#isLoginRequired) this.#onUsers();
    if (isLoopbackHost(this.#host.properties.BindIP) || this.#host.connected().length > 0) return;
    this.#host.reportLost(
      fault('DEVICE_CONFIGURATION', coded`LAST_USER_REMOVED: the last user of the server was removed`),
    );
  }

  #report(): void {
    const figures = this.#figures;
    this.#host.report('CLIENTS', figures?.clients ?? 0);
    const received = figures?.received ?? 0;
    this.#host.report('MESSAGES', ((received - this.#receivedBefore) * 1000) / REPORT_INTERVAL_MS);
    this.#receivedBefore = received;
    this.#host.report('RETAINED', figures?.retained ?? 0);
    this.#host.report('WAITING', figures?.queued ?? 0);
    this.#host.report('DROPPED', figures?.dropped ?? 0);
    this.#host.report('REJECTED', figures?.rejected ?? 0);
  }

  async #loadCertificate(): Promise<BrokerCertificate> {
    const { CertificateFile, KeyFile } = this.#host.properties;
    if (CertificateFile === '') return this.#environment.certificate();
    const { cert, key } = await readCertificatePair(CertificateFile, KeyFile);
    return { cert: cert.toString(), key: key.toString() };
  }

  async #renewCertificate(): Promise<void> {
    const certificate = await this.#loadCertificate();
    if (certificate.cert === this.#certificate?.cert && certificate.key === this.#certificate.key) return;
    parseCertificateFor(certificate.cert, certificate.key);
    this.#certificate = certificate;
    this.#broker?.setCertificate(certificate);
  }
}

/** Maps what prevents the broker from listening to a fault that says what to do. */
function explained(thrown: unknown, { BindIP, Port }: ServerProperties): unknown {
  switch (codeOf(thrown)) {
    case 'EADDRINUSE':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`ANOTHER_PROGRAM_USES_MQTT_PORT: another program uses port ${Port}, perhaps mosquitto: stop it, or set another port`,
      );
    case 'EADDRNOTAVAIL':
      return faultFrom(
        thrown,
        'DEVICE_OFFLINE',
        coded`NO_INTERFACE_HAS_ADDRESS: no interface of this machine has the address ${BindIP}; correct BindIP, or check the network`,
      );
    case 'EACCES':
      return faultFrom(
        thrown,
        'DEVICE_CONFIGURATION',
        coded`PORT_PRIVILEGED: ports below 1024 are privileged; set a higher one`,
      );
    default:
      return thrown;
  }
}
