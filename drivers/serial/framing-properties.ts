import { type Static, Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { enumProperty } from '../../src/device/toolkit/enum-property.js';
import { parseEscapes } from './escape-sequences.js';
import {
  DelimiterFramer,
  DatagramFramer,
  stripCarriageReturn,
  type FrameListener,
  type Framer,
} from './framer.js';
import { IdleGapFramer, IdleReset } from './idle-gap-framer.js';
import { fixedLength, lengthField, LengthFramer } from './length-framer.js';

export const framingModes = [
  'line',
  'delimiter',
  'fixed',
  'length-prefixed',
  'idle-gap',
  'datagram',
] as const;

/** The longest frame that may be asked for: what is longer is a file, not a reading. */
export const MAX_FRAME_LENGTH = 65_536;

/** How a stream is cut into frames, as properties of a device. */
export const framingProperties = {
  Framing: enumProperty(framingModes, 'line'),
  /** `delimiter`: what ends a frame; escapes `\r \n \t \0 \\ \xHH`. */
  Delimiter: Type.String({ default: '\\r\\n', maxLength: 64 }),
  /** `fixed`, `length-prefixed`: what each frame begins with, escapes as above; may be empty. */
  Header: Type.String({ default: '', maxLength: 64 }),
  /** `fixed`: bytes of a frame, header included. */
  FrameLength: Type.Integer({ default: 1, minimum: 1, maximum: MAX_FRAME_LENGTH }),
  /** `length-prefixed`: where the length stands, from the frame's first byte, and how. */
  LengthOffset: Type.Integer({ default: 0, minimum: 0, maximum: 64 }),
  LengthSize: Type.Integer({ default: 1, minimum: 1, maximum: 4 }),
  LengthEndian: enumProperty(['big', 'little'], 'big'),
  /** `length-prefixed`: bytes behind the length field that the length does not count; negative where it counts more. */
  LengthAdd: Type.Integer({ default: 0, minimum: -64, maximum: MAX_FRAME_LENGTH }),
  /** Milliseconds of silence that end a frame (`idle-gap`) or break one off (`fixed`, `length-prefixed`; 0: never). */
  IdleMs: Type.Integer({ default: 50, minimum: 0, maximum: 60_000 }),
  /** The longest frame in bytes; what is longer is dropped and shows as the trouble OVERFLOW. */
  MaxLength: Type.Integer({ default: 1024, minimum: 1, maximum: MAX_FRAME_LENGTH }),
};
const schema = Type.Object(framingProperties);
export type FramingProperties = Static<typeof schema>;

/** What the schema can't say about the framing; undefined when a framer can be made. */
export function validateFraming(properties: FramingProperties): string | undefined {
  const { Framing, FrameLength, LengthSize, IdleMs, MaxLength } = properties;
  try {
    const header = parseEscapes(properties.Header);
    if (Framing === 'delimiter' && parseEscapes(properties.Delimiter) === '') return 'Delimiter is empty';
    if (Framing === 'fixed' && FrameLength > MaxLength) return 'FrameLength is above MaxLength';
    if (Framing === 'fixed' && header.length > FrameLength) return 'Header is longer than FrameLength';
    if (Framing === 'length-prefixed' && LengthSize === 3) return 'LengthSize must be 1, 2 or 4';
    if (Framing === 'length-prefixed' && header.length > properties.LengthOffset) {
      return 'LengthOffset must be behind the Header';
    }
    if (Framing === 'idle-gap' && IdleMs === 0) return 'IdleMs must be above 0';
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/** The framer that the properties call for; they have no mistake. */
export function createFramer(properties: FramingProperties, clock: Clock, listener: FrameListener): Framer {
  const { Framing, MaxLength, IdleMs, FrameLength } = properties;
  const header = Buffer.from(parseEscapes(properties.Header), 'latin1');
  switch (Framing) {
    case 'line':
      return new DelimiterFramer(Buffer.from('\n'), MaxLength, stripCarriageReturn(listener));
    case 'delimiter':
      return new DelimiterFramer(
        Buffer.from(parseEscapes(properties.Delimiter), 'latin1'),
        MaxLength,
        listener,
      );
    case 'fixed':
      return withIdleReset(new LengthFramer(fixedLength(FrameLength), header, listener), clock, IdleMs);
    case 'length-prefixed': {
      const field = {
        offset: properties.LengthOffset,
        size: properties.LengthSize as 1 | 2 | 4,
        endian: properties.LengthEndian,
        add: properties.LengthAdd,
      };
      return withIdleReset(new LengthFramer(lengthField(field, MaxLength), header, listener), clock, IdleMs);
    }
    case 'idle-gap':
      return new IdleGapFramer({ clock, idleMs: IdleMs, limit: MaxLength }, listener);
    case 'datagram':
      return new DatagramFramer(MaxLength, listener);
  }
}

function withIdleReset(framer: Framer, clock: Clock, idleMs: number): Framer {
  return idleMs === 0 ? framer : new IdleReset(framer, clock, idleMs);
}
