import type { Host } from '../../../src/device/module.js';

/** The last known count of a variable; 0 before its first report. */
export function lastCount(host: Host, ident: string): number {
  const value = host.lastValue(ident);
  return typeof value === 'number' ? value : 0;
}
