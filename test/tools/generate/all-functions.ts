import { systemClock } from '../../../src/base/clock.js';
import type { FunctionDeclaration } from '../../../src/device/declare.js';
import { declaredFunctions } from '../../../src/functions/declared-functions.js';
import { createModuleList } from '../../../src/composition/module-list.js';

/** Every function of a gateway on the simulated board, by name. */
export async function allFunctions(): Promise<readonly FunctionDeclaration[]> {
  const clock = systemClock();
  return declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
}
