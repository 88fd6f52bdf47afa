import { ByteReader, ByteWriter, MalformedBytes } from '../queue/bytes.js';

/** Data types of metrics that the gateway uses (Sparkplug 3.0 §6.4.16). */
export const dataType = { int32: 3, int64: 4, double: 10, boolean: 11, string: 12 } as const;

/** A value as the bytes have it. */
export type MetricValue =
  | { readonly kind: 'int'; readonly value: number }
  | { readonly kind: 'long'; readonly value: bigint }
  | { readonly kind: 'float' | 'double'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'string'; readonly value: string };

/** A metric of a payload. A field that is undefined is absent. */
export interface Metric {
  readonly name?: string | undefined;
  readonly alias?: number | undefined;
  /** Unix milliseconds. */
  readonly timestamp?: number | undefined;
  readonly dataType?: number | undefined;
  readonly isHistorical?: boolean | undefined;
  readonly isNull?: boolean | undefined;
  /** The quality code of the property Quality: 0 bad, 192 good, 500 stale. */
  readonly quality?: number | undefined;
  readonly value?: MetricValue | undefined;
}

export interface Payload {
  readonly timestamp?: number | undefined;
  readonly seq?: number | undefined;
  readonly metrics: readonly Metric[];
}

/** Wire types of Protocol Buffers. */
const wire = { varint: 0, fixed64: 1, bytes: 2, fixed32: 5 } as const;

/** Field numbers of the messages of Sparkplug B. */
const payloadField = { timestamp: 1, metrics: 2, seq: 3 } as const;
const metricField = {
  name: 1,
  alias: 2,
  timestamp: 3,
  dataType: 4,
  isHistorical: 5,
  isNull: 7,
  properties: 9,
  int: 10,
  long: 11,
  float: 12,
  double: 13,
  boolean: 14,
  string: 15,
} as const;
const propertiesField = { keys: 1, values: 2 } as const;
const propertyField = { type: 1, int: 3 } as const;

const QUALITY = 'Quality';
/** A command with more metrics is not from a host. */
const METRIC_LIMIT = 10_000;

export function encodePayload({ timestamp, seq, metrics }: Payload): Buffer {
  const writer = new ByteWriter();
  if (timestamp !== undefined) writeNumber(writer, payloadField.timestamp, timestamp);
  for (const metric of metrics) writeBlock(writer, payloadField.metrics, encodeMetric(metric));
  if (seq !== undefined) writeNumber(writer, payloadField.seq, seq);
  return Buffer.from(writer.written);
}

function encodeMetric(metric: Metric): Buffer {
  const writer = new ByteWriter();
  const { name, alias, timestamp, dataType: type, isHistorical, isNull, quality, value } = metric;
  if (name !== undefined) writeBlock(writer, metricField.name, Buffer.from(name));
  if (alias !== undefined) writeNumber(writer, metricField.alias, alias);
  if (timestamp !== undefined) writeNumber(writer, metricField.timestamp, timestamp);
  if (type !== undefined) writeNumber(writer, metricField.dataType, type);
  if (isHistorical === true) writeNumber(writer, metricField.isHistorical, 1);
  if (isNull === true) writeNumber(writer, metricField.isNull, 1);
  if (quality !== undefined) writeBlock(writer, metricField.properties, encodeQuality(quality));
  if (value !== undefined) writeValue(writer, value);
  return writer.written;
}

function encodeQuality(quality: number): Buffer {
  const value = new ByteWriter();
  writeNumber(value, propertyField.type, dataType.int32);
  writeNumber(value, propertyField.int, quality);
  const writer = new ByteWriter();
  writeBlock(writer, propertiesField.keys, Buffer.from(QUALITY));
  writeBlock(writer, propertiesField.values, value.written);
  return writer.written;
}

function writeValue(writer: ByteWriter, value: MetricValue): void {
  switch (value.kind) {
    case 'int':
      return writeNumber(writer, metricField.int, value.value >>> 0);
    case 'long':
      writeTag(writer, metricField.long, wire.varint);
      return writer.bigVarint(value.value);
    case 'float':
      writeTag(writer, metricField.float, wire.fixed32);
      return writer.float32(value.value);
    case 'double':
      writeTag(writer, metricField.double, wire.fixed64);
      return writer.float64(value.value);
    case 'boolean':
      return writeNumber(writer, metricField.boolean, Number(value.value));
    case 'string':
      return writeBlock(writer, metricField.string, Buffer.from(value.value));
  }
}

function writeTag(writer: ByteWriter, field: number, type: number): void {
  writer.varint(field * 8 + type);
}

