import { setFlagsFromString } from 'node:v8';
import { LINEAR_PATTERN_FLAGS, onFirstLinearPattern } from '../../src/base/v8/linear-pattern.js';

/** Has the V8 flags set as `src/main.ts` has, for tests that compile patterns in their own process. */
export function enableLinearPatterns(): void {
  onFirstLinearPattern(() => LINEAR_PATTERN_FLAGS.forEach((flag) => setFlagsFromString(flag)));
}
