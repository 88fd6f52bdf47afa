import type { Histogram } from '../base/metrics/histogram.js';
import type { Devices } from '../device/devices.js';
import type { Instance } from '../kernel/instances.js';
import { instanceStatus } from '../kernel/instances.js';
import type { Kernel } from '../kernel/kernel.js';
import { objectType, type TreeObject } from '../kernel/object.js';
import {
  counter,
  gauge,
  type HistogramFamily,
  type MetricFamily,
  type Sample,
} from '../service/metrics/exposition.js';

/** What a bridge reports about the queue of one priority (`HW_GetKnownDevices`). */
interface QueueRecord {
  readonly Priority: string;
  readonly Waiting: number;
  readonly Bytes: number;
  readonly OldestS: number;
  readonly Attempts: number;
  readonly Sent: number;
  readonly Dropped: Readonly<Record<string, number>>;
}

const MIB = 1024 * 1024;

interface DeviceMetricsContext {
  readonly kernel: Kernel;
  readonly devices: Devices;
}

/** The path of an object from the root, by idents where there are some, as calls accept it. */
export function pathOf(object: TreeObject): string {
  const steps: string[] = [];
  for (let one = object; one.parent !== null; one = one.parent)
    steps.unshift(one.ident === '' ? one.displayName : one.ident);
  return steps.join('/');
}

/** Metrics of instances: connections, commands, inputs, MQTT and the queues of bridges. */
export function* deviceFamilies({
  kernel,
  devices,
}: DeviceMetricsContext): Generator<MetricFamily | HistogramFamily> {
  const instances = [...kernel.tree.objectsOfType(objectType.instance)];
  yield* connectionFamilies(kernel, devices);
  yield* inputFamilies(instances);
  yield gauge(
    'mqtt_connected',
    '1 if the instance is connected to its broker.',
    instances.filter(isMqttConnection).map((one): Sample => [Number(isConnected(one)), labelsOf(one)]),
  );
  yield* queueFamilies(instances, devices);
}

function* connectionFamilies(kernel: Kernel, devices: Devices): Generator<MetricFamily | HistogramFamily> {
  const reconnects: Sample[] = [];
  const actions: Sample[] = [];
  const errors: Sample[] = [];
  const messages: Sample[] = [];
  const polls: [Histogram, Record<string, string>][] = [];
  for (const { id, statistics } of devices.latencies()) {
    const instance = kernel.tree.find(id);
    if (!instance?.is(objectType.instance)) continue;
    const labels = { instance: pathOf(instance) };
    const { openings, command } = statistics;
    reconnects.push([Math.max(0, openings - 1), labels]);
    for (const [reason, count] of statistics.errors) errors.push([count, { ...labels, reason }]);
    if (statistics.polls !== undefined) polls.push([statistics.polls, labels]);
    if (isMqttConnection(instance))
      for (const direction of ['received', 'sent'] as const)
        for (const qos of [0, 1, 2])
          messages.push([
            statistics.messages?.[direction][qos] ?? 0,
            { ...labels, direction, qos: String(qos) },
          ]);
    if (command.count === 0) continue;
    actions.push([command.count - command.failures, { ...labels, result: 'ok' }]);
    actions.push([command.failures, { ...labels, result: 'failed' }]);
  }
  yield counter(
    'instance_reconnects_total',
    'How often the instance went online again since it was opened first.',
    reconnects,
  );
  yield counter(
    'driver_errors_total',
    'Failed openings, lost connections, failed commands and problems of the driver, by code.',
    errors,
  );
  yield counter('actions_total', 'Commands to the instance, by result.', actions);
  yield {
    name: 'stellwerk_action_duration_seconds',
    help: 'How long devices took to accept or reject a command.',
    series: [[devices.commandDurations, {}]],
  };
  yield {
    name: 'stellwerk_driver_poll_duration_seconds',
    help: 'How long a poll of the instance took, with the wait for its bus.',
    series: polls,
  };
  yield counter('mqtt_messages_total', 'MQTT messages by direction and quality of service.', messages);
}

/** The counters of inputs are variables, which the gateway keeps over restarts. */
function* inputFamilies(instances: readonly Instance[]): Generator<MetricFamily> {
  const samples = (ident: string): Sample[] =>
    instances.flatMap((instance) => {
      const variable = instance.children?.byIdent(ident);
      const isInput = instance.children?.byIdent('LOST') !== undefined;
      if (!isInput || !variable?.is(objectType.variable) || typeof variable.data.value !== 'number')
        return [];
      return [[variable.data.value, { instance: pathOf(instance), ident }] as const];
    });
  yield counter('input_edges_total', 'Edges that the input has counted.', samples('COUNT'));
  yield counter('input_edges_lost_total', 'Edges of the input that the kernel has dropped.', samples('LOST'));
}

function* queueFamilies(instances: readonly Instance[], devices: Devices): Generator<MetricFamily> {
  const queues = instances.filter(isBridge).flatMap((instance) => {
    const target = pathOf(instance);
    return isOnline(instance)
      ? (devices.knownDevices(instance.id) as QueueRecord[]).map((record) => ({ target, record }))
      : [];
  });
  const of = (value: (record: QueueRecord) => number): Sample[] =>
    queues.map(({ target, record }) => [value(record), { target, priority: record.Priority }]);
  yield gauge(
    'forward_queue_messages',
    'Values that wait to be forwarded.',
    of(({ Waiting }) => Waiting),
  );
  yield gauge(
    'forward_queue_bytes',
    'Bytes of values that wait to be forwarded.',
    of(({ Bytes }) => Bytes),
  );
  yield gauge(
    'forward_queue_oldest_seconds',
    'Age of the oldest value that waits.',
    of(({ OldestS }) => OldestS),
  );
  const capacities = instances.filter(isBridge).flatMap((instance): Sample[] => {
    const maxMib = instance.data.properties['MaxMiB'];
    return typeof maxMib === 'number' ? [[maxMib * MIB, { target: pathOf(instance) }]] : [];
  });
  yield gauge('forward_queue_capacity_bytes', 'Bytes of values that the queue can hold.', capacities);
  yield counter(
    'forward_sent_total',
    'Values that were passed to the receiver, each time that they were.',
    of(({ Attempts }) => Attempts),
  );
  yield counter(
    'forward_acknowledged_total',
    'Values that the receiver has acknowledged.',
    of(({ Sent }) => Sent),
  );
  yield counter(
    'forward_dropped_total',
    'Values that were dropped, by reason.',
    queues.flatMap(({ target, record }) =>
      Object.entries(record.Dropped).map(([reason, count]): Sample => [
        count,
        { target, priority: record.Priority, reason },
      ]),
    ),
  );
}

const labelsOf = (instance: Instance): Record<string, string> => ({ instance: pathOf(instance) });

const isOnline = ({ data }: Instance): boolean => data.status === instanceStatus.active;

const MQTT_BRIDGES: readonly string[] = ['MQTT Bridge', 'Sparkplug Edge Node'];
const BRIDGES: readonly string[] = [...MQTT_BRIDGES, 'Line Protocol Bridge'];

const isBridge = ({ data }: Instance): boolean => BRIDGES.includes(data.moduleName);

const isMqttConnection = ({ data }: Instance): boolean =>
  data.moduleName === 'MQTT Client' || MQTT_BRIDGES.includes(data.moduleName);

function isConnected(instance: Instance): boolean {
  const connected = instance.children?.byIdent('CONNECTED');
  return isOnline(instance) && (!connected?.is(objectType.variable) || connected.data.value === true);
}
