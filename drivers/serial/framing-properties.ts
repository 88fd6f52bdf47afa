import { coded, type Text } from '../../src/base/codes/coded-text.js';
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
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

const framingModes = ['line', 'delimiter', 'fixed', 'length-prefixed', 'idle-gap', 'datagram'] as const;

/** Largest configurable MaxLength: longer data is a file, not a reading. */
const MAX_FRAME_LENGTH = 65_536;

/** Device properties that define how a stream is split into frames. */
export const framingProperties = {
  Framing: withHelp(
    enumProperty(framingModes, 'line'),
    'Frames',
    'How the stream of bytes is split into frames.',
  ),
  /** `delimiter`: end of a frame; escapes `\r \n \t \0 \\ \xHH`. */
  Delimiter: withHelp(
    Type.String({ default: '\\r\\n', maxLength: 64 }),
    'Frames',
    'The end of a frame, for framing by delimiter; escapes as in C.',
  ),
  Header: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Frames',
    'The start of each frame of fixed or prefixed length; may be empty.',
  ),
  FrameLength: withAdvancedHelp(
    Type.Integer({ default: 1, minimum: 1, maximum: MAX_FRAME_LENGTH }),
    'Frames',
    'The length of a fixed frame in bytes, including the header.',
  ),
  LengthOffset: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 64 }),
    'Frames',
    'The offset of the length field from the start of the frame.',
  ),
  LengthSize: withAdvancedHelp(
    Type.Integer({ default: 1, minimum: 1, maximum: 4 }),
    'Frames',
    'The size of the length field in bytes.',
  ),
  LengthEndian: withAdvancedHelp(
    enumProperty(['big', 'little'] as const, 'big'),
    'Frames',
    'The byte order of the length field.',
  ),
  /** `length-prefixed`: bytes after the length field that it does not count; negative if it counts more. */
  LengthAdd: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: -64, maximum: MAX_FRAME_LENGTH }),
    'Frames',
    'Bytes after the length field that it does not count.',
  ),
  /**
   * Milliseconds of silence that end a frame (`idle-gap`) or discard an incomplete one (`fixed`,
   * `length-prefixed`; 0: never).
   */
  IdleMs: withAdvancedHelp(
    Type.Integer({ default: 50, minimum: 0, maximum: 60_000 }),
    'Frames',
    'The silence that ends a frame, or discards an incomplete one.',
  ),
  MaxLength: withAdvancedHelp(
    Type.Integer({ default: 1024, minimum: 1, maximum: MAX_FRAME_LENGTH }),
    'Frames',
    'The longest frame in bytes; longer ones are dropped.',
  ),
};
const schema = Type.Object(framingProperties);
type FramingProperties = Static<typeof schema>;

/** Checks what the schema cannot express; returns undefined if a framer can be created. */
export function validateFraming(properties: FramingProperties): Text | undefined {
  const { Framing, FrameLength, LengthSize, IdleMs, MaxLength } = properties;
  try {
    const header = parseEscapes(properties.Header);
    if (Framing === 'delimiter' && parseEscapes(properties.Delimiter) === '')
      return coded`DELIMITER_EMPTY: Delimiter is empty`;
    if (Framing === 'fixed' && FrameLength > MaxLength)
      return coded`FRAMELENGTH_ABOVE_MAXLENGTH: FrameLength is above MaxLength`;
    if (Framing === 'fixed' && header.length > FrameLength)
      return coded`HEADER_LONGER_THAN_FRAMELENGTH: Header is longer than FrameLength`;
    if (Framing === 'length-prefixed' && LengthSize === 3)
      return coded`LENGTHSIZE_MUST_1_2: LengthSize must be 1, 2 or 4`;
    if (Framing === 'length-prefixed' && header.length > properties.LengthOffset) {
      return coded`LENGTHOFFSET_MUST_AFTER_HEADER: LengthOffset must be after the Header`;
    }
    if (Framing === 'idle-gap' && IdleMs === 0) return coded`IDLEMS_MUST_ABOVE_0: IdleMs must be above 0`;
    return undefined;
  } catch (thrown) {
    return (thrown as Error).message;
  }
}

/** Creates the framer for valid properties. */
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
