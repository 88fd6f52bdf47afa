import { DAY_MS, localDay, localInstant } from '../../base/local-time.js';

/** Times of day, `HH:MM`; a window may include midnight. */
interface UpdateWindow {
  readonly from: string;
  readonly to: string;
}

export const DEFAULT_WINDOW: UpdateWindow = { from: '02:00', to: '04:00' };

/** The window that contains `nowMs`, or the next one, unix milliseconds. `from` equal to `to` is all day. */
export function windowAt({ from, to }: UpdateWindow, nowMs: number): { startMs: number; endMs: number } {
  const today = localDay(nowMs);
  for (const day of [today - 1, today, today + 1]) {
    const startMs = at(from, day);
    const endMs = to > from ? at(to, day) : at(to, day + 1);
    if (nowMs < endMs) return { startMs, endMs };
  }
  // Not reached: the last of the three windows ends tomorrow or later.
  return { startMs: nowMs + DAY_MS, endMs: nowMs + DAY_MS };
}

function at(time: string, day: number): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return localInstant(day, { hour, minute, second: 0 });
}
