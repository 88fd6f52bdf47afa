import type { Found } from '../../src/device/search.js';
import { listLeds, nameAt, NONE } from './class.js';
import type { LedAround } from './index.js';

/** All LEDs, as a search shows them. */
export async function findLeds({ board, attributes }: LedAround): Promise<Found[]> {
  const names = new Map(board.leds.map(({ name, path }) => [nameAt(path), name]));
  return (await listLeds(await attributes())).map(({ name, maxBrightness, trigger }) => {
    const Led = names.get(name) ?? name;
    const range = maxBrightness === 1 ? 'on or off' : `${maxBrightness} steps`;
    return {
      id: `led ${name}`,
      kind: 'led',
      name: Led,
      about: trigger === NONE ? range : `${range}, driven by ${trigger}`,
      usedBy: '',
      instance: 0,
      makes: [{ module: 'LED', properties: { Led } }],
    };
  });
}
