import { systemClock } from '../../src/base/clock.js';
import type { FunctionDeclaration } from '../../src/device/declare.js';
import { declaredFunctions } from '../../src/functions/explain.js';
import { modulesOf } from '../../src/modules.js';

/** Every function of a gateway on the simulated board, by name. */
export async function wholeReference(): Promise<readonly FunctionDeclaration[]> {
  const clock = systemClock();
  return declaredFunctions(await modulesOf(clock)({ board: 'simulated' }), clock);
}
