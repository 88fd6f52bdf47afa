import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NetworkConnector } from '../../../drivers/mqtt/network-connection.js';
import { mqttModules } from '../../../drivers/mqtt/index.js';
import { CertificateAuthority } from '../../../src/api/http/certificate-authority.js';
import { systemClock, type Clock } from '../../../src/base/clock.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { DeviceFixture } from '../devices/device-fixture.js';
import { reservePort } from '../reserve-port.js';

/** An MQTT Server with its process. */
export class ServerFixture implements AsyncDisposable {
  readonly devices: DeviceFixture;
  readonly port: number;
  readonly directory: string;
  readonly authority: CertificateAuthority;
  #server: Instance | undefined;

  private constructor(
    port: number,
    { directory, clock, log }: { directory: string; clock: Clock; log: Log },
  ) {
    this.port = port;
    this.directory = directory;
    this.authority = new CertificateAuthority({ directory: join(directory, 'tls'), clock, log: silentLog });
    const modules = mqttModules(new NetworkConnector(), {
      directory,
      runtimeDirectory: join(directory, 'run'),
      certificate: () => this.authority.issue(),
    });
    this.devices = new DeviceFixture(modules, clock, log);
  }

  /** A fixture without a server. */
  static async create(
    directory: string,
    { clock = systemClock(), log = silentLog }: { readonly clock?: Clock; readonly log?: Log } = {},
  ): Promise<ServerFixture> {
    return new ServerFixture(await reservePort(), { directory, clock, log });
  }

  /** A fixture whose server listens. */
  static async start(directory: string, properties: Record<string, unknown> = {}): Promise<ServerFixture> {
    const fixture = await ServerFixture.create(directory);
    await fixture.devices.waitForLink(await fixture.add(properties), 'online');
    return fixture;
  }

  get server(): Instance {
    if (this.#server === undefined) throw new Error('the fixture has no server');
    return this.#server;
  }

  get url(): string {
    return `mqtt://127.0.0.1:${this.port}`;
  }

  async add(properties: Record<string, unknown> = {}): Promise<Instance> {
    this.#server = await this.devices.add('MQTT Server', { Port: this.port, ...properties });
    return this.#server;
  }

  async addUser(UserName: string, properties: Record<string, unknown> = {}): Promise<Instance> {
    const user = await this.devices.add(
      'MQTT Server User',
      { UserName, Password: `secret of ${UserName}`, ...properties },
      this.server,
    );
    await this.devices.waitForLink(user, 'online');
    return user;
  }

  /** Kills the process of the broker, and waits until another one listens. */
  async kill(): Promise<void> {
    process.kill(this.processId(), 'SIGKILL');
    await this.devices.waitForLink(this.server, 'waiting');
    await this.devices.waitForLink(this.server, 'online');
  }

  /** The process of the broker. */
  processId(): number {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').split(' ');
    const own = children.find(
      (pid) => pid !== '' && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(this.directory),
    );
    if (own === undefined) throw new Error('the broker has no process');
    return Number(own);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.devices[Symbol.asyncDispose]();
  }
}
