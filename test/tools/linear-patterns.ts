import { setFlagsFromString } from 'node:v8';
import { LINEAR_PATTERN_FLAGS } from '../../src/base/linear-pattern.js';

/** Sets the V8 flags that `src/main.ts` sets, for tests that compile patterns in their own process. */
export function enableLinearPatterns(): void {
  for (const flag of LINEAR_PATTERN_FLAGS) setFlagsFromString(flag);
}
