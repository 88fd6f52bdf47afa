import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { MetricFamily } from './exposition.js';

/** How often the delay of the event loop is sampled, ms. */
const RESOLUTION_MS = 20;

/** What the process uses, under the names of the official clients of Prometheus. */
export class ProcessMetrics {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  constructor() {
    this.#delay.enable();
  }

  close(): void {
    this.#delay.disable();
  }

  /** The delay is the largest since the last call. */
  *families(nowMs: number): Generator<MetricFamily> {
    const { user, system } = process.cpuUsage();
    const lagS = Math.max(0, this.#delay.max / 1e9 - RESOLUTION_MS / 1000);
    this.#delay.reset();
    yield {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'Processor time of the gateway, user and system.',
      samples: [[(user + system) / 1e6]],
    };
    yield {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Resident memory.',
      samples: [[process.memoryUsage.rss()]],
    };
    yield {
      name: 'process_open_fds',
      type: 'gauge',
      help: 'Open file descriptors.',
      samples: [[readdirSync('/proc/self/fd').length]],
    };
    yield {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the process was started, unix seconds.',
      samples: [[Math.round(nowMs / 1000 - process.uptime())]],
    };
    yield {
      name: 'nodejs_eventloop_lag_seconds',
      type: 'gauge',
      help: 'Longest delay of the event loop since the last request.',
      samples: [[lagS]],
    };
  }
}
