import type { Test } from 'tap';

/** The rest of this test, or file, lives in that time zone; whatever was before is back when it ends. */
export function setTimeZone(t: Test, zone: string): void {
  const before = process.env['TZ'];
  process.env['TZ'] = zone;
  t.teardown(() => {
    if (before === undefined) delete process.env['TZ'];
    else process.env['TZ'] = before;
  });
}
