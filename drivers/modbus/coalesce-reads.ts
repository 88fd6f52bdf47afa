import { readRequest, type Block, type ReadCode, type PduRequest } from './pdu.js';

/** Largest number of coils and of registers in one read [MODBUS Application Protocol V1.1b3 §6.1, §6.3]. */
const MAX_COILS = 2000;
const MAX_REGISTERS = 125;

/** Anything with a read request. */
interface BlockRead {
  readonly request: PduRequest;
}

/** One request that replaces several reads. */
interface CoalescedRead<T extends BlockRead> {
  readonly request: PduRequest;
  readonly reads: readonly T[];
}

/**
 * Combines the first read with those of the others that have the same function code and are adjacent to it,
 * directly or through others. Addresses in between that were not requested are never read, because a unit may
 * reject them.
 */
export function coalesceReads<T extends BlockRead>(first: T, others: readonly T[]): CoalescedRead<T> {
  const { functionCode, block } = first.request;
  if (block === undefined) return { request: first.request, reads: [first] };
  const candidates = others.filter(({ request }) => request.functionCode === functionCode);
  const blocks = candidates
    .flatMap(({ request }) => request.block ?? [])
    .toSorted((a, b) => a.address - b.address);
  const limit = functionCode <= 2 ? MAX_COILS : MAX_REGISTERS;
  let { address: from } = block;
  let to = endOf(block);
  for (const one of blocks)
    if (one.address >= from && one.address <= to && endOf(one) - from <= limit) to = Math.max(to, endOf(one));
  for (const one of blocks.toReversed())
    if (endOf(one) >= from && endOf(one) <= to && to - one.address <= limit)
      from = Math.min(from, one.address);
  const isWithin = ({ request }: T) =>
    request.block !== undefined && request.block.address >= from && endOf(request.block) <= to;
  const reads = [first, ...candidates.filter(isWithin)];
  if (reads.length === 1) return { request: first.request, reads };
  return { request: readRequest(functionCode as ReadCode, from, to - from), reads };
}

/** Extracts the reply to one read from the reply to the coalesced request. */
export function extractPart(pdu: Buffer, coalesced: PduRequest, { functionCode, block }: PduRequest): Buffer {
  if (block === undefined || coalesced.block === undefined) return pdu;
  const offset = block.address - coalesced.block.address;
  const data = pdu.subarray(2);
  if (functionCode > 2) {
    const registers = data.subarray(2 * offset, 2 * (offset + block.count));
    return Buffer.concat([Buffer.from([functionCode, registers.length]), registers]);
  }
  const bits = Buffer.alloc(Math.ceil(block.count / 8));
  for (let index = 0; index < block.count; index++) {
    const from = offset + index;
    const bit = ((data[from >> 3] ?? 0) >> (from & 7)) & 1;
    bits.writeUInt8((bits[index >> 3] ?? 0) | (bit << (index & 7)), index >> 3);
  }
  return Buffer.concat([Buffer.from([functionCode, bits.length]), bits]);
}

function endOf({ address: at, count }: Block): number {
  return at + count;
}