function writeNumber(writer: ByteWriter, field: number, value: number): void {
  writeTag(writer, field, wire.varint);
  writer.varint(value);
}

function writeBlock(writer: ByteWriter, field: number, bytes: Uint8Array): void {
  writeTag(writer, field, wire.bytes);
  writer.block(bytes);
}

/** Decodes a payload; undefined if the bytes are none. Fields that the gateway does not use are skipped. */
export function decodePayload(bytes: Buffer): Payload | undefined {
  try {
    const metrics: Metric[] = [];
    const payload: { timestamp?: number; seq?: number } = {};
    for (const field of fieldsOf(bytes)) {
      if (field.number === payloadField.timestamp) payload.timestamp = numberOf(field);
      if (field.number === payloadField.seq) payload.seq = numberOf(field);
      if (field.number === payloadField.metrics) metrics.push(decodeMetric(blockOf(field)));
      if (metrics.length > METRIC_LIMIT) return undefined;
    }
    return { ...payload, metrics };
  } catch (thrown) {
    if (thrown instanceof MalformedBytes) return undefined;
    throw thrown;
  }
}

function decodeMetric(bytes: Buffer): Metric {
  const metric: { -readonly [name in keyof Metric]: Metric[name] } = {};
  for (const field of fieldsOf(bytes))
    switch (field.number) {
      case metricField.name:
        metric.name = blockOf(field).toString();
        break;
      case metricField.alias:
        metric.alias = numberOf(field);
        break;
      case metricField.timestamp:
        metric.timestamp = numberOf(field);
        break;
      case metricField.dataType:
        metric.dataType = numberOf(field);
        break;
      case metricField.isHistorical:
        metric.isHistorical = numberOf(field) !== 0;
        break;
      case metricField.isNull:
        metric.isNull = numberOf(field) !== 0;
        break;
      case metricField.properties:
        metric.quality = decodeQuality(blockOf(field));
        break;
      default:
        metric.value = decodeValue(field) ?? metric.value;
    }
  return metric;
}

function decodeQuality(bytes: Buffer): number | undefined {
  const keys: string[] = [];
  const values: (number | undefined)[] = [];
  for (const field of fieldsOf(bytes)) {
    if (field.number === propertiesField.keys) keys.push(blockOf(field).toString());
    if (field.number !== propertiesField.values) continue;
    const int = [...fieldsOf(blockOf(field))].find(({ number }) => number === propertyField.int);
    values.push(int === undefined ? undefined : numberOf(int));
  }
  return values[keys.indexOf(QUALITY)];
}

function decodeValue(field: Field): MetricValue | undefined {
  switch (field.number) {
    case metricField.int:
      return { kind: 'int', value: Number(BigInt.asIntN(32, bigOf(field))) };
    case metricField.long:
      return { kind: 'long', value: BigInt.asIntN(64, bigOf(field)) };
    case metricField.float:
      return { kind: 'float', value: fixedOf(field, 4).readFloatLE() };
    case metricField.double:
      return { kind: 'double', value: fixedOf(field, 8).readDoubleLE() };
    case metricField.boolean:
      return { kind: 'boolean', value: bigOf(field) !== 0n };
    case metricField.string:
      return { kind: 'string', value: blockOf(field).toString() };
    default:
      return undefined;
  }
}

interface Field {
  readonly number: number;
  /** A varint, or the bytes of the other types. */
  readonly content: bigint | Buffer;
}

function* fieldsOf(bytes: Buffer): Generator<Field> {
  const reader = new ByteReader(bytes);
  while (!reader.isAtEnd) {
    const tag = reader.varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case wire.varint:
        yield { number, content: reader.bigVarint() };
        break;
      case wire.fixed64:
        yield { number, content: reader.bytes(8) };
        break;
      case wire.bytes:
        yield { number, content: reader.block() };
        break;
      case wire.fixed32:
        yield { number, content: reader.bytes(4) };
        break;
      default:
        throw new MalformedBytes('an unknown wire type');
    }
  }
}

function bigOf({ content }: Field): bigint {
  if (typeof content === 'bigint') return content;
  throw new MalformedBytes('a field is not a number');
}

function numberOf(field: Field): number {
  const value = Number(bigOf(field));
  if (Number.isSafeInteger(value)) return value;
  throw new MalformedBytes('a number is too large');
}

function blockOf({ content }: Field): Buffer {
  if (typeof content !== 'bigint') return content;
  throw new MalformedBytes('a field has no bytes');
}

function fixedOf(field: Field, length: number): Buffer {
  const bytes = blockOf(field);
  if (bytes.length === length) return bytes;
  throw new MalformedBytes('a number has another length');
}
