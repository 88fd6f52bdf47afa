import type { Test } from 'tap';

/** Sets the time zone for the rest of this test, or file, and restores the previous one at its end. */
export function setTimeZone(t: Test, zone: string): void {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  t.teardown(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}
