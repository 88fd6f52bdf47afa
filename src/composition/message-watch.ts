import type { Clock } from '../base/clock.js';
import { MessageWatch } from '../functions/message-watch.js';
import type { Options } from '../functions/options.js';
import type { Kernel } from '../kernel/kernel.js';

/** Measures how long the delivery of messages takes while the option `MessageQueueWatch` is set. */
export function createMessageWatch(kernel: Kernel, clock: Clock, settings: Options): MessageWatch {
  const watch = new MessageWatch(kernel, clock);
  const follow = () => watch.setEnabled(settings.get('MessageQueueWatch') === 1);
  follow();
  settings.changed.on((name) => {
    if (name === 'MessageQueueWatch') follow();
  });
  return watch;
}
