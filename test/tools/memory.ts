import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The bytes of the live objects, after a collection. */
export function heldBytes(): number {
  return collected().heapUsed;
}

/** As {@link heldBytes}, with the bytes of buffers. */
export function heldWithBuffers(): number {
  const { heapUsed, external } = collected();
  return heapUsed + external;
}

function collected(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage();
}
