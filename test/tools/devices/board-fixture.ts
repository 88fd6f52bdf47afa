import { readFileSync } from 'node:fs';
import type { Test } from 'tap';
import { parse } from 'yaml';
import { Backends, boardFunctions, type GpioBoard, gpioModules } from '../../../drivers/gpio/index.js';
import { ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import { DeviceFixture } from './device-fixture.js';
import { PACKAGE_ROOT } from '../../../src/base/package-root.js';

/** The simulated board, as its file describes it. */
export const simulatedBoard = parse(readFileSync(`${PACKAGE_ROOT}board/simulated.yaml`, 'utf8')) as GpioBoard;

/** The modules and functions of a board. */
function boardRegistry(board: GpioBoard, clock: ManualClock): ModuleRegistry {
  const backends = new Backends(board, clock);
  const functions = boardFunctions(backends);
  return new ModuleRegistry(gpioModules(backends), { name: 'simulated', isUnknown: false, functions });
}

/** Shorter than any duration that these tests distinguish. */
const STEP_MS = 10;

/** A {@link DeviceFixture} on the simulated board, with a manual clock. */
export class BoardFixture extends DeviceFixture {
  readonly clock: ManualClock;

  constructor(t: Test, clock = new ManualClock(), board = simulatedBoard) {
    super(boardRegistry(board, clock), clock);
    this.clock = clock;
    t.teardown(() => this.devices.close());
  }

  /** Drives a line from outside. */
  async drive(line: string, active: boolean): Promise<void> {
    await this.call('GW_SimulateLine', line, active);
  }

  /** Unplugs the chip, or plugs it in again. */
  async setChipGone(gone: boolean): Promise<void> {
    await this.call('GW_SimulateChipGone', 'simulated', gone);
  }

  /** Advances the clock, reading what happens at one time before the next. */
  async elapse(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= STEP_MS) {
      await yieldToEventLoop();
      await yieldToEventLoop();
      this.clock.advance(Math.min(left, STEP_MS));
    }
    await yieldToEventLoop();
    await yieldToEventLoop();
  }
}
