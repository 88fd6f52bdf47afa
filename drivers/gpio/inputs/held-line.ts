import { coded } from '../../../src/base/codes/coded-text.js';
import { delay } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import type { Backends } from '../backends/backends.js';
import type { Bias } from '../backends/line.js';

/** Interval for reading the line, ms. */
const READ_MS = 50;
/** Consecutive readings that count as released: shorter interruptions are contacts that bounce. */
const RELEASED_READINGS = 2;

/** A line that is read while the gateway starts. */
interface HeldLine {
  readonly line: string;
  readonly activeLow: boolean;
  readonly bias: Bias;
}

/**
 * Whether a line is active without interruption for `holdMs`. A line that is not active returns false after
 * 50 ms; `onActive` is called for one that is. The line is requested as an input only, and never if it is in
 * use or an output. Rejects as `Backends.locate`, and with `DEVICE_OFFLINE` if it is an output or in use.
 */
export async function isHeld(
  backends: Backends,
  { line: name, activeLow, bias }: HeldLine,
  { holdMs, onActive }: { readonly holdMs: number; readonly onActive: () => void },
): Promise<boolean> {
  const { backend, location } = await backends.locate('auto', { chip: '', line: name });
  const info = (await backend.lines(location.chip)).find(({ offset }) => offset === location.offset);
  if (info === undefined || info.isUsed || info.direction === 'output')
    throw fault('DEVICE_OFFLINE', coded`RESET_LINE_USED: ${name} is in use, or an output`);
  const listener = { onEdges: () => undefined, onLost: () => undefined };
  const { clock } = backends;
  await using line = await backend.requestInput(location, { activeLow, bias, debounceUs: 0 }, listener);
  let released = 0;
  let isReported = false;
  for (let ms = 0; ms <= holdMs; ms += READ_MS) {
    released = (await line.get()) ? 0 : released + 1;
    if (released >= RELEASED_READINGS) return false;
    if (!isReported && released === 0 && ms > 0) {
      isReported = true;
      onActive();
    }
    await delay(clock, READ_MS);
  }
  return released === 0;
}
