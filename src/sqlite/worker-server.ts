import { getHeapStatistics } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { systemClock } from '../base/clock.js';
import { collectGarbage } from '../base/v8/collect-garbage.js';
import { parameterRecord } from '../base/codes/coded-text.js';
import { Fault, messageOf } from '../base/fault.js';
import { sqliteCodeOf } from './connection.js';
import type { WorkerFailure, WorkerReply } from './worker-protocol.js';

/** A collection takes some 10 ms; less garbage than this, bytes, does not justify it … */
const GROWTH_BYTES = 2 * 1024 * 1024;
/** … and while a worker is busy, V8 collects by itself. */
const LEAST_PAUSE_MS = 10_000;

/** The heap of a thread; tests replace it. */
interface ThreadHeap {
  /** Bytes in use, with garbage. */
  used(): number;
  collect(): Promise<void>;
  nowMs(): number;
}

/** The heap of this thread. */
function threadHeap(): ThreadHeap {
  const clock = systemClock();
  return {
    used: () => getHeapStatistics().used_heap_size,
    collect: collectGarbage,
    nowMs: () => Number(clock.monotonicNs() / 1_000_000n),
  };
}

/**
 * Returns a function to call after each request. It collects garbage if the heap has grown: V8 itself would
 * let the heap of a thread that has little to do grow for hours, to twice the memory in use.
 */
export function collectAfterGrowth(heap: ThreadHeap): () => Promise<void> {
  let base = heap.used();
  let collectedMs = heap.nowMs();
  return async () => {
    const used = heap.used();
    base = Math.min(base, used);
    if (used - base < GROWTH_BYTES || heap.nowMs() - collectedMs < LEAST_PAUSE_MS) return;
    collectedMs = heap.nowMs();
    await heap.collect();
    // What remains is in use.
    base = heap.used();
  };
}

/**
 * Runs in a worker: serves requests one after the other and sends each reply, or what was thrown, to the
 * client.
 */
export function serveRequests<R extends { readonly id: number }>(
  port: MessagePort,
  serve: (request: R) => object,
): void {
  const collect = collectAfterGrowth(threadHeap());
  port.on('message', (request: R) => {
    let reply: WorkerReply;
    try {
      reply = { id: request.id, reply: serve(request) };
    } catch (thrown) {
      reply = { id: request.id, failure: failureOf(thrown) };
    }
    port.postMessage(reply);
    // After a failed one, V8 collects by itself.
    collect().catch(() => undefined);
  });
}

function failureOf(thrown: unknown): WorkerFailure {
  const failure = { message: messageOf(thrown), sqlite: sqliteCodeOf(thrown) };
  if (!(thrown instanceof Fault)) return failure;
  return { ...failure, fault: thrown.code, parameters: thrown.parameters?.map(parameterRecord) };
}
