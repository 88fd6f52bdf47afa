import type { Properties } from '../../../src/device/properties.js';

/** Properties with which a module has all its variables, next to the defaults. */
export const COMPLETE_PROPERTIES: Readonly<Record<string, Properties>> = {
  Relay: { Boot: 'last' },
  Shutter: { SlatS: 1 },
  Counter: { CountMerged: true },
  'Location Control': { Latitude: 52, Longitude: 13 },
  Energy: {
    Import: 'a',
    Export: 'b',
    Generation: 'c',
    Charge: 'd',
    Discharge: 'e',
    Price: 1,
    FeedInPrice: 1,
    GridPower: 'f',
    Switch: 'g',
  },
};
