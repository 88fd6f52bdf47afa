import { isOfType } from '../kernel/convert.js';
import { objectType } from '../kernel/object.js';
import { hasValue } from '../kernel/variables.js';
import { ImageReporter } from './images/image-reporter.js';
import type { ProblemList } from './instance-problems.js';
import type { InstanceStatistics } from './instance-statistics.js';
import type { Flow, Host, Value } from './module.js';
import type { Properties } from './properties.js';
import type { QualityTracker } from './quality-tracker.js';
import type { SupervisorOptions } from './supervisor.js';

/** What the host of an open instance works with. */
interface InstanceHostOptions extends SupervisorOptions {
  readonly properties: Properties;
  readonly quality: QualityTracker;
  readonly problems: ProblemList;
  readonly statistics: InstanceStatistics;
  /** Called when the driver has set or cleared a problem. */
  onProblem(): void;
  /** Called when the driver has lost its hardware. */
  onLost(cause: unknown): void;
}

/** Creates the host that a module's `open` gets; it does nothing after the signal has aborted. */
export function createHost(options: InstanceHostOptions, signal: AbortSignal): Host<Properties> {
  const { kernel, clock, log, bootFlags, debug, instance, properties, quality, problems, statistics } =
    options;
  const variable = (ident: string) => {
    const child = instance.children?.byIdent(ident);
    return child?.is(objectType.variable) ? child : undefined;
  };
  const reported = (ident: string, value: Value) => {
    if (signal.aborted) return undefined;
    const target = variable(ident);
    if (target === undefined) log.debug({ instance: instance.id, ident }, 'report for a missing variable');
    else if (isOfType(target.data.type, value)) {
      debug.send('report', value, ident);
      return target;
    } else log.warn({ instance: instance.id, ident }, 'a report of another type was dropped');
    return undefined;
  };
  const images = new ImageReporter(options, signal);
  return {
    id: instance.id,
    name: instance.displayName,
    properties,
    clock,
    log,
    bootFlags,
    signal,
    report: (ident, value, at) => {
      const target = reported(ident, value);
      if (target !== undefined) quality.report(target, value, at);
    },
    reportUncertain: (ident, value, problem) => {
      const target = reported(ident, value);
      if (target !== undefined) quality.reportUncertain(target, value, problem);
    },
    markUncertain: (ident, problem) => {
      const target = variable(ident);
      if (!signal.aborted && target !== undefined) quality.markUncertain(target, problem);
    },
    markGood: (ident) => {
      const target = variable(ident);
      if (!signal.aborted && target !== undefined) quality.markGood(target);
    },
    reportRule: (ident, rule) => {
      const target = variable(ident);
      if (!signal.aborted && target !== undefined) kernel.variables.setRule(target, rule);
    },
    reportPending: (ident, pending) => {
      const target = variable(ident);
      if (!signal.aborted && target !== undefined) kernel.variables.setPending(target, pending);
    },
    setUnavailable: (text) => {
      if (!signal.aborted) quality.setUnavailable(text?.toString());
    },
    reportImage: (ident, content, isAvailable = true) =>
      images.report(ident, content, isAvailable && !quality.isUnavailable),
    setImageAvailable: (ident, isAvailable) =>
      images.setAvailable(ident, isAvailable && !quality.isUnavailable),
    lastValue: (ident) => {
      const known = variable(ident);
      return known === undefined || !hasValue(known) ? undefined : known.data.value;
    },
    emitMessage: (message, data) => {
      if (!signal.aborted) kernel.changes.emit(instance.id, message, data);
    },
    debug: (what, data, about) => {
      if (!signal.aborted) debug.send(what, data, about);
    },
    reportLost: (cause) => {
      if (!signal.aborted) options.onLost(cause);
    },
    setProblem: (code, text, shown = text) => {
      if (signal.aborted) return;
      if (text !== undefined && !problems.has(code)) statistics.countReason(code);
      if (problems.set(code, text, shown)) options.onProblem();
    },
    recordPoll: (fromNs) => statistics.recordPoll(fromNs),
    countMessage: (direction, qos) => statistics.countMessage(direction, qos),
    siblings: () => options.siblings(),
    connected: () => options.connected(),
    createConnected: (template, name) => {
      if (!signal.aborted) options.createConnected(template, name);
    },
    reconfigure: (changes) => {
      if (!signal.aborted) options.reconfigure(changes);
    },
    toggle: async (path) => {
      if (!signal.aborted) await options.toggle(path);
    },
    tree: options.tree,
    parent: <T>(_flow: Flow<T>): T => options.parent()?.running?.provided as T,
  };
}
