import { CountedDispatcher } from '../api/rpc/counted-dispatcher.js';
import type { Dispatcher } from '../api/rpc/dispatcher.js';
import type { Monitoring, Readiness } from '../api/web/monitoring-routes.js';
import type { Clock } from '../base/clock.js';
import type { HealthState } from '../base/health-check.js';
import { Histogram } from '../base/metrics/histogram.js';
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
  counter,
  expositionOf,
  gauge,
  type HistogramFamily,
  type MetricFamily,
  type Sample,
} from '../service/metrics/exposition.js';
import { ProcessMetrics } from '../service/metrics/process-metrics.js';
import type { Store } from '../store/store.js';
import type { LazyArchive } from './archive.js';
import { deviceFamilies, pathOf } from './device-metrics.js';

interface MetricsContext {
  readonly kernel: Kernel;
  readonly devices: Devices;
  readonly clock: Clock;
  readonly health: Health;
  readonly version: string;
  readonly store: Pick<Store, 'figures'>;
  readonly archive: Pick<LazyArchive, 'figures'>;
  readonly connections: () => Pick<ConnectionsPort, 'sockets' | 'figures'> | undefined;
  /** Paths of the variables whose values are published. */
  readonly values: () => readonly string[];
}

const STATE_VALUES: Readonly<Record<HealthState, number>> = { ok: 0, warning: 1, failed: 2 };
/** The numbers of `quality`; that of 0 is good. */
const QUALITY_NAMES = ['good', 'stale', 'bad'] as const;
/** The writers of the store, as they are shown. */
const WRITERS: Readonly<Record<string, string>> = { store: 'state' };

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
    const { clock, health, version } = this.#context;
    this.#process ??= new ProcessMetrics();
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
    yield* this.#tree();
    yield* deviceFamilies(this.#context);
    yield* this.#storage();
    yield* this.#clients();
    yield counter(
      'rpc_requests_total',
      'Calls by function and result since metrics were configured.',
      [...this.#calls].flatMap(([method, codes]) =>
        Array.from(codes, ([code, count]): Sample => [count, { method, code }]),
      ),
    );
    yield {
      name: 'stellwerk_rpc_duration_seconds',
      help: 'Duration of calls by function.',
      series: Array.from(this.#durations, ([method, histogram]) => [histogram, { method }] as const),
    };
  }

  /** The database, the archive and the disk. */
  *#storage(): Generator<MetricFamily | HistogramFamily> {
    const { archive, store } = this.#context;
    const { auditRecords, commits, written } = store.figures;
    yield {
      name: 'stellwerk_state_fsync_seconds',
      help: 'Duration of a commit of the database, until it is on the disk.',
      series: commits === undefined ? [] : [[commits, {}]],
    };
    const { records = 0, failures = 0 } = archive.figures ?? {};
    yield counter('archive_rows_total', 'Records that the archive has written.', [[records]]);
    yield counter('archive_write_errors_total', 'Writes of the archive that failed.', [[failures]]);
    yield counter(
      'disk_written_bytes_total',
      'Bytes written to the disk, by what wrote them.',
      Array.from(written, ([writer, bytes]): Sample => [bytes, { kind: WRITERS[writer] ?? writer }]),
    );
    yield counter('audit_events_total', 'Records of the audit log.', [[auditRecords]]);
  }

  /** WebSocket clients and rejected requests. */
  *#clients(): Generator<MetricFamily | HistogramFamily> {
    const connections = this.#context.connections();
    const sockets = connections?.sockets() ?? [];
    yield gauge('ws_clients', 'WebSocket clients.', [[sockets.length]]);
    yield gauge('ws_waiting_bytes', 'Bytes that wait to be sent to WebSocket clients.', [
      [sockets.reduce((sum, { bytes }) => sum + bytes, 0)],
    ]);
    if (connections === undefined) return;
    const { authFailures, edgeToPush, losses } = connections.figures();
    yield counter('ws_coalesced_total', 'Updates that a newer one has replaced before they were sent.', [
      [losses.coalesced],
    ]);
    yield counter('ws_dropped_total', 'Messages that were dropped with the session of a slow client.', [
      [losses.dropped],
    ]);
    yield {
      name: 'stellwerk_edge_to_push_seconds',
      help: 'From an edge of an input to the write to the WebSocket clients.',
      series: [[edgeToPush, {}]],
    };
    yield counter(
      'auth_failures_total',
      'Rejected requests: wrong passwords, foreign hosts and origins.',
      Object.entries(authFailures).map(([reason, count]): Sample => [count, { reason }]),
    );
  }

  *#tree(): Generator<MetricFamily> {
    const { tree } = this.#context.kernel;
    const instances: Sample[] = [];
    for (const instance of tree.objectsOfType(objectType.instance))
      instances.push([
        Number(instance.data.status === instanceStatus.active),
        { instance: pathOf(instance), module: instance.data.moduleName },
      ]);
    yield gauge('instance_up', '1 if the instance works.', instances);
    let count = 0;
    const byQuality = [0, 0, 0];
    for (const { data } of tree.objectsOfType(objectType.variable)) {
      const state = data.qualityProblem?.state ?? 0;
      count += 1;
      byQuality[state] = (byQuality[state] ?? 0) + 1;
    }
    yield gauge('variables', 'Variables of the tree.', [[count]]);
    yield gauge(
      'variables_bad',
      'Variables whose value is not good, by its quality.',
      QUALITY_NAMES.slice(1).map((quality, n): Sample => [byQuality[n + 1] ?? 0, { quality }]),
    );
    yield gauge('variable_value', 'The value of a variable of metrics.values.', [...this.#values()]);
  }

  /** Numbers and booleans of the configured variables; paths without one are left out. */
  *#values(): Generator<Sample> {
    const { kernel, values } = this.#context;
    for (const path of values()) {
      const object = find(kernel, path);
      if (!object?.is(objectType.variable) || typeof object.data.value === 'string') continue;
      const { value, customProfile, profile } = object.data;
      const unit = kernel.profiles.find(customProfile || profile)?.suffix.trim() ?? '';
      yield [Number(value), { path, unit }];
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
