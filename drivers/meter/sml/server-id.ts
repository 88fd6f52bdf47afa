/** Length of an identification number; it begins with this, or with the number of bytes that follow. */
const ID_LENGTH = 10;
/** Bytes with a printable character. */
const FIRST_PRINTABLE = 0x20;
const LAST_PRINTABLE = 0x7e;

/**
 * A text for bytes of a meter. An identification number (DIN 43863-5) is written as on its case:
 * `1EMH0012345678` for medium, manufacturer, block and number. Printable bytes are a text, others hexadecimal.
 */
export function serverIdText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (isIdentification(bytes)) {
    const block = Buffer.from(bytes.subarray(5, 6)).toString('hex').toUpperCase();
    const number = Buffer.from(bytes).readUInt32BE(6);
    return `${bytes[1]}${text.slice(2, 5)}${block}${String(number).padStart(8, '0')}`;
  }
  const isPrintable = bytes.every((byte) => byte >= FIRST_PRINTABLE && byte <= LAST_PRINTABLE);
  return isPrintable ? text.trim() : Buffer.from(bytes).toString('hex').toUpperCase();
}

function isIdentification(bytes: Uint8Array): boolean {
  const [length, medium = 0, ...others] = bytes;
  if (bytes.length !== ID_LENGTH || (length !== ID_LENGTH && length !== ID_LENGTH - 1)) return false;
  return medium <= 9 && others.slice(0, 3).every((byte) => byte >= 0x41 && byte <= 0x5a);
}
