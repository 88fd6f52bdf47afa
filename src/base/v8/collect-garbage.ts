import { Session } from 'node:inspector/promises';

/**
 * Collects all garbage of the calling thread, and returns free pages of its heap to the kernel. Takes 10 ms and more,
 * during which the thread does nothing else. The flag of V8 that exposes `gc` is not used: with it, V8 discards
 * the compiled code of Node's own modules, which takes a tenth of the time of a start.
 */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
