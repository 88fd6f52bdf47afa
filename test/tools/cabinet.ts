import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { gpioPulse } from '../../drivers/gpio/pulse.js';
import { gpioRelay } from '../../drivers/gpio/relay.js';
import { together } from '../../drivers/gpio/ruled-line.js';
import { type GpioBoard, Ways } from '../../drivers/gpio/ways.js';
import type { World } from '../../drivers/gpio/world.js';
import { ManualClock } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { Devices } from '../../src/device/devices.js';
import type { ModuleDefinition, Value } from '../../src/device/module.js';
import { Modules } from '../../src/device/modules.js';
import type { Instance } from '../../src/kernel/attachments.js';
import { Kernel } from '../../src/kernel/kernel.js';
import { objectType } from '../../src/kernel/object.js';
import { until } from './until.js';

const board = parse(
  readFileSync(new URL('../../../board/simulated.yaml', import.meta.url), 'utf8'),
) as GpioBoard;

/** Outputs under rules on the simulated board, over any number of the gateway's lives. */
export class Cabinet {
  readonly clock = new ManualClock();
  readonly kernel = new Kernel({ counter: 0, random: Math.random });
  readonly ways = new Ways(board, this.clock);
  readonly world = this.ways.world as World;
  readonly marks = new Set<string>();
  devices = this.#live();

  constructor(t: Test) {
    t.teardown(() => this.devices.close());
  }

  /** The gateway's process ends and another one begins; the machine goes on. */
  async restart(): Promise<void> {
    await this.devices.close();
    this.devices = this.#live();
  }

  relay(Line: string, properties: Record<string, unknown> = {}): Instance {
    return this.devices.create('Relay', { name: Line }, { Line, ...properties });
  }

  pulse(Line: string, properties: Record<string, unknown> = {}): Instance {
    return this.devices.create('Pulse', { name: Line }, { Line, ...properties });
  }

  /** A relay that is online. */
  async open(Line: string, properties: Record<string, unknown> = {}): Promise<Instance> {
    const relay = this.relay(Line, properties);
    await this.becomes(relay, 'LINK', 'online');
    return relay;
  }

  write(relay: Instance, value: boolean): Promise<void> {
    return this.devices.write(relay.id, 'STATE', value);
  }

  value(relay: Instance, ident: string): Value | undefined {
    const child = relay.children?.byIdent(ident);
    return child?.is(objectType.variable) ? child.data.value : undefined;
  }

  becomes(relay: Instance, ident: string, value: Value): Promise<boolean> {
    return until(`${relay.name} ${ident} = ${value}`, () => this.value(relay, ident) === value);
  }

  levels(...lines: string[]): boolean[] {
    return lines.map((line) => this.world.level(line));
  }

  #live(): Devices {
    const { kernel, clock, marks } = this;
    const shared = together(clock);
    const all = [gpioRelay, gpioPulse].map(
      (make) => make(board, this.ways, shared) as unknown as ModuleDefinition,
    );
    const devices = new Devices({ kernel, clock, marks, modules: new Modules(all), log: silentLog });
    devices.start();
    return devices;
  }
}
