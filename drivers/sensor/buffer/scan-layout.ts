/** How the kernel stores one channel in a scan (`scan_elements/*_type`): `le:s12/16>>4`. */
export interface ElementType {
  readonly isLittleEndian: boolean;
  readonly isSigned: boolean;
  /** Bits of the value. */
  readonly bits: number;
  /** Bytes in the scan: 1, 2, 4 or 8. */
  readonly bytes: number;
  /** Bits below the value. */
  readonly shift: number;
}

/** An element of a scan with its name and position among the elements. */
export interface ScanElement {
  /** The kernel's name: `in_voltage0`, `in_timestamp`. */
  readonly channel: string;
  readonly index: number;
  readonly type: ElementType;
}

/** Where an element is in a scan. */
export interface PlacedElement extends ScanElement {
  readonly offset: number;
}

/** The layout of the scans of a buffer. */
export interface ScanLayout {
  /** Bytes from one scan to the next. */
  readonly bytes: number;
  readonly elements: readonly PlacedElement[];
}

const TYPE = /^(be|le):([su])(\d{1,2})\/(8|16|32|64)(?:>>(\d{1,2}))?$/;

/**
 * Parses a type (Documentation/ABI/testing/sysfs-bus-iio, `in_voltageY_type`). Undefined if it is none, or one
 * that repeats (`X4`): only rotations do.
 */
export function parseElementType(text: string): ElementType | undefined {
  const match = TYPE.exec(text);
  if (match === null) return undefined;
  const [bits, storage, shift] = [Number(match[3]), Number(match[4]), Number(match[5] ?? 0)];
  if (bits < 1 || bits + shift > storage) return undefined;
  return {
    isLittleEndian: match[1] === 'le',
    isSigned: match[2] === 's',
    bits,
    bytes: storage / 8,
    shift,
  };
}

/** The element with the time of a scan, ns; always the last one. */
export const TIMESTAMP = 'in_timestamp';

/**
 * Places the enabled elements as the kernel does (`iio_compute_scan_bytes`): in the order of their index, each
 * aligned to its own size, and a scan to its largest element.
 */
export function layOut(elements: readonly ScanElement[]): ScanLayout {
  let end = 0;
  let largest = 1;
  const placed = elements
    .toSorted((one, other) => orderOf(one) - orderOf(other))
    .map((element): PlacedElement => {
      const { bytes } = element.type;
      const offset = align(end, bytes);
      end = offset + bytes;
      largest = Math.max(largest, bytes);
      return { ...element, offset };
    });
  return { bytes: align(end, largest), elements: placed };
}

const orderOf = ({ channel, index }: ScanElement) => (channel === TIMESTAMP ? Infinity : index);

const align = (offset: number, size: number) => Math.ceil(offset / size) * size;

/** The value of an element in the scan that begins at a position of the data. */
export function readElement(data: DataView, scanAt: number, { offset, type }: PlacedElement): number {
  const { isLittleEndian, isSigned, bits, bytes, shift } = type;
  const at = scanAt + offset;
  if (bytes === 8) {
    const stored = data.getBigUint64(at, isLittleEndian) >> BigInt(shift);
    return Number(isSigned ? BigInt.asIntN(bits, stored) : BigInt.asUintN(bits, stored));
  }
  const stored = storedNumber(data, at, type) >>> shift;
  // Moved to the top of 32 bits and back: drops what is above the value, and repeats its sign.
  return isSigned ? (stored << (32 - bits)) >> (32 - bits) : (stored << (32 - bits)) >>> (32 - bits);
}

function storedNumber(data: DataView, at: number, { bytes, isLittleEndian }: ElementType): number {
  if (bytes === 4) return data.getUint32(at, isLittleEndian);
  return bytes === 2 ? data.getUint16(at, isLittleEndian) : data.getUint8(at);
}
