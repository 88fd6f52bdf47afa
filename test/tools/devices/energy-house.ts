import { Type } from '@sinclair/typebox';
import type { Test } from 'tap';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { fault } from '../../../src/base/fault.js';
import { moduleKind, variableType, type Host, type ModuleDefinition } from '../../../src/device/module.js';
import type { Instance } from '../../../src/kernel/instances.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { energyModule } from '../../../src/modules/energy/energy.js';
import { setTimeZone } from '../time-zone.js';
import { DeviceFixture } from './device-fixture.js';

const SOURCES = ['import', 'export', 'generation', 'charge', 'discharge'] as const;
type Source = (typeof SOURCES)[number];

/** Initial values of counters and powers, and the properties of the instance. */
interface EnergyHouseOptions {
  readonly readings?: Partial<Record<Source | 'grid' | 'sun' | 'storage', number>>;
  readonly [property: string]: unknown;
}

/** A heater that does what is requested, unless its rule forbids it. */
class Heater {
  host: Host | undefined;
  isLocked = false;
  readonly requests: boolean[] = [];

  readonly module: ModuleDefinition = {
    id: '{0B9A0F5E-41C7-4D3B-8A55-7C0E2D1F6B33}',
    name: 'Heater',
    kind: moduleKind.device,
    prefix: 'TEST',
    properties: Type.Object({}),
    variables: () => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, role: 'main', action: true },
    ],
    open: async (host) => {
      this.host = host;
      host.report('STATE', false);
      return {
        write: async (_ident, value) => {
          this.requests.push(value === true);
          if (this.isLocked) throw fault('DEVICE_REFUSED', 'locked');
          host.report('STATE', value);
        },
        close: () => Promise.resolve(),
      };
    },
  };
}

/** A house with counters and powers that a test sets. */
export class EnergyHouse implements AsyncDisposable {
  readonly clock: ManualClock;
  readonly heater = new Heater();
  readonly fixture: DeviceFixture;
  readonly #sources = new Map<string, Variable>();
  #number: Variable | undefined;
  energy!: Instance;

  constructor(begin: string) {
    this.clock = new ManualClock(new Date(begin).getTime());
    this.fixture = new DeviceFixture([energyModule, this.heater.module] as ModuleDefinition[], this.clock);
  }

  static async start(
    t: Test,
    begin: string,
    { readings = { import: 1000 }, ...properties }: EnergyHouseOptions,
  ): Promise<EnergyHouse> {
    setTimeZone(t, 'Europe/Berlin');
    const house = new EnergyHouse(begin);
    const { kernel } = house.fixture;
    const heater = await house.fixture.add('Heater', {});
    kernel.tree.set(heater, 'ident', 'heater');
    await house.fixture.waitForLink(heater, 'online');
    for (const [ident, value] of Object.entries(readings)) {
      const isCounter = (SOURCES as readonly string[]).includes(ident);
      const profile = isCounter ? '~Electricity' : '~Watt';
      house.#sources.set(ident, kernel.variables.create(variableType.float, { ident, value, profile }));
      house.set(ident, value);
    }
    house.energy = await house.fixture.add('Energy', properties);
    await house.fixture.waitForLink(house.energy, 'online');
    return house;
  }

  variable(ident: string): Variable {
    return this.#sources.get(ident) as Variable;
  }

  /** Gives the meter of all counters a number, as its variable SERIAL. */
  setMeterNumber(number: string): void {
    const { variables } = this.fixture.kernel;
    this.#number ??= variables.create(variableType.string, { ident: 'SERIAL', value: '' });
    variables.update(this.#number, number, this.clock.nowMs());
  }

  /** Updates a source; Energy follows in its next turn. */
  set(ident: string, value: number): void {
    this.fixture.kernel.variables.update(this.variable(ident), value, this.clock.nowMs());
    this.clock.advance(0);
  }

  add(ident: string, by: number): void {
    this.set(ident, Number(this.variable(ident).data.value) + by);
  }

  value(ident: string): unknown {
    return this.fixture.value(this.energy, ident);
  }

  get problems(): string {
    return this.fixture.devices
      .problems(this.energy.id)
      .map(({ text }) => String(text))
      .join('; ');
  }

  /** Advances the clock, and lets commands be performed. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let n = 0; n < 5; n += 1) await yieldToEventLoop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fixture[Symbol.asyncDispose]();
  }
}
