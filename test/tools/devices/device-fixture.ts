import { systemClock, type Clock, type ManualClock } from '../../../src/base/clock.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import type { Caller } from '../../../src/device/declare.js';
import { Debug } from '../../../src/device/debug.js';
import { Devices } from '../../../src/device/devices.js';
import type { ModuleDefinition, Value } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import type { LinkState } from '../../../src/device/supervisor.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { message } from '../../../src/kernel/messages.js';
import { objectType } from '../../../src/kernel/object.js';
import { qualityOf } from './variable-quality.js';
import { until } from '../until.js';

const owner: Caller = { role: 'owner', user: 'owner@example.org', remote: 'local' };

/** An object tree with supervised instances of some modules, without the rest of a gateway. */
export class DeviceFixture implements AsyncDisposable {
  readonly kernel = new Kernel({ counter: 0, random: Math.random });
  readonly devices: Devices;
  /** The debug messages of the devices. */
  readonly debug: Debug;
  readonly #modules: ModuleRegistry;

  constructor(
    modules: readonly ModuleDefinition[] | ModuleRegistry,
    clock: Clock = systemClock(),
    log: Log = silentLog,
  ) {
    this.#modules = modules instanceof ModuleRegistry ? modules : new ModuleRegistry(modules);
    this.debug = new Debug({ kernel: this.kernel, clock });
    this.devices = new Devices({
      debug: this.debug,
      kernel: this.kernel,
      modules: this.#modules,
      clock,
      log,
    });
    this.devices.start();
  }

  /** Adds an instance, connected to `parent` if given. */
  async add(module: string, properties: Record<string, unknown>, parent?: Instance): Promise<Instance> {
    const instance = this.devices.create(module, {}, properties);
    if (parent !== undefined) await this.devices.connect(instance.id, parent.id);
    return instance;
  }

  /** Changes properties and applies them. */
  async change(instance: Instance, properties: Record<string, unknown>): Promise<void> {
    for (const [name, value] of Object.entries(properties)) {
      this.devices.setProperty(instance.id, name, value);
    }
    await this.devices.applyChanges(instance.id);
  }

  /** The value of one of its variables. */
  value(instance: Instance, ident: string): Value | undefined {
    const child = instance.children?.byIdent(ident);
    return child?.is(objectType.variable) ? child.data.value : undefined;
  }

  /** See {@link qualityOf}. */
  quality(instance: Instance, ident: string): string {
    return qualityOf(instance, ident);
  }

  /** Waits until one of its variables has this quality. */
  async waitForQuality(instance: Instance, ident: string, quality: string): Promise<void> {
    await until(`${ident} is ${quality}`, () => this.quality(instance, ident) === quality);
  }

  /** The values that one of its variables is updated to from now on. */
  watch(instance: Instance, ident: string): Value[] {
    const seen: Value[] = [];
    const child = instance.children?.byIdent(ident);
    this.kernel.changes.listen(({ SenderID, Message, Data }) => {
      if (Message === message.VM_UPDATE && SenderID === child?.id) seen.push(Data[0] as Value);
    });
    return seen;
  }

  /** Waits until its LINK has this state. */
  async waitForLink(instance: Instance, link: LinkState): Promise<void> {
    await until(
      `${link}, now ${String(this.value(instance, 'STATUS'))}`,
      () => this.value(instance, 'LINK') === link,
    );
  }

  /** Advances the clock until it is online again; reopening has backoff. */
  async waitForReconnect(instance: Instance, clock: ManualClock): Promise<void> {
    await until(`online, now ${this.status(instance)}`, () => {
      clock.advance(1000);
      return this.value(instance, 'LINK') === 'online';
    });
  }

  /** Waits until one of its variables has this value. */
  async waitForValue(instance: Instance, ident: string, value: Value): Promise<void> {
    await until(`${ident} = ${value}`, () => this.value(instance, ident) === value);
  }

  status(instance: Instance): string {
    return String(this.value(instance, 'STATUS'));
  }

  /** Calls a function of the board or of one of the modules. */
  async call(name: string, ...args: unknown[]): Promise<unknown> {
    const found = this.#modules.functions(this.devices).find((one) => one.name === name);
    if (found === undefined) throw new Error(`there is no function ${name}`);
    return await found.run(owner, ...(args as never[]));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.devices.close();
  }
}

/** Advances the clock second by second, so that requests of one second get their replies before the next. */
export async function passTime(clock: ManualClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1000) {
    clock.advance(Math.min(left, 1000));
    await yieldToEventLoop();
  }
}
