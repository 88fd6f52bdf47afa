import { variableType, type Value, type VariableType } from '../../../src/device/module.js';
import type { TreeGroup } from '../../../src/device/tree-view.js';
import type { Entry, NewEntry } from '../queue/entry.js';
import type { ForwardedVariable } from '../source/value-source.js';
import { dataType, decodePayload, encodePayload, type Metric, type MetricValue } from './payload.js';

const NAMESPACE = 'spBv1.0';
const REBIRTH = 'Node Control/Rebirth';
const BD_SEQ = 'bdSeq';
/** Sequence numbers, and those of connections, are from 0 to 255. */
const SEQUENCE = 256;
/** Quality codes by the quality of a variable: good, stale, bad. */
const QUALITY_CODES = [192, 500, 0] as const;
const BD_SEQ_ALIAS = 1;
const DATA_TYPES = {
  [variableType.boolean]: dataType.boolean,
  [variableType.integer]: dataType.int64,
  [variableType.float]: dataType.double,
  [variableType.string]: dataType.string,
} as const;

export interface NodeMessage {
  readonly topic: string;
  readonly payload: Buffer;
}

/** A metric of a birth certificate. */
interface BornMetric {
  readonly alias: number;
  readonly name: string;
  readonly forwarded: ForwardedVariable;
}

interface Device {
  readonly id: string;
  readonly metrics: readonly BornMetric[];
  isAlive: boolean;
}

/** What the messages of an edge node are made from. */
interface EdgeNodeOptions {
  readonly groupId: string;
  readonly nodeId: string;
  groups(): readonly TreeGroup[];
  atPath(path: string): ForwardedVariable | undefined;
  entryOf(forwarded: ForwardedVariable): NewEntry;
  isAvailable(id: number): boolean;
  nowMs(): number;
}

/** What a command requests. */
interface NodeCommand {
  readonly isRebirth: boolean;
  readonly requests: readonly { readonly variableId: number; readonly value: Value }[];
}

/** The messages of one Sparkplug edge node, in the order in which they are published. */
export class EdgeNode {
  readonly #options: EdgeNodeOptions;
  #bdSeq = SEQUENCE - 1;
  #seq = 0;
  #devices = new Map<string, Device>();
  #byPath = new Map<string, { device: Device; metric: BornMetric }>();

  constructor(options: EdgeNodeOptions) {
    this.#options = options;
  }

  /** The will of the next connection, which gets the next bdSeq. */
  nextWill(): NodeMessage {
    this.#bdSeq = (this.#bdSeq + 1) % SEQUENCE;
    return this.death();
  }

