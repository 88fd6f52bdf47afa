import type { Clock } from '../../src/base/clock.js';
import type { ModuleDefinition } from '../../src/device/module.js';
import { blinker } from './blink.js';
import { button } from './button.js';
import { counter } from './counter.js';
import { encoder } from './encoder.js';
import { frequency } from './frequency.js';
import { gpioInput } from './input.js';
import type { Keeping } from './keeping.js';
import { levelGroup } from './level-group.js';
import { gpioOutput } from './output.js';
import { gpioPulse } from './pulse.js';
import { gpioRelay } from './relay.js';
import { together } from './ruled-line.js';
import { gpioShutter } from './shutter.js';
import { type GpioBoard, Ways } from './ways.js';

export { Keeping } from './keeping.js';
export type { GpioBoard } from './ways.js';

/** The modules of this driver for one gateway. They share the board's lines; nothing is opened before an instance is. */
export function gpioModules(board: GpioBoard, clock: Clock, keeping?: Keeping): readonly ModuleDefinition[] {
  const ways = new Ways(board, clock, keeping);
  const shared = together(clock);
  return [
    gpioOutput(board, ways),
    gpioRelay(board, ways, shared),
    gpioPulse(board, ways, shared),
    gpioShutter(board, ways, shared),
    blinker(board, ways),
    gpioInput(board, ways),
    button(board, ways),
    counter(board, ways),
    encoder(board, ways),
    levelGroup(board, ways),
    frequency(board, ways),
  ] as readonly ModuleDefinition[];
}
