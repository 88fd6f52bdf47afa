import { coded } from '../../src/base/codes/coded-text.js';
import { isUtf8 } from 'node:buffer';
import type { Packet } from 'mqtt';
import { checkProperties } from './packet-properties.js';
import { protocolError, reasonCode } from './protocol-error.js';

/** Packet types (MQTT 5 §2.1.2) that a broker may send. */
const packetType = {
  connack: 2,
  publish: 3,
  puback: 4,
  pubrec: 5,
  pubrel: 6,
  pubcomp: 7,
  suback: 9,
  unsuback: 11,
  pingresp: 13,
  disconnect: 14,
  auth: 15,
} as const;

/**
 * Limit of QoS 2 messages that a broker has sent but not yet released. An MQTT 5 broker receives a lower
 * limit; an MQTT 3.1.1 broker has a limit of its own (20 in mosquitto) or none.
 */
const MAX_UNRELEASED_MESSAGES = 10_000;

/** Limit of their total size, which protects the memory of a small machine. */
const MAX_UNRELEASED_BYTES = 32 * 1024 * 1024;

/** An acknowledgement with this reason code, or a higher one, ends the exchange (MQTT 5 §4.13.2). */
const FAILURE = 0x80;

/** Packet identifiers are two bytes long. */
const IDENTIFIERS = 65_535;

/**
 * Tracks the state of one connection and rejects packets that a broker must not send. The package `mqtt`
 * answers or ignores many of them, each at a cost, so a broker could exhaust the memory or the processor.
 */
export class PacketChecker {
  readonly #version: 4 | 5;
  readonly #isClean: boolean;
  #isConnected = false;
  /** The broker resumed our session: it may continue exchanges of an earlier connection. */
  #isResumed = false;
  #isEnded = false;
  /** The highest granted QoS; messages must not exceed it [MQTT-3.8.4-6]. */
  #granted = 0;
  /** The packet type that each of our packet identifiers waits for. */
  readonly #expected = new Map<number, number>();
  /** The requested QoS of each filter of each SUBSCRIBE in flight. */
  readonly #requestedQos = new Map<number, readonly number[]>();
  /** The size of each unreleased QoS 2 message, by packet identifier. */
  readonly #unreleased = new Map<number, number>();
  #unreleasedBytes = 0;
  /** 1 for each released identifier: some brokers repeat a PUBREL if the reply is late. */
  readonly #wasReleased = new Uint8Array(IDENTIFIERS + 1);
  /** Number of PUBRELs without a message. */
  #emptyReleases = 0;
  #pings = 0;

  constructor({ version, cleanSession }: { readonly version: 4 | 5; readonly cleanSession: boolean }) {
    this.#version = version;
    this.#isClean = cleanSession;
  }

