/**
 * An OBIS code (IEC 62056-61): medium, channel, quantity, kind, tariff, and the number of a stored value.
 * Telegrams may leave out the first two and the last one or two.
 */
export interface ObisCode {
  readonly medium: number | undefined;
  readonly channel: number;
  /** Quantity, kind and tariff: `1.8.0`, `C.1`. */
  readonly group: string;
  readonly c: string;
  readonly d: string;
  readonly e: string;
  /** Whether it is the present value, and not one that was stored at the end of a period. */
  readonly isPresent: boolean;
}

const CODE =
  /^(?:([0-9]{1,3})-([0-9]{1,3}):)?([0-9A-Z]{1,3})\.([0-9A-Z]{1,3})(?:\.([0-9A-Z]{1,3}))?(?:[*&]([0-9]{1,3}))?$/;

/** Parses `1-0:1.8.0*255` or `1.8.0`; undefined for anything else. */
export function parseObis(text: string): ObisCode | undefined {
  const match = CODE.exec(text);
  if (match === null) return undefined;
  const [, medium, channel = '0', c = '', d = '', e = '', stored = '255'] = match;
  return {
    medium: medium === undefined ? undefined : Number(medium),
    channel: Number(channel),
    group: e === '' ? `${c}.${d}` : `${c}.${d}.${e}`,
    c,
    d,
    e,
    isPresent: stored === '255',
  };
}
