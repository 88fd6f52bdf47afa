import { systemClock } from '../../src/base/clock.js';
import type { FunctionDeclaration } from '../../src/device/declare.js';
import { declaredFunctions } from '../../src/functions/explain.js';
import { createModuleList } from '../../src/modules.js';

/** Every function of a gateway on the simulated board, by name. */
export async function allFunctions(): Promise<readonly FunctionDeclaration[]> {
  const clock = systemClock();
  return declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
}
