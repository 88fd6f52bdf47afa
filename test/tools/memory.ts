import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The bytes of the live objects, after a collection. */
export function liveHeapBytes(): number {
  return collected().heapUsed;
}

/** As {@link liveHeapBytes}, with the bytes of buffers. */
export function liveBytesWithBuffers(): number {
  const { heapUsed, external } = collected();
  return heapUsed + external;
}

function collected(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage();
}
