import type { Clock } from '../base/clock.js';
import type { HealthChecks } from '../base/health-check.js';
import type { LimitReporter } from '../base/limit-reporter.js';
import type { Log } from '../base/log.js';
import type { Options } from '../functions/options.js';
import type { Registry } from '../functions/registry/registry.js';
import type { Kernel } from '../kernel/kernel.js';
import { ScriptEngine } from '../script/script-engine.js';
import { ScriptFiles } from '../script/script-files.js';
import { scriptLimits } from '../script/script-limits.js';

/** Memory of a script's process in addition to its heap, MiB. */
const OUTSIDE_HEAP_MIB = scriptLimits.residentMiB - scriptLimits.heapMiB;

interface ScriptDependencies {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Options;
  /** The directory of the script files. */
  readonly directory: string;
  readonly checks: HealthChecks;
  /** The functions that scripts may call; requested when the first script runs. */
  readonly registry: () => Registry;
  readonly limits: LimitReporter;
}

/** The scripts of a gateway, within the limits that its options set. */
export function createScriptEngine({
  registry,
  settings,
  directory,
  limits,
  ...rest
}: ScriptDependencies): ScriptEngine {
  return new ScriptEngine({
    ...rest,
    files: new ScriptFiles(directory),
    limitReporter: limits,
    functions: { names: () => registry().names(), call: (...call) => registry().call(...call) },
    limits: () => ({
      ...scriptLimits,
      timeMs: settings.get('ScriptTimeLimit') * 1000,
      heapMiB: settings.get('ScriptMemoryLimit'),
      residentMiB: settings.get('ScriptMemoryLimit') + OUTSIDE_HEAP_MIB,
      concurrent: settings.get('ScriptThreadCount'),
      output: settings.get('ScriptOutputBufferLimit'),
      calls: settings.get('ScriptCallLimit'),
      callsPerS: settings.get('ScriptCallRate'),
    }),
  });
}
