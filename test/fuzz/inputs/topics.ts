import type { Random } from '../../tools/random.js';
import { randomJson, randomText } from './json.js';

/** Topics and filters at the limits of the rules of MQTT §4.7. */
const TOPICS = [
  '',
  '/',
  '//',
  '+',
  '#',
  '/#',
  '#/',
  'a/#/b',
  'a#',
  '+a',
  'a/+/b',
  '$SYS/#',
  '$share/g/t',
  'plug/state',
  'plug/state/',
  'PLUG/STATE',
  'ä/ö',
  'a\u0000b',
  'a\ud800b',
  'a b',
  '../x',
  'x'.repeat(65_535),
  'x'.repeat(65_536),
  'a/'.repeat(5_000),
] as const;

/** A topic or filter, valid or not. */
export function randomTopic(random: Random): string {
  return random.chance(0.8) ? random.pick(TOPICS) : randomText(random);
}

/** The payload of a state message: typical ones of devices, and invalid ones. */
export function randomPayload(random: Random): Buffer {
  switch (random.below(5)) {
    case 0:
      return Buffer.from(
        random.pick(['ON', 'OFF', 'on', '1', '0', 'true', '21.5', '21,5', '', 'unavailable', 'NaN']),
      );
    case 1:
      return Buffer.from(randomJson(random));
    case 2:
      return Buffer.from(`{"state":${randomJson(random, 2)},"a":{"b":[${randomJson(random, 1)}]}}`);
    case 3:
      return random.bytes(random.below(64));
    default:
      return Buffer.from('['.repeat(random.pick([10, 100_000])));
  }
}
