import type { HardwareItem } from '../../src/device/hardware-search.js';
import { listLeds, ledNameOf, NO_TRIGGER } from './kernel-led.js';
import type { LedContext } from './index.js';

/** All LEDs, as items of the hardware search. */
export async function discoverLeds({ board, attributes }: LedContext): Promise<HardwareItem[]> {
  const names = new Map(board.leds.map(({ name, path }) => [ledNameOf(path), name]));
  return (await listLeds(await attributes())).map(({ name, maxBrightness, trigger }) => {
    const Led = names.get(name) ?? name;
    const range = maxBrightness === 1 ? 'on or off' : `${maxBrightness} steps`;
    return {
      id: `led ${name}`,
      kind: 'led',
      name: Led,
      about: trigger === NO_TRIGGER ? range : `${range}, driven by ${trigger}`,
      usedBy: '',
      instance: 0,
      makes: [{ module: 'LED', properties: { Led } }],
    };
  });
}