  /** The death certificate of this connection. */
  death(): NodeMessage {
    const timestamp = this.#options.nowMs();
    const payload = encodePayload({ timestamp, metrics: [this.#bdSeqMetric(timestamp)] });
    return { topic: this.#topic('NDEATH'), payload };
  }

  get commandTopic(): string {
    return this.#topic('NCMD');
  }

  /** The command topics of the devices that have outputs. */
  deviceCommandTopics(): string[] {
    return this.#options
      .groups()
      .filter(({ variables }) => variables.some(({ hasAction }) => hasAction))
      .map((group) => this.#topic('DCMD', deviceIdOf(group)));
  }

  /** The birth certificates: of the node, and of all devices that are available. */
  births(): NodeMessage[] {
    this.#seq = 0;
    this.#assignAliases();
    const timestamp = this.#options.nowMs();
    const rebirth: Metric = {
      name: REBIRTH,
      timestamp,
      dataType: dataType.boolean,
      value: { kind: 'boolean', value: false },
    };
    const metrics = [{ ...this.#bdSeqMetric(timestamp), alias: BD_SEQ_ALIAS }, rebirth];
    const node = this.#message(this.#topic('NBIRTH'), metrics);
    const devices = [...this.#devices.values()].filter((device) => this.#isAvailable(device));
    return [node, ...devices.map((device) => this.#deviceBirth(device))];
  }

  /** The death certificates of devices that are not among the forwarded ones any more. */
  removedDevices(): NodeMessage[] {
    const ids = new Set(this.#options.groups().map(deviceIdOf));
    const removed = [...this.#devices.values()].filter(({ id, isAlive }) => isAlive && !ids.has(id));
    return removed.map((device) => this.#deviceDeath(device));
  }

  /**
   * The messages with values, by device; with the birth or death of a device that has become available or
   * unavailable. Values of variables without a birth certificate are in `rejected`.
   */
  data(entries: readonly Entry[], isHistorical: boolean): { messages: NodeMessage[]; rejected: Entry[] } {
    const byDevice = new Map<Device, Metric[]>();
    const rejected: Entry[] = [];
    for (const entry of entries) {
      const born = this.#byPath.get(entry.path);
      if (born === undefined) rejected.push(entry);
      else {
        const metrics = byDevice.get(born.device) ?? [];
        byDevice.set(born.device, metrics);
        metrics.push({ alias: born.metric.alias, ...this.#valueOf(entry), isHistorical });
      }
    }
    const messages = Array.from(byDevice, ([device, metrics]) => this.#deviceData(device, metrics)).flat();
    return { messages, rejected };
  }

  #deviceData(device: Device, metrics: readonly Metric[]): NodeMessage[] {
    // Without a birth certificate there is no data, not even historical data.
    const birth = device.isAlive ? [] : [this.#deviceBirth(device)];
    const data = this.#message(this.#topic('DDATA', device.id), metrics);
    const death = this.#isAvailable(device) ? [] : [this.#deviceDeath(device)];
    return [...birth, data, ...death];
  }

  /** A command for the node or one of its devices; undefined if the message is none. */
  commandOf(topic: string, payload: Buffer): NodeCommand | undefined {
    const decoded = decodePayload(payload);
    if (decoded === undefined) return undefined;
    if (topic === this.commandTopic) {
      const isRebirth = decoded.metrics.some(
        ({ name, value }) => name === REBIRTH && value?.kind === 'boolean' && value.value,
      );
      return { isRebirth, requests: [] };
    }
    const device = [...this.#devices.values()].find(({ id }) => topic === this.#topic('DCMD', id));
    const requests = decoded.metrics.flatMap((metric) => {
      const born = device?.metrics.find(({ name, alias }) =>
        metric.alias === undefined ? name === metric.name : alias === metric.alias,
      );
      const value = born === undefined ? undefined : commandValue(born.forwarded.variable.type, metric.value);
      return born === undefined || value === undefined
        ? []
        : [{ variableId: born.forwarded.variable.id, value }];
    });
    return { isRebirth: false, requests };
  }

  #topic(kind: string, device?: string): string {
    const { groupId, nodeId } = this.#options;
    const node = `${NAMESPACE}/${groupId}/${kind}/${nodeId}`;
    return device === undefined ? node : `${node}/${device}`;
  }

  #message(topic: string, metrics: readonly Metric[]): NodeMessage {
    const seq = this.#seq;
    this.#seq = (seq + 1) % SEQUENCE;
    return { topic, payload: encodePayload({ timestamp: this.#options.nowMs(), seq, metrics }) };
  }

  #bdSeqMetric(timestamp: number): Metric {
    const value = { kind: 'long', value: BigInt(this.#bdSeq) } as const;
    return { name: BD_SEQ, timestamp, dataType: dataType.int64, value };
  }

  #assignAliases(): void {
    this.#devices = new Map();
    this.#byPath = new Map();
    let alias = BD_SEQ_ALIAS;
    for (const group of this.#options.groups()) {
      const names = new Set<string>();
      const metrics = group.variables.flatMap((variable): BornMetric[] => {
        const forwarded = this.#options.atPath(variable.path);
        if (forwarded === undefined) return [];
        const ident = variable.ident === '' ? String(variable.id) : variable.ident;
        // Hosts may compare names without case.
        const name = names.has(ident.toLowerCase()) ? `${ident}_${variable.id}` : ident;
        names.add(name.toLowerCase());
        return [{ alias: ++alias, name, forwarded }];
      });
      const device: Device = { id: deviceIdOf(group), metrics, isAlive: false };
      this.#devices.set(device.id, device);
      for (const metric of metrics) this.#byPath.set(metric.forwarded.variable.path, { device, metric });
    }
  }

  #deviceBirth(device: Device): NodeMessage {
    device.isAlive = true;
    const metrics = device.metrics.map(({ name, alias, forwarded }): Metric => {
      const entry = this.#options.entryOf(forwarded);
      return { name, alias, dataType: DATA_TYPES[forwarded.variable.type], ...this.#valueOf(entry) };
    });
    return this.#message(this.#topic('DBIRTH', device.id), metrics);
  }

  #deviceDeath(device: Device): NodeMessage {
    device.isAlive = false;
    return this.#message(this.#topic('DDEATH', device.id), []);
  }

  /** A device is unavailable while all its variables are; the state of its connection is known even then. */
  #isAvailable({ metrics }: Device): boolean {
    const own = metrics.filter(({ forwarded }) => forwarded.variable.role !== 'diagnostic');
    return (own.length > 0 ? own : metrics).some(({ forwarded }) =>
      this.#options.isAvailable(forwarded.variable.id),
    );
  }

  #valueOf({ value, type, quality, atMs }: NewEntry): Metric {
    return {
      timestamp: atMs > 0 ? Math.round(atMs) : this.#options.nowMs(),
      quality: QUALITY_CODES[quality],
      ...(value === undefined ? { isNull: true } : { value: metricValue(type, value) }),
    };
  }
}

/** `hall/lamps` becomes `hall.lamps`: a device id must not contain a slash; idents contain no dots. */
const deviceIdOf = ({ path }: TreeGroup): string => path.replaceAll('/', '.');

function metricValue(type: VariableType, value: Value): MetricValue {
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'string') return { kind: 'string', value };
  return type === variableType.integer ? { kind: 'long', value: BigInt(value) } : { kind: 'double', value };
}

/** The value for a variable of this type; undefined if it is of another one. */
function commandValue(type: VariableType, value: MetricValue | undefined): Value | undefined {
  if (value === undefined) return undefined;
  if (type === variableType.boolean) return value.kind === 'boolean' ? value.value : undefined;
  if (type === variableType.string) return value.kind === 'string' ? value.value : undefined;
  if (value.kind === 'boolean' || value.kind === 'string') return undefined;
  const number = Number(value.value);
  if (!Number.isFinite(number)) return undefined;
  return type === variableType.integer && !Number.isSafeInteger(number) ? undefined : number;
}
