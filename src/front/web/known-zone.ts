/**
 * The zone if the browser knows it, otherwise undefined, which means that of the device: the data of a browser may
 * be older than a name (Europe/Kyiv, of 2022), and a formatter of an unknown zone throws.
 */
export function knownZone(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return timeZone;
  } catch {
    return undefined;
  }
}
