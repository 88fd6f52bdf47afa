import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '../../base/clock.js';
import { fault } from '../../base/fault.js';
import { Connection } from './exchange.js';

/** How long an upload may stall, ms. Uploads are stored one at a time: others wait for it. */
const STALL_MS = 60_000;

/**
 * The body of a request that may take longer than others, as long as it continues to arrive. Reading it fails
 * with `BODY_TIMEOUT` if nothing arrives for 60 s; the request can then still be answered.
 */
export function uploadOf(request: IncomingMessage, clock: Pick<Clock, 'after'>): Readable {
  Connection.of(request.socket).upload = request;
  return Readable.from(chunksOf(request, clock));
}

async function* chunksOf(request: IncomingMessage, clock: Pick<Clock, 'after'>): AsyncGenerator<Buffer> {
  // Destroying the request would close the connection before the response.
  const chunks: AsyncIterator<Buffer, void> = request.iterator({ destroyOnReturn: false });
  for (;;) {
    const stalled = Promise.withResolvers<never>();
    const cancel = clock.after(STALL_MS, () => stalled.reject(fault('BODY_TIMEOUT')));
    const next = await Promise.race([chunks.next(), stalled.promise]).finally(cancel);
    if (next.done === true) return;
    yield next.value;
  }
}
