/**
 * The values of the page `meter-cabinet.md` that have a tile: their paths below the house, the texts that a
 * resident sees, and whether they are counters.
 */
export const CABINET_TILES: readonly (readonly [path: string, text: RegExp, isCounter?: true])[] = [
  ['reading_head/grid_meter/ENERGY_IN', /^\d[\d,]+\.\d+ kWh$/, true],
  ['reading_head/grid_meter/ENERGY_OUT', /^1,?234\.50* kWh$/, true],
  ['reading_head/grid_meter/POWER', /^\d{2,3}(\.\d)? W$/],
  ['mbus/heat_meter/ENERGY', /^\d[\d,]+(\.\d+)? kWh$/, true],
  ['mbus/heat_meter/VOLUME', /^\d[\d,]+(\.\d+)? m³$/, true],
  ['mbus/heat_meter/POWER', /^[4-8],?\d{3}(\.\d)? W$/],
  ['mbus/heat_meter/FLOW', /^0\.3\d* m³\/h$/],
  ['rs485/unit1/inverter/POWER', /^(\d{2,3}|1,?\d{3})(\.\d)? W$/],
  ['rs485/unit1/inverter/ENERGY_YIELD', /^\d[\d,]+(\.\d+)? kWh$/, true],
  ['living_room/TEMPERATURE', /^2\d\.\d °C$/],
  ['living_room/HUMIDITY', /^\d{2}\.\d ?%$/],
  ['boiler_room/TEMPERATURE_1', /^[34]\d\.\d °C$/],
  ['tank/LEVEL', /^\d{1,3} cm$/],
];
