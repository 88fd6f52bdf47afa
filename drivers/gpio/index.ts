import type { ModuleDefinition } from '../../src/device/module.js';
import type { Backends } from './backends/backends.js';
import { buttonModule } from './inputs/button.js';
import { counterModule } from './inputs/counter.js';
import { encoderModule } from './inputs/encoder.js';
import { frequencyModule } from './inputs/frequency.js';
import { inputModule } from './inputs/gpio-input.js';
import { levelGroupModule } from './inputs/level-group.js';
import { blinkerModule } from './outputs/blinker.js';
import { outputModule } from './outputs/gpio-output.js';
import { pulseModule } from './outputs/pulse.js';
import { relayModule } from './outputs/relay.js';
import { sharedState } from './outputs/ruled-line.js';
import { shutterModule } from './outputs/shutter.js';

export { Backends, type GpioBoard } from './backends/backends.js';
export { isHeld } from './inputs/held-line.js';
export { boardFunctions } from './board-functions.js';
export { KeeperClient } from './keeper/keeper-client.js';

/** The modules of this driver for one gateway. Nothing is opened before an instance is. */
export function gpioModules(backends: Backends): readonly ModuleDefinition[] {
  const shared = sharedState(backends.clock);
  return [
    outputModule(backends),
    relayModule(backends, shared),
    pulseModule(backends, shared),
    shutterModule(backends, shared),
    blinkerModule(backends),
    inputModule(backends),
    buttonModule(backends),
    counterModule(backends),
    encoderModule(backends),
    levelGroupModule(backends),
    frequencyModule(backends),
  ] as readonly ModuleDefinition[];
}
