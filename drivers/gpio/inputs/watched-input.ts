import type { Host, OpenInstance } from '../../../src/device/module.js';
import type { Backends } from '../backends/backends.js';
import type { InputProperties } from '../line-properties.js';
import type { LineWatcher } from './line-watcher.js';

/** Opens a module that watches one line; what that takes is loaded with the first instance. */
export async function openWatchedInput(
  host: Host<InputProperties>,
  backends: Backends,
  watcher: LineWatcher,
): Promise<OpenInstance> {
  const { watchLine } = await import('./line-watcher.js');
  return watchLine(host, backends, watcher);
}
