import { coded } from '../../src/base/codes/coded-text.js';
import { isUtf8 } from 'node:buffer';
import { protocolError, reasonCode } from './protocol-error.js';

/** Longest properties of one packet, bytes: user properties are small, and the parser keeps each of them. */
const PROPERTIES_LIMIT = 64 * 1024;

/** Encoding of a property value (MQTT 5 §2.2.2.2); `flag` is a byte that must be 0 or 1. */
type Encoding = 'flag' | 'u16' | 'u32' | 'varint' | 'binary' | 'text' | 'pair';

const ENCODINGS: Readonly<Partial<Record<number, Encoding>>> = {
  0x01: 'flag',
  0x02: 'u32',
  0x03: 'text',
  0x08: 'text',
  0x09: 'binary',
  0x0b: 'varint',
  0x11: 'u32',
  0x12: 'text',
  0x13: 'u16',
  0x15: 'text',
  0x16: 'binary',
  0x17: 'flag',
  0x18: 'u32',
  0x19: 'flag',
  0x1a: 'text',
  0x1c: 'text',
  0x1f: 'text',
  0x21: 'u16',
  0x22: 'u16',
  0x23: 'u16',
  0x24: 'flag',
  0x25: 'flag',
  0x26: 'pair',
  0x27: 'u32',
  0x28: 'flag',
  0x29: 'flag',
  0x2a: 'flag',
};

const SUBSCRIPTION_IDENTIFIER = 0x0b;
const USER_PROPERTY = 0x26;

/**
 * Receive Maximum, Topic Alias, Maximum Packet Size, Subscription Identifier: 0 is a protocol error for each.
 */
const NEVER_ZERO: readonly number[] = [0x21, 0x23, 0x27, SUBSCRIPTION_IDENTIFIER];

/**
 * Checks the properties that begin at `at`: they must be known and well formed, and only user properties and
 * the subscription identifiers of a PUBLISH may be repeated (MQTT 5 §2.2.2.2). Returns the offset of their
 * end; throws a protocol error.
 */
export function checkProperties(packet: Buffer, at: number, isPublish: boolean): number {
  const reader = new Reader(packet, at, packet.length);
  const length = reader.varint();
  if (length > PROPERTIES_LIMIT)
    throw protocolError(
      coded`PACKET_TOO_MANY_PROPERTIES: a packet has too many properties`,
      reasonCode.quota,
    );
  const end = reader.at + length;
  if (end > packet.length) throw malformed();
  const properties = new Reader(packet, reader.at, end);
  const seen = new Set<number>();
  while (properties.at < end) {
    const id = properties.varint();
    const encoding = ENCODINGS[id];
    if (encoding === undefined) throw malformed();
    const mayRepeat = id === USER_PROPERTY || (isPublish && id === SUBSCRIPTION_IDENTIFIER);
    if (seen.has(id) && !mayRepeat) throw protocolError(coded`PROPERTY_REPEATED: a property is repeated`);
    seen.add(id);
    const value = properties.value(encoding);
    if (value === 0 && NEVER_ZERO.includes(id))
      throw protocolError(coded`PROPERTY_ZERO: a property is 0 that must not be 0`);
  }
  return end;
}

function malformed() {
  return protocolError(
    coded`PROPERTIES_MALFORMED: the properties of a packet are malformed`,
    reasonCode.malformed,
  );
}

class Reader {
  at: number;
  readonly #bytes: Buffer;
  readonly #end: number;

  constructor(bytes: Buffer, at: number, end: number) {
    this.#bytes = bytes;
    this.at = at;
    this.#end = end;
  }

  /** Reads a value; returns it if it is a number, otherwise undefined. */
  value(encoding: Encoding): number | undefined {
    switch (encoding) {
      case 'flag': {
        const flag = this.#number(1);
        if (flag > 1) throw protocolError(coded`PROPERTY_NEITHER_0_NOR_1: a property is neither 0 nor 1`);
        return flag;
      }
      case 'u16':
        return this.#number(2);
      case 'u32':
        return this.#number(4);
      case 'varint':
        return this.varint();
      case 'binary':
        this.#take(this.#number(2));
        return undefined;
      case 'text':
        this.#text();
        return undefined;
      case 'pair':
        this.#text();
        this.#text();
        return undefined;
    }
  }

  varint(): number {
    let value = 0;
    for (let index = 0; index < 4; index++) {
      const byte = this.#number(1);
      value += (byte & 0x7f) * 128 ** index;
      if (byte < 0x80) return value;
    }
    throw malformed();
  }

  #number(bytes: number): number {
    const start = this.at;
    this.#take(bytes);
    return this.#bytes.readUIntBE(start, bytes);
  }

  #text(): void {
    const length = this.#number(2);
    const start = this.at;
    this.#take(length);
    const text = this.#bytes.subarray(start, this.at);
    if (!isUtf8(text) || text.includes(0))
      throw protocolError(coded`TEXT_NOT_UTF8: a text is not UTF-8`, reasonCode.malformed);
  }

  #take(bytes: number): void {
    this.at += bytes;
    if (this.at > this.#end) throw malformed();
  }
}
