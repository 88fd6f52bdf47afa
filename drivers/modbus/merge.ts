import { readRequest, type Block, type ReadCode, type Request } from './pdu.js';

/** How much one request reads at most: coils, registers [MODBUS Application Protocol V1.1b3 §6.1, §6.3]. */
const COILS_MAX = 2000;
const REGISTERS_MAX = 125;

/** A read, and the block that it is of. */
export interface Read {
  readonly request: Request;
}

/** Reads that one request answers. */
export interface Merged<T extends Read> {
  readonly request: Request;
  readonly reads: readonly T[];
}

/**
 * The first read with those of the others that are of the same function and touch it, or touch what touches it: nothing is
 * read that nobody asked for, as a unit may refuse that.
 */
export function merged<T extends Read>(first: T, others: readonly T[]): Merged<T> {
  const { functionCode, block } = first.request;
  if (block === undefined) return { request: first.request, reads: [first] };
  const alike = others.filter(({ request }) => request.functionCode === functionCode);
  const blocks = alike.flatMap(({ request }) => request.block ?? []).toSorted((a, b) => a.at - b.at);
  const most = functionCode <= 2 ? COILS_MAX : REGISTERS_MAX;
  let { at: from } = block;
  let to = endOf(block);
  for (const one of blocks)
    if (one.at >= from && one.at <= to && endOf(one) - from <= most) to = Math.max(to, endOf(one));
  for (const one of blocks.toReversed())
    if (endOf(one) >= from && endOf(one) <= to && to - one.at <= most) from = Math.min(from, one.at);
  const isWithin = ({ request }: T) =>
    request.block !== undefined && request.block.at >= from && endOf(request.block) <= to;
  const reads = [first, ...alike.filter(isWithin)];
  if (reads.length === 1) return { request: first.request, reads };
  return { request: readRequest(functionCode as ReadCode, from, to - from), reads };
}

/** Of the answer to a whole block that to a part of it. */
export function partOf(pdu: Buffer, whole: Request, { functionCode, block }: Request): Buffer {
  if (block === undefined || whole.block === undefined) return pdu;
  const skipped = block.at - whole.block.at;
  const data = pdu.subarray(2);
  if (functionCode > 2) {
    const registers = data.subarray(2 * skipped, 2 * (skipped + block.count));
    return Buffer.concat([Buffer.from([functionCode, registers.length]), registers]);
  }
  const bits = Buffer.alloc(Math.ceil(block.count / 8));
  for (let index = 0; index < block.count; index++) {
    const from = skipped + index;
    const bit = ((data[from >> 3] ?? 0) >> (from & 7)) & 1;
    bits.writeUInt8((bits[index >> 3] ?? 0) | (bit << (index & 7)), index >> 3);
  }
  return Buffer.concat([Buffer.from([functionCode, bits.length]), bits]);
}

function endOf({ at, count }: Block): number {
  return at + count;
}
