import { healthy, type HealthFinding } from '../base/health-check.js';
import type { Devices } from '../device/devices.js';
import type { Kernel } from '../kernel/kernel.js';

/** Whether the wall clock is known to be right. */
export function clockFinding(isTrusted: boolean): HealthFinding {
  if (isTrusted) return healthy('set');
  const text = 'the clock has not been set since the machine started: times may be wrong';
  return { state: 'warning', text, whatToDo: 'connect the box to a network with a time server' };
}

/** More would hide the other checks; they have a common cause then, or `check` is the better tool. */
const PROBLEMS_SHOWN = 20;

/** Whether all that the configuration says could be applied. */
export function configurationFinding(problems: readonly string[]): HealthFinding {
  if (problems.length === 0) return healthy('applied');
  const shown = problems.slice(0, PROBLEMS_SHOWN);
  const more = problems.length - shown.length;
  if (more > 0) shown.push(`and ${more} more, which stellwerk check shows`);
  return { state: 'warning', text: shown.join('\n'), whatToDo: 'correct these lines and reload' };
}

/** The configuration file has validation errors; the gateway runs on with what it read before. */
export function unusableFileFinding(text: string): HealthFinding {
  const what = `gateway.yaml was changed and cannot be applied; the gateway runs on with what it read before, and would not start with this file: ${text}`;
  return { state: 'failed', text: what, whatToDo: 'correct these lines of gateway.yaml and reload' };
}

/** What is wrong with the instances: one line per instance, with its name and id. */
export function devicesFinding(devices: Devices, kernel: Kernel): HealthFinding {
  const troubles = [...devices.allProblems()];
  if (troubles.length === 0) return healthy('all instances are as they should be');
  const byInstance = [...Map.groupBy(troubles, ({ id }) => id)];
  const lines = byInstance.map(([id, own]) => {
    const name = kernel.tree.find(id)?.displayName ?? '';
    return `${name} (#${id}): ${own.map(({ text }) => text).join('; ')}`;
  });
  const { length } = byInstance;
  const head = length === 1 ? '1 instance has a problem' : `${length} instances have problems`;
  return {
    state: 'warning',
    text: [head, ...lines].join('\n'),
    whatToDo: 'see the STATUS variable of each instance',
  };
}

/** Whether clients on this machine need credentials. */
export function accessFinding(local: 'open' | undefined): HealthFinding {
  if (local === undefined) return healthy('every call needs credentials, also on this machine');
  return healthy('api.local is open: calls of this machine without credentials act as the owner');
}

/** Whether the API is listened on everywhere it should be. */
export function listenersFinding(troubles: readonly string[]): HealthFinding {
  if (troubles.length === 0) return healthy('all are open');
  const whatToDo = 'correct the configuration or free the port; the gateway retries by itself';
  return { state: 'warning', text: troubles.join('\n'), whatToDo };
}
