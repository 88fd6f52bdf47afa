import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { fault } from '../../../src/base/fault.js';
import type { Value } from '../../../src/device/module.js';
import { exact } from '../../../src/device/toolkit/reading.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import { decode, encode, rawBits, type RegisterLayout } from '../codec.js';
import type { NoValueWord } from '../maps/map-schema.js';
import type { MapValue, MapWrite } from '../maps/register-map.js';
import { coilRequest, registerRequest, type PduRequest } from '../pdu.js';

/** A value, or why there is none. */
export type Decoded = Value | { readonly unreadable: Text };

/** SunSpec scale factors are powers of ten from -10 to 10; others mean that there is no value. */
const MAX_SCALE_EXPONENT = 10;

const NO_VALUE = coded`NO_VALUE_IN_REGISTER: the device reports that it has no value`;

/** Reads a value from the registers of a request. `scale` is the exponent of its scale factor. */
export function decodeValue(value: MapValue, registers: Buffer, scale: number | undefined): Decoded {
  const { layout, bit, none, scaleAt, offset } = value;
  if (layout === undefined) return ((registers[0] ?? 0) & 1) === 1;
  if (bit !== undefined) return ((rawBits(layout, registers) >> BigInt(bit)) & 1n) === 1n;
  if (none !== undefined && rawBits(layout, registers) === noValueBits(none, layout))
    return { unreadable: NO_VALUE };
  if (scaleAt !== undefined && (scale === undefined || Math.abs(scale) > MAX_SCALE_EXPONENT))
    return { unreadable: NO_VALUE };
  const decoded = decode(scaleAt === undefined ? layout : withScale(layout, scale ?? 0), registers);
  return typeof decoded === 'number' && offset !== 0 ? exact(decoded + offset) : decoded;
}

/** With the factor of the map and the scale factor of the device. */
function withScale(layout: RegisterLayout, scale: number): RegisterLayout {
  return { ...layout, factor: exact(Number(`1e${scale}`) * (layout.factor ?? 1)) };
}

function noValueBits(none: NoValueWord, { registers }: RegisterLayout): bigint {
  const ones = (1n << BigInt(16 * registers)) - 1n;
  switch (none) {
    case 'ones':
      return ones;
    case 'highest':
      return ones >> 1n;
    case 'lowest':
      return (ones >> 1n) + 1n;
    case 'zero':
      return 0n;
  }
}

/** The request for a command, at the start of a SunSpec model or 0. */
export function encodeCommand(
  value: MapValue & { readonly write: MapWrite },
  command: Value,
  { base, scale }: { readonly base: number; readonly scale: number | undefined },
): PduRequest {
  const { layout, write, ident } = value;
  const at = base + write.at;
  if (layout === undefined) return coilRequest(write.code as 5 | 15, at, parseBoolean(command));
  if (typeof command === 'number' && (command < write.min || command > write.max))
    throw fault(
      'CANNOT_CONVERT',
      ident,
      coded`OUT_OF_LIMITS: the map allows ${write.min} to ${write.max}, not ${command}`,
    );
  const scaled = value.scaleAt === undefined ? layout : withScale(layout, scale ?? 0);
  const number = typeof command === 'number' ? exact(command - value.offset) : command;
  return registerRequest(write.code as 6 | 16, at, encode(scaled, number));
}
