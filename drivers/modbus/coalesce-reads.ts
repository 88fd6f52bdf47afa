import { readRequest, type Block, type ReadCode, type PduRequest } from './pdu.js';

/** How much one request reads at most: coils, registers [MODBUS Application Protocol V1.1b3 §6.1, §6.3]. */
const MAX_COILS = 2000;
const MAX_REGISTERS = 125;

/** A read, and the block that it is of. */
export interface BlockRead {
  readonly request: PduRequest;
}

/** Reads that one request answers. */
export interface CoalescedRead<T extends BlockRead> {
  readonly request: PduRequest;
  readonly reads: readonly T[];
}

/**
 * The first read with those of the others that are of the same function and touch it, or touch what touches it: nothing is
 * read that nobody asked for, as a unit may refuse that.
 */
export function coalesceReads<T extends BlockRead>(first: T, others: readonly T[]): CoalescedRead<T> {
  const { functionCode, block } = first.request;
  if (block === undefined) return { request: first.request, reads: [first] };
  const alike = others.filter(({ request }) => request.functionCode === functionCode);
  const blocks = alike
    .flatMap(({ request }) => request.block ?? [])
    .toSorted((a, b) => a.address - b.address);
  const most = functionCode <= 2 ? MAX_COILS : MAX_REGISTERS;
  let { address: from } = block;
  let to = endOf(block);
  for (const one of blocks)
    if (one.address >= from && one.address <= to && endOf(one) - from <= most) to = Math.max(to, endOf(one));
  for (const one of blocks.toReversed())
    if (endOf(one) >= from && endOf(one) <= to && to - one.address <= most)
      from = Math.min(from, one.address);
  const isWithin = ({ request }: T) =>
    request.block !== undefined && request.block.address >= from && endOf(request.block) <= to;
  const reads = [first, ...alike.filter(isWithin)];
  if (reads.length === 1) return { request: first.request, reads };
  return { request: readRequest(functionCode as ReadCode, from, to - from), reads };
}

/** Of the answer to a whole block that to a part of it. */
export function extractPart(pdu: Buffer, whole: PduRequest, { functionCode, block }: PduRequest): Buffer {
  if (block === undefined || whole.block === undefined) return pdu;
  const skipped = block.address - whole.block.address;
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

function endOf({ address: at, count }: Block): number {
  return at + count;
}
