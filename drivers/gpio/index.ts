import type { Clock } from '../../src/base/clock.js';
import type { ModuleDefinition } from '../../src/device/module.js';
import { blinkerModule } from './blink.js';
import { buttonModule } from './button.js';
import { counterModule } from './counter.js';
import { encoderModule } from './encoder.js';
import { frequencyModule } from './frequency.js';
import { inputModule } from './input.js';
import type { KeeperClient } from './keeping.js';
import { levelGroupModule } from './level-group.js';
import { outputModule } from './output.js';
import { pulseModule } from './pulse.js';
import { relayModule } from './relay.js';
import { sharedState } from './ruled-line.js';
import { shutterModule } from './shutter.js';
import { type GpioBoard, Backends } from './ways.js';

export { KeeperClient } from './keeping.js';
export type { GpioBoard } from './ways.js';

/** The modules of this driver for one gateway. They share the board's lines; nothing is opened before an instance is. */
export function gpioModules(
  board: GpioBoard,
  clock: Clock,
  keeping?: KeeperClient,
): readonly ModuleDefinition[] {
  const ways = new Backends(board, clock, keeping);
  const shared = sharedState(clock);
  return [
    outputModule(board, ways),
    relayModule(board, ways, shared),
    pulseModule(board, ways, shared),
    shutterModule(board, ways, shared),
    blinkerModule(board, ways),
    inputModule(board, ways),
    buttonModule(board, ways),
    counterModule(board, ways),
    encoderModule(board, ways),
    levelGroupModule(board, ways),
    frequencyModule(board, ways),
  ] as readonly ModuleDefinition[];
}
