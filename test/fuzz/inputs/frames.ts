import type { Random } from '../../tools/random.js';
import { frameBytes, opcode } from '../../tools/client/raw-websocket.js';
import { randomBody } from './bodies.js';
import { randomText } from './json.js';

/** Lengths at the limits of the three encodings of a frame's length. */
const LENGTHS = [0, 1, 125, 126, 127, 65_535, 65_536];

/**
 * The bytes of one message that a client may send over a socket: valid requests, unusual frames, and invalid
 * ones.
 */
export function randomFrames(random: Random, methods: readonly string[]): Buffer {
  switch (random.below(10)) {
    case 0:
      return random.bytes(1 + random.below(40));
    case 1:
      return frameBytes(random.below(16), random.bytes(random.below(200)), {
        fin: random.chance(0.7),
        reserved: random.chance(0.3) ? random.below(8) : 0,
        masked: random.chance(0.8),
      });
    case 2:
      return frameBytes(opcode.text, 'x', {
        claimedLength: random.pick([...LENGTHS, 2 ** 31, 2 ** 40, 2 ** 52]),
      });
    case 3:
      return frameBytes(random.pick([opcode.ping, opcode.pong]), random.bytes(random.below(140)));
    case 4:
      return frameBytes(
        opcode.close,
        random.pick([Buffer.alloc(0), random.bytes(1), random.bytes(2), random.bytes(60)]),
      );
    case 5:
      return frameBytes(opcode.binary, random.bytes(random.pick(LENGTHS)));
    case 6:
      return fragments(random, randomBody(random, methods));
    case 7:
      return frameBytes(
        opcode.text,
        random.chance(0.5) ? randomText(random) : random.bytes(random.below(50)),
      );
    default:
      return frameBytes(opcode.text, randomBody(random, methods));
  }
}

/**
 * One message split into frames, with a ping in between, and sometimes without an end or with a second
 * beginning.
 */
function fragments(random: Random, payload: Buffer): Buffer {
  const cut = random.below(payload.length + 1);
  return Buffer.concat([
    frameBytes(opcode.text, payload.subarray(0, cut), { fin: false }),
    frameBytes(opcode.ping, 'between'),
    frameBytes(random.chance(0.9) ? opcode.continuation : opcode.text, payload.subarray(cut), {
      fin: random.chance(0.9),
    }),
  ]);
}
