import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { parse } from 'yaml';
import type { GpioBackend, OutputLine } from '../../../drivers/gpio/backends/line.js';
import { pulseModule } from '../../../drivers/gpio/outputs/pulse.js';
import { relayModule } from '../../../drivers/gpio/outputs/relay.js';
import { shutterModule } from '../../../drivers/gpio/outputs/shutter.js';
import { sharedState } from '../../../drivers/gpio/outputs/ruled-line.js';
import { type BackendChoice, type GpioBoard, Backends } from '../../../drivers/gpio/backends/backends.js';
import type { SimulatedBoard } from '../../../drivers/gpio/backends/simulated-board.js';
import { type Clock, ManualClock } from '../../../src/base/clock.js';
import { silentLog } from '../../../src/base/log.js';
import { Devices } from '../../../src/device/devices.js';
import type { ModuleDefinition, Value } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import type { Instance } from '../../../src/kernel/instances.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType } from '../../../src/kernel/object.js';
import { ProcessClock } from './process-clock.js';
import { until } from '../until.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

const board = parse(readFileSync(`${PACKAGE_ROOT}board/simulated.yaml`, 'utf8')) as GpioBoard;

/** What is between an output's module and its line, for the life of one process. */
export type Wiring = (line: OutputLine, clock: Clock) => OutputLine;

/** The backends of a board, with every output passed through `wire`. */
class WiredBackends extends Backends {
  readonly #through: Backends;
  readonly #wire: (line: OutputLine) => OutputLine;

  constructor(through: Backends, wire: (line: OutputLine) => OutputLine) {
    super(through.board, through.clock);
    this.#through = through;
    this.#wire = wire;
  }

  override async get(command: BackendChoice): Promise<GpioBackend> {
    const backend = await this.#through.get(command);
    return {
      name: backend.name,
      minDebounceUs: backend.minDebounceUs,
      requestedLines: () => backend.requestedLines(),
      chips: () => backend.chips(),
      lines: (chip) => backend.lines(chip),
      requestOutput: async (place, output) => this.#wire(await backend.requestOutput(place, output)),
      requestInput: (place, input, listener) => backend.requestInput(place, input, listener),
    };
  }
}

/** Outputs with rules on the simulated board, over any number of restarts of the gateway. */
export class OutputFixture {
  readonly clock = new ManualClock();
  readonly kernel = new Kernel({ counter: 0, random: Math.random });
  readonly board = new Backends(board, this.clock);
  readonly simulatedBoard = this.board.simulatedBoard as SimulatedBoard;
  readonly bootFlags = new Set<string>();
  readonly #wiring: Wiring;
  #life: ProcessClock;
  devices: Devices;

  constructor(t: Test, wiring: Wiring = (line) => line) {
    this.#wiring = wiring;
    this.#life = new ProcessClock(this.clock);
    this.devices = this.#live();
    t.teardown(() => this.devices.close());
  }

  /**
   * Ends the gateway's process and starts another one. Either it stops, and the machine keeps running or
   * boots; or it crashes, and its lines keep their levels; or the power is cut, and its lines lose them.
   */
  async restart(how: 'stop' | 'boot' | 'crash' | 'power cut' = 'stop'): Promise<void> {
    if (how === 'stop' || how === 'boot') await this.devices.close();
    else this.#die();
    if (how === 'power cut')
      for (const line of this.#lines) {
        line.holder = undefined;
        this.simulatedBoard.outputChanged(line);
      }
    if (how === 'boot' || how === 'power cut') this.bootFlags.clear();
    this.#life = new ProcessClock(this.clock);
    this.devices = this.#live();
  }

  /** The process dies without a report; the kernel releases its lines. */
  #die(): void {
    this.#life.die();
    for (const line of this.#lines)
      if (line.holder !== undefined) this.simulatedBoard.release(line, line.holder);
  }

  get #lines() {
    return this.simulatedBoard.chips().flatMap(({ label }) => this.simulatedBoard.lines(label));
  }

  relay(Line: string, properties: Record<string, unknown> = {}): Instance {
    return this.devices.create('Relay', { name: Line }, { Line, ...properties });
  }

  pulse(Line: string, properties: Record<string, unknown> = {}): Instance {
    return this.devices.create('Pulse', { name: Line }, { Line, ...properties });
  }

  /**
   * A shutter on RELAY1 and RELAY2 that is online: half a minute for each run, slats that turn in two
   * seconds.
   */
  async addShutter(properties: Record<string, unknown> = {}): Promise<Instance> {
    const given = { Up: 'RELAY1', Down: 'RELAY2', RunUpS: 32, RunDownS: 32, SlatS: 2, ...properties };
    const shutter = this.devices.create('Shutter', { name: 'Blind' }, given);
    await this.waitForValue(shutter, 'LINK', 'online');
    return shutter;
  }

  /** A relay that is online. */
  async addOpenRelay(Line: string, properties: Record<string, unknown> = {}): Promise<Instance> {
    const relay = this.relay(Line, properties);
    await this.waitForValue(relay, 'LINK', 'online');
    return relay;
  }

  write(relay: Instance, value: boolean): Promise<void> {
    return this.devices.write(relay.id, 'STATE', value);
  }

  value(relay: Instance, ident: string): Value | undefined {
    const child = relay.children?.byIdent(ident);
    return child?.is(objectType.variable) ? child.data.value : undefined;
  }

  waitForValue(relay: Instance, ident: string, value: Value): Promise<boolean> {
    return until(`${relay.name} ${ident} = ${value}`, () => this.value(relay, ident) === value);
  }

  levels(...lines: string[]): boolean[] {
    return lines.map((line) => this.simulatedBoard.level(line));
  }

  #live(): Devices {
    const { kernel, bootFlags: marks } = this;
    const clock = this.#life;
    const shared = sharedState(clock);
    const backends = new WiredBackends(this.board, (line) => this.#wiring(line, clock));
    const all = [
      relayModule(backends, shared),
      pulseModule(backends, shared),
      shutterModule(backends, shared),
    ] as readonly ModuleDefinition[];
    const devices = new Devices({
      kernel,
      clock,
      bootFlags: marks,
      modules: new ModuleRegistry(all),
      log: silentLog,
    });
    devices.start();
    return devices;
  }
}
