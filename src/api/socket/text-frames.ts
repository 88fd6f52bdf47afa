/** First byte of an unfragmented text frame (RFC 6455 §5.2). */
const TEXT = 0x81;

/**
 * Texts as WebSocket frames, one after the other, to be written to any number of sockets as they are. A
 * server's frames carry no mask (RFC 6455 §5.1).
 */
export function textFrames(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + headLength(length) + length, 0));
  let at = 0;
  for (const [index, text] of texts.entries()) {
    const length = lengths[index] ?? 0;
    at = writeHead(bytes, at, length);
    // Checking a short text costs more than copying it; `utf8Write` knows when it is plain ASCII.
    at += bytes.write(text, at, length, 'utf8');
  }
  return bytes;
}

function headLength(length: number): number {
  return length < 126 ? 2 : length < 65_536 ? 4 : 10;
}

function writeHead(bytes: Buffer, at: number, length: number): number {
  bytes[at] = TEXT;
  if (length < 126) {
    bytes[at + 1] = length;
  } else if (length < 65_536) {
    bytes[at + 1] = 126;
    bytes.writeUInt16BE(length, at + 2);
  } else {
    bytes[at + 1] = 127;
    bytes.writeUIntBE(0, at + 2, 4);
    bytes.writeUInt32BE(length, at + 6);
  }
  return at + headLength(length);
}
