import type { MapBlock, MapValue, RegisterMap } from '../maps/register-map.js';

/** Coils of one request [MODBUS Application Protocol V1.1b3 §6.1]. */
const MAX_COILS = 2000;

/** Values that one request reads. */
export interface BlockRead {
  readonly block: MapBlock;
  /** The first address, counted as those of the values. */
  readonly at: number;
  readonly count: number;
  readonly values: readonly MapValue[];
}

/**
 * The requests that read the values of a block: as few as the limit of the map allows. A value and its scale
 * factor are read together if they fit. Addresses in between are read too: values of a block are in a range
 * that the device has.
 */
export function readsOf({ limit }: Pick<RegisterMap, 'limit'>, block: MapBlock): BlockRead[] {
  const most = block.code <= 2 ? MAX_COILS : limit;
  const reads: { at: number; end: number; values: MapValue[] }[] = [];
  for (const value of block.values.toSorted((a, b) => a.at - b.at)) {
    const at = Math.min(value.at, value.scaleAt ?? value.at);
    const end = Math.max(value.at + value.length, (value.scaleAt ?? value.at) + 1);
    const last = reads.at(-1);
    const from = Math.min(last?.at ?? at, at);
    const to = Math.max(last?.end ?? end, end);
    if (last === undefined || to - from > most) reads.push({ at, end, values: [value] });
    else {
      last.at = from;
      last.end = to;
      last.values.push(value);
    }
  }
  return reads.map(({ at, end, values }) => ({ block, at, count: end - at, values }));
}
