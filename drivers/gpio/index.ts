import type { Clock } from '../../src/base/clock.js';
import type { ModuleDefinition } from '../../src/device/module.js';
import { blinkerModule } from './outputs/blinker.js';
import { buttonModule } from './inputs/button.js';
import { counterModule } from './inputs/counter.js';
import { encoderModule } from './inputs/encoder.js';
import { frequencyModule } from './inputs/frequency.js';
import { inputModule } from './inputs/gpio-input.js';
import type { KeeperClient } from './keeper/keeper-client.js';
import { levelGroupModule } from './inputs/level-group.js';
import { outputModule } from './outputs/gpio-output.js';
import { pulseModule } from './outputs/pulse.js';
import { relayModule } from './outputs/relay.js';
import { sharedState } from './outputs/ruled-line.js';
import { shutterModule } from './outputs/shutter.js';
import { type GpioBoard, Backends } from './backends/backends.js';

export { KeeperClient } from './keeper/keeper-client.js';
export type { GpioBoard } from './backends/backends.js';

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
