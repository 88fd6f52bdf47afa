import { CountedDispatcher } from '../api/rpc/counted-dispatcher.js';
import type { Dispatcher } from '../api/rpc/dispatcher.js';
import type { Monitoring, Readiness } from '../api/web/monitoring-routes.js';
import type { Clock } from '../base/clock.js';
import type { HealthState } from '../base/health-check.js';
import type { ConnectionsPort } from '../functions/ports.js';
import { instanceStatus } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { runlevel } from '../kernel/messages.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import { objectAt } from '../kernel/object-path.js';
import type { Devices } from '../device/devices.js';
import type { Health } from '../service/health.js';
import {
  CONTENT_TYPE,
  Histogram,
  expositionOf,
  type HistogramFamily,
  type MetricFamily,
  type Sample,
} from '../service/metrics/exposition.js';
import { ProcessMetrics } from '../service/metrics/process-metrics.js';
import { deviceFamilies, pathOf } from './device-metrics.js';

interface MetricsContext {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly clock: Clock;
  readonly health: Health;
  readonly version: string;
  readonly store: { readonly written: { readonly today: number } };
  readonly connections: () => Pick<ConnectionsPort, 'sockets'> | undefined;
  /** Paths of the variables whose values are published. */
  readonly values: () => readonly string[];
}

const STATE_VALUES: Readonly<Record<HealthState, number>> = { ok: 0, warning: 1, failed: 2 };
const QUALITY_NAMES = ['good', 'stale', 'bad'] as const;

/** What the gateway counts and measures for monitoring; the names are those of docs/use/monitoring.md. */
export class Metrics implements Monitoring {
  readonly #context: MetricsContext;
  /** Function → code of the result → number of calls. */
  readonly #calls = new Map<string, Map<string, number>>();
  readonly #durations = new Map<string, Histogram>();
  #process: ProcessMetrics | undefined;

  constructor(context: MetricsContext) {
    this.#context = context;
  }

  close(): void {
    this.#process?.close();
  }

  /** The dispatcher for the time while metrics are configured: counts each call. */
  counting(dispatcher: Dispatcher): Dispatcher {
    return new CountedDispatcher(dispatcher, this.#context.clock, (method, code, seconds) => {
      const codes = this.#calls.get(method) ?? new Map<string, number>();
      this.#calls.set(method, codes.set(code, (codes.get(code) ?? 0) + 1));
      const durations = this.#durations.get(method) ?? new Histogram();
      this.#durations.set(method, durations);
      durations.add(seconds);
    });
  }

  readiness = (): Readiness => {
    const { kernel, health } = this.#context;
    const checks = health.record().Checks.map(({ Name, State }) => ({ name: Name, state: State }));
    return { isReady: kernel.runlevel === runlevel.ready, checks };
  };

  metrics = (): ReturnType<Monitoring['metrics']> => ({
    text: expositionOf(this.#families()),
    type: CONTENT_TYPE,
  });

  *#families(): Generator<MetricFamily | HistogramFamily> {
    const { clock, connections, health, store, version } = this.#context;
    this.#process ??= new ProcessMetrics();
    const gauge = (name: string, help: string, samples: readonly Sample[]): MetricFamily => ({
      name: `stellwerk_${name}`,
      type: 'gauge',
      help,
      samples,
    });
    yield gauge('build_info', 'The version of the gateway and of Node.', [
      [1, { version, node: process.versions.node }],
    ]);
    yield* this.#process.families(clock.nowMs());
    yield gauge('up_seconds', 'How long the gateway has been running.', [[process.uptime()]]);
    yield gauge('clock_trusted', '1 if the clock has been synchronised.', [[Number(clock.isTrusted())]]);
    const checks = health.record().Checks;
    yield gauge(
      'health_status',
      'State of a health check: 0 good, 1 warning, 2 error.',
      checks.map(({ Name, State }) => [STATE_VALUES[State], { check: Name }]),
    );
    yield* this.#tree(gauge);
    yield* deviceFamilies(this.#context);
    yield {
      name: 'stellwerk_disk_written_bytes_total',
      type: 'counter',
      help: 'Bytes written to the disk since midnight UTC.',
      samples: [[store.written.today]],
    };
    const sockets = connections()?.sockets() ?? [];
    yield gauge('ws_clients', 'WebSocket clients.', [[sockets.length]]);
    yield gauge('ws_waiting_bytes', 'Bytes that wait to be sent to WebSocket clients.', [
      [sockets.reduce((sum, { bytes }) => sum + bytes, 0)],
    ]);
    yield {
      name: 'stellwerk_rpc_requests_total',
      type: 'counter',
      help: 'Calls by function and result since metrics were configured.',
      samples: [...this.#calls].flatMap(([method, codes]) =>
        Array.from(codes, ([code, count]): Sample => [count, { method, code }]),
      ),
    };
    yield {
      name: 'stellwerk_rpc_duration_seconds',
      help: 'Duration of calls by function.',
      series: Array.from(this.#durations, ([method, histogram]) => [histogram, { method }] as const),
    };
  }

  *#tree(gauge: (name: string, help: string, samples: readonly Sample[]) => MetricFamily) {
    const { tree } = this.#context.kernel;
    const instances: Sample[] = [];
    for (const instance of tree.objectsOfType(objectType.instance))
      instances.push([
        Number(instance.data.status === instanceStatus.active),
        { instance: pathOf(instance), module: instance.data.moduleName },
      ]);
    yield gauge('instance_up', '1 if the instance works.', instances);
    const byQuality = [0, 0, 0];
    for (const { data } of tree.objectsOfType(objectType.variable)) {
      const state = data.qualityProblem?.state ?? 0;
      byQuality[state] = (byQuality[state] ?? 0) + 1;
    }
    yield gauge(
      'variables',
      'Variables by the quality of their value.',
      QUALITY_NAMES.map((quality, n): Sample => [byQuality[n] ?? 0, { quality }]),
    );
    yield gauge('variable_value', 'The value of a variable of metrics.values.', [...this.#values()]);
  }

  /** Numbers and booleans of the configured variables; paths without one are left out. */
  *#values(): Generator<Sample> {
    const { kernel, values } = this.#context;
    for (const path of values()) {
      const object = find(kernel, path);
      if (!object?.is(objectType.variable) || typeof object.data.value === 'string') continue;
      yield [Number(object.data.value), { path }];
    }
  }
}

function find(kernel: Kernel, path: string): TreeObject | undefined {
  try {
    return objectAt(kernel.tree, path);
  } catch {
    // There is no such object now, or there are several.
    return undefined;
  }
}
