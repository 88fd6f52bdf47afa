const zones = new Map<string, string>();

/**
 * A time zone that the browser knows: the given one, otherwise that of the device. The data of a browser may be
 * older than a name (Europe/Kyiv, of 2022), and a formatter of an unknown zone throws.
 */
export function knownZone(timeZone: string): string {
  let known = zones.get(timeZone);
  if (known === undefined) {
    known = isKnown(timeZone) ? timeZone : Intl.DateTimeFormat().resolvedOptions().timeZone;
    zones.set(timeZone, known);
  }
  return known;
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en-GB', { timeZone });
    return true;
  } catch {
    // A RangeError.
    return false;
  }
}