  /** True after a DISCONNECT; packets after it must not be processed. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Records a packet that is being sent. */
  sent(packet: Packet): void {
    const id = packet.messageId ?? 0;
    switch (packet.cmd) {
      case 'publish':
        if (packet.qos > 0) this.#expected.set(id, packet.qos === 1 ? packetType.puback : packetType.pubrec);
        break;
      case 'pubrel':
        this.#expected.set(id, packetType.pubcomp);
        break;
      case 'subscribe':
        this.#expected.set(id, packetType.suback);
        this.#requestedQos.set(
          id,
          packet.subscriptions.map(({ qos }) => qos),
        );
        break;
      case 'unsubscribe':
        this.#expected.set(id, packetType.unsuback);
        break;
      case 'pingreq':
        this.#pings += 1;
        break;
      default:
    }
  }

  /** Checks a received packet; throws a protocol error. */
  check(packet: Buffer): void {
    const kind = (packet[0] ?? 0) >> 4;
    let body = 2;
    while ((packet[body - 1] ?? 0) >= 0x80) body += 1;
    if (!this.#isConnected && kind !== packetType.connack && kind !== packetType.auth)
      throw protocolError(coded`NO_CONNACK_FIRST: the first packet is not a CONNACK`);
    switch (kind) {
      case packetType.connack:
        this.#isConnected = true;
        this.#isResumed = !this.#isClean && ((packet[body] ?? 0) & 1) === 1;
        this.#checkProperties(packet, body + 2);
        return;
      case packetType.publish:
        return this.#checkPublish(packet, body);
      case packetType.puback:
      case packetType.pubrec:
      case packetType.pubcomp:
        this.#checkProperties(packet, body + 3);
        return this.#checkAcknowledgement(kind, packet, body);
      case packetType.suback:
        return this.#checkSuback(packet, body);
      case packetType.unsuback:
        this.#checkProperties(packet, body + 2);
        return this.#checkAcknowledgement(kind, packet, body);
      case packetType.pubrel:
        this.#checkProperties(packet, body + 3);
        return this.#checkRelease(identifier(packet, body));
      case packetType.pingresp:
        if (this.#pings === 0)
          throw protocolError(coded`PINGRESP_WITHOUT_PINGREQ: a PINGRESP without a PINGREQ`);
        this.#pings -= 1;
        return;
      case packetType.disconnect:
        if (this.#version !== 5) break;
        this.#checkProperties(packet, body + 1);
        this.#isEnded = true;
        return;
      case packetType.auth:
        this.#checkProperties(packet, body + 1);
        return;
      default:
    }
    throw protocolError(coded`PACKET_TYPE_BROKER: a packet of type ${kind}, which a broker must not send`);
  }

  #checkPublish(packet: Buffer, body: number): void {
    const qos = ((packet[0] ?? 0) >> 1) & 3;
    const length = body + 2 <= packet.length ? packet.readUInt16BE(body) : packet.length;
    let at = body + 2 + length;
    if (at > packet.length) throw malformed();
    const topic = packet.subarray(body + 2, at);
    if (!isUtf8(topic) || topic.includes(0))
      throw protocolError(coded`TOPIC_NOT_UTF8: a topic is not UTF-8`, reasonCode.malformed);
    if (topic.includes('+') || topic.includes('#'))
      throw protocolError(coded`TOPIC_CONTAINS_WILDCARDS: a topic contains wildcards`);
    if (topic.length === 0 && this.#version === 4)
      throw protocolError(coded`MESSAGE_TOPIC_EMPTY: a topic is empty`);
    const id = qos === 0 ? 0 : identifier(packet, at);
    if (qos > 0) at += 2;
    if (this.#version === 5) checkProperties(packet, at, true);
    // aedes sends retained messages with the QoS they were published with, not the granted one.
    const isRetained = ((packet[0] ?? 0) & 1) === 1;
    if (!isRetained && qos > this.#maxQos())
      throw protocolError(
        coded`QOS_NOT_GRANTED: a message with QoS ${qos}, which was not granted`,
        reasonCode.qos,
      );
    if (qos === 2) this.#trackUnreleased(id, packet.length);
  }

  #trackUnreleased(id: number, bytes: number): void {
    this.#unreleasedBytes += bytes - (this.#unreleased.get(id) ?? 0);
    this.#unreleased.set(id, bytes);
    if (this.#unreleased.size > MAX_UNRELEASED_MESSAGES || this.#unreleasedBytes > MAX_UNRELEASED_BYTES)
      throw protocolError(coded`TOO_MANY_UNRELEASED: too many unreleased QoS 2 messages`, reasonCode.quota);
  }

  #checkRelease(id: number): void {
    const bytes = this.#unreleased.get(id);
    if (bytes !== undefined) {
      this.#unreleased.delete(id);
      this.#unreleasedBytes -= bytes;
      this.#wasReleased[id] = 1;
      return;
    }
    const mayRelease = this.#isResumed || this.#wasReleased[id] === 1;
    if (mayRelease && this.#emptyReleases < IDENTIFIERS) this.#emptyReleases += 1;
    else throw protocolError(coded`PUBREL_WITHOUT_MESSAGE: a PUBREL without its message`);
  }

  #checkAcknowledgement(kind: number, packet: Buffer, body: number): void {
    const id = identifier(packet, body);
    if (this.#expected.get(id) !== kind)
      throw protocolError(coded`ACKNOWLEDGEMENT_NOT_SENT: an acknowledgement of a packet that was not sent`);
    this.#expected.delete(id);
    const code = packet[body + 2] ?? 0;
    if (kind === packetType.pubrec && (this.#version === 4 || code < FAILURE))
      this.#expected.set(id, packetType.pubcomp);
  }

  #checkSuback(packet: Buffer, body: number): void {
    const id = identifier(packet, body);
    const codes = this.#version === 5 ? checkProperties(packet, body + 2, false) : body + 2;
    this.#checkAcknowledgement(packetType.suback, packet, body);
    const count = this.#requestedQos.get(id)?.length;
    this.#requestedQos.delete(id);
    if (packet.length - codes !== count)
      throw protocolError(coded`SUBACK_WRONG_NUMBER: a SUBACK with a wrong number of reason codes`);
    for (const code of packet.subarray(codes)) if (code <= 2 && code > this.#granted) this.#granted = code;
  }

  /**
   * The highest allowed QoS. Requested QoS counts as granted until the broker replies: messages may arrive
   * before the SUBACK.
   */
  #maxQos(): number {
    if (this.#isResumed) return 2;
    return Math.max(this.#granted, ...[...this.#requestedQos.values()].flat());
  }

  /** Checks the properties, which a packet may omit. */
  #checkProperties(packet: Buffer, at: number): void {
    if (this.#version === 5 && at < packet.length) checkProperties(packet, at, false);
  }
}

function identifier(packet: Buffer, at: number): number {
  const id = at + 2 <= packet.length ? packet.readUInt16BE(at) : 0;
  if (id === 0) throw malformed();
  return id;
}

function malformed() {
  return protocolError(coded`PACKET_MALFORMED: a malformed packet`, reasonCode.malformed);
}
