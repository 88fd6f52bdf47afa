/** A packet as the broker keeps it: a message, or the second half of the delivery of one with QoS 2. */
export interface StoredPacket {
  cmd: string;
  brokerId: string;
  brokerCounter: number;
  topic: string;
  payload: Buffer;
  qos: 0 | 1 | 2;
  retain: boolean;
  dup: boolean;
  messageId?: number | undefined;
}

/** A message as aedes passes it. */
export interface PassedPacket {
  readonly cmd?: string | undefined;
  readonly brokerId?: string | undefined;
  readonly brokerCounter?: number | undefined;
  readonly topic?: string | undefined;
  readonly payload?: string | Buffer | undefined;
  readonly qos?: 0 | 1 | 2 | undefined;
  readonly retain?: boolean | undefined;
  readonly messageId?: number | undefined;
}

const EMPTY = Buffer.alloc(0);

/** A copy that does not keep the buffer of the network alive. */
export function storedPacketOf(packet: PassedPacket): StoredPacket {
  return {
    cmd: packet.cmd ?? 'publish',
    brokerId: packet.brokerId ?? '',
    brokerCounter: packet.brokerCounter ?? 0,
    topic: packet.topic ?? '',
    payload: packet.payload === undefined ? EMPTY : Buffer.from(packet.payload),
    qos: packet.qos ?? 0,
    retain: packet.retain ?? false,
    dup: false,
    ...(packet.messageId !== undefined && { messageId: packet.messageId }),
  };
}

/** The value of a record: a line of JSON, and the payload. */
export function encodePacket(
  { payload, ...head }: StoredPacket,
  more: Readonly<Record<string, unknown>> = {},
): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...head, ...more })}\n`), payload]);
}

/** Reads what `encodePacket` has written, with what was added. */
export function decodePacket(value: Buffer): StoredPacket & Readonly<Record<string, unknown>> {
  const end = value.indexOf(10);
  const head = JSON.parse(value.toString('utf8', 0, end)) as Omit<StoredPacket, 'payload'>;
  return { ...head, payload: value.subarray(end + 1) };
}
