import type { TreeView } from './tree-view.js';
import { delay } from '../base/clock.js';
import { CodedText, coded, type Text } from '../base/codes/coded-text.js';
import { codedMessageOf, fault, generalOf, isAbort, messageOf } from '../base/fault.js';
import type { Histogram } from '../base/metrics/histogram.js';
import type { Log } from '../base/log.js';
import { SerialQueue } from '../base/serial-queue.js';
import { instanceStatus, type Instance } from '../kernel/instances.js';
import { objectType } from '../kernel/object.js';
import { SETTLED_MS, backoffMs } from './backoff.js';
import { withCommandDeadline } from './command-deadline.js';
import type { DebugTap } from './debug.js';
import type { InstanceTemplate } from './hardware-search.js';
import { createHost } from './instance-host.js';
import { LinkLog } from './link-log.js';
import type { BootFlags, ModuleDefinition, OpenInstance, Sibling, InstanceProblem, Value } from './module.js';
import { ProblemList } from './instance-problems.js';
import { clearRules } from './instance-variables.js';
import { validateProperties, disabledReasonOf, type Properties } from './properties.js';
import { offlineFault, offlineReasonOf, statusText, type OfflineReason } from './offline-reason.js';
import { offlineCodeOf, QualityTracker, type QualityTrackerOptions } from './quality-tracker.js';
import { InstanceStatistics, type LatencyStatistics } from './instance-statistics.js';
import { withTimeout } from './toolkit/timeout.js';

/** The state of an instance's connection to its hardware (variable `LINK`). */
export type LinkState = 'closed' | 'opening' | 'online' | 'waiting';

/** An adapter may need its driver loaded, a broker a slow TLS handshake. */
export const OPEN_TIMEOUT_MS = 30_000;
export const CLOSE_TIMEOUT_MS = 5_000;
/** How often a connection is probed, and the timeout of a probe. */
export const PROBE_INTERVAL_MS = 10_000;
export const PROBE_TIMEOUT_MS = 5_000;
export interface SupervisorOptions extends QualityTrackerOptions {
  readonly log: Log;
  readonly bootFlags: BootFlags;
  readonly debug: DebugTap;
  /** Gets the durations of all commands. */
  readonly commandDurations: Histogram;
  readonly module: ModuleDefinition;
  /** The open I/O instance that this one is connected to; `running` is undefined unless it is online. */
  parent(): { readonly name: string; readonly running: OpenInstance | undefined } | undefined;
  /** All instances of its module, including itself. */
  siblings(): readonly Sibling<Properties>[];
  /** The instances that are connected to it. */
  connected(): readonly Sibling<Properties>[];
  /** Implements `Host.createConnected`. */
  createConnected(template: InstanceTemplate, name: string): void;
  /** Implements `Host.reconfigure`. */
  reconfigure(changes: Properties): void;
  /** Implements `Host.toggle`. */
  toggle(path: string): Promise<void>;
  readonly tree: TreeView;
  /** Called when the instance goes online or offline. */
  onLink(): void;
}

/**
 * Keeps one instance open: opens it, reopens it with a jittered back-off after failures and losses, gives
 * each driver call a deadline, and shows its state in the tree. Exceptions of drivers end here.
 */
export class Supervisor {
  readonly #options: SupervisorOptions;
  readonly #quality: QualityTracker;
  readonly #log: LinkLog;
  readonly statistics: InstanceStatistics;
  readonly #problems = new ProblemList();
  /** Closing and reopening never overlap. */
  readonly #queue = new SerialQueue();
  #isEnded = false;
  #properties: Properties;
  #supervision: { readonly stop: AbortController; readonly ended: Promise<void> } | undefined;
  #running: OpenInstance | undefined;
  #lose: ((cause: unknown) => void) | undefined;
  #link: LinkState = 'closed';
  #text: Text = '';
  #shown: Text = '';
  #sinceMs = 0;

  constructor(options: SupervisorOptions, properties: Properties) {
    this.#options = options;
    this.#properties = properties;
    this.#quality = new QualityTracker(options);
    this.#log = new LinkLog(options);
    this.statistics = new InstanceStatistics(options.clock, options.commandDurations);
    this.#quality.restore();
  }

  get instance(): Instance {
    return this.#options.instance;
  }

  get module(): ModuleDefinition {
    return this.#options.module;
  }

  get link(): LinkState {
    return this.#link;
  }

  /** The open instance; undefined unless it is online. */
  get openInstance(): OpenInstance | undefined {
    return this.#running;
  }

  /** The latency of processing reports. */
  get reportLatency(): LatencyStatistics {
    return this.#quality.reportLatency;
  }

  /** Sets the problems of its variables (`declareVariables`). */
  set variableProblems(problems: readonly InstanceProblem[]) {
    this.#problems.declared = problems;
    if (this.#sinceMs !== 0) this.#publishStatus();
  }

  /** The problems of the instance, the reason for not being online first. */
  problems(): InstanceProblem[] {
    const reported = this.#problems.all();
    const isFine = this.#link === 'online' || (this.#link === 'opening' && this.#text === '');
    return isFine ? reported : [{ code: offlineCodeOf(this.#link), text: this.#text }, ...reported];
  }

  /**
   * Opens the instance and keeps it open, if its properties and its parent allow it. Does nothing if it is
   * already kept open.
   */
  start(): void {
    if (this.#supervision !== undefined || this.#isEnded) return;
    try {
      this.#begin();
    } catch (thrown) {
      this.#show('closed', codedMessageOf(thrown), instanceStatus.configurationInvalid);
    }
  }

  #begin(): void {
    const { module, instance } = this.#options;
    const error = validateProperties(module, this.#properties);
    if (error !== undefined) return this.#show('closed', error, instanceStatus.configurationInvalid);
    const off = disabledReasonOf(module, instance.data);
    if (off !== undefined) return this.#show('closed', off, instanceStatus.inactive);
    if (module.requires !== undefined) {
      const parent = this.#options.parent();
      if (parent === undefined) {
        const text = coded`NOT_CONNECTED: not connected; connect it to an I/O instance (SVC_ConnectInstance)`;
        return this.#show('closed', text, instanceStatus.configurationInvalid);
      }
      if (parent.running === undefined)
        return this.#show(
          'waiting',
          coded`WAITING_FOR_PARENT: waiting for its ${parent.name}`,
          instanceStatus.offline,
        );
    }
    this.#quality.setDeadlines(module.variables(this.#properties));
    const stop = new AbortController();
    const ended = this.#keepOpen(stop.signal).catch((thrown: unknown) => {
      this.#options.log.error({ instance: instance.id, err: thrown }, 'supervision ended unexpectedly');
    });
    this.#supervision = { stop, ended };
  }

  /** Closes the instance permanently and waits until it is closed; outputs keep their state, motors stop. */
  stop(text: Text = coded`STOPPED: stopped`, status: number = instanceStatus.inactive): Promise<void> {
    this.#isEnded = true;
    return this.#queue.run(() => this.#close(text, status));
  }

  /** Lets an open instance withdraw what it has published, before it is deleted. Never fails. */
  async withdraw(): Promise<void> {
    const { clock, log, instance } = this.#options;
    const timeout = { ms: CLOSE_TIMEOUT_MS, what: coded`WHAT_CLOSING: Closing` };
    try {
      await withTimeout(clock, timeout, this.#running?.withdraw?.() ?? Promise.resolve());
    } catch (thrown) {
      log.warn({ instance: instance.id, err: thrown }, 'what it has published could not be withdrawn');
    }
  }

  /** Closes the instance and reopens it, with new properties if given. */
  restart(properties?: Properties): Promise<void> {
    return this.#queue.run(async () => {
      await this.#close(coded`REOPENING: being reopened`, instanceStatus.inactive);
      if (properties !== undefined) {
        this.#properties = properties;
        this.#problems.clear();
      }
      this.start();
    });
  }

  /**
   * Sends a command to the driver immediately, or fails: `DEVICE_OFFLINE`, `READ_ONLY`, `DEVICE_REFUSED`,
   * `TIMED_OUT`.
   */
  write(ident: string, value: Value): Promise<true> {
    const open = this.#online();
    if (open.write === undefined) throw fault('READ_ONLY', ident);
    this.#options.debug.send('write', value, ident);
    const startNs = this.#options.clock.monotonicNs();
    return this.#withDeadline(open.write(ident, value), startNs);
  }

  /** Requests the present value of a variable. */
  refresh(ident: string): Promise<true> {
    const open = this.#online();
    if (open.refresh === undefined) throw fault('NOT_SUPPORTED', coded`WHAT_STATUS: Polling ${ident}`);
    const startNs = this.#options.clock.monotonicNs();
    return this.#withDeadline(open.refresh(ident), startNs);
  }

  async #close(text: Text, status: number): Promise<void> {
    const supervision = this.#supervision;
    if (supervision !== undefined) {
      supervision.stop.abort();
      await supervision.ended;
      this.#supervision = undefined;
    }
    this.#show('closed', text, status);
  }

  #online(): OpenInstance {
    if (this.#running !== undefined) return this.#running;
    throw offlineFault({ text: this.#text, shown: this.#shown });
  }

  #withDeadline(reply: Promise<void>, startNs: bigint): Promise<true> {
    const { deadlines } = this.#options;
    const onTimeout = this.#lose ?? (() => undefined);
    return withCommandDeadline(reply, { startNs, deadlines, statistics: this.statistics, onTimeout });
  }

  async #keepOpen(stop: AbortSignal): Promise<void> {
    const { clock, module } = this.#options;
    for (let attempt = 0; !stop.aborted; attempt++) {
      const startedMs = clock.monotonicNs();
      const cause = await this.#openOnce(stop);
      if (stop.aborted) break;
      this.statistics.countError(cause.thrown);
      if (Number(clock.monotonicNs() - startedMs) / 1e6 > SETTLED_MS && cause.wasOnline) attempt = 0;
      const waitMs = backoffMs(attempt, clock.random(), module.maxRetryDelayMs);
      this.#show('waiting', offlineReasonOf(cause.thrown), instanceStatus.offline);
      this.#log.lost({ attempt, waitMs, text: messageOf(cause.thrown) });
      // The loop's condition notices that the instance is stopped.
      await delay(clock, waitMs, stop).catch(() => undefined);
    }
  }

  /** Opens the instance once and waits until it closes; resolves with the cause. */
  async #openOnce(stop: AbortSignal): Promise<{ readonly thrown: unknown; readonly wasOnline: boolean }> {
    const { clock, module, log, instance } = this.#options;
    const ending = new AbortController();
    const lost = Promise.withResolvers<unknown>();
    const end = () => lost.resolve(stop.reason);
    stop.addEventListener('abort', end, { once: true });
    let running: OpenInstance | undefined;
    const abort = () => {
      try {
        if (!ending.signal.aborted) running?.flush?.();
      } catch (thrown) {
        log.warn({ instance: instance.id, err: thrown }, 'flushing the held-back reports failed');
      }
      ending.abort();
    };
    stop.addEventListener('abort', abort, { once: true });
    if (this.#link === 'closed') this.#show('opening', '', instanceStatus.creating);
    // Problems of the previous attempt are detected again if they persist.
    this.#problems.clear();
    try {
      const host = createHost(
        {
          ...this.#options,
          properties: this.#properties,
          quality: this.#quality,
          problems: this.#problems,
          statistics: this.statistics,
          onProblem: () => this.#publishStatus(),
          onLost: lost.resolve,
        },
        ending.signal,
      );
      // `open` may throw synchronously; that is a failure like any other.
      const opening = Promise.resolve().then(() => module.open(host));
      running = await this.#opened(opening, stop);
      this.#running = running;
      this.#lose = lost.resolve;
      this.statistics.openings += 1;
      this.#show('online', '', instanceStatus.active);
      this.#log.online();
      const unprobe = this.#probe(running, lost.resolve);
      const thrown = await lost.promise;
      unprobe();
      abort();
      // Closing may take a while, during which no value may be good.
      if (!stop.aborted) this.#quality.setOffline('UNREACHABLE', generalOf(thrown));
      return { thrown, wasOnline: true };
    } catch (thrown) {
      return { thrown, wasOnline: false };
    } finally {
      stop.removeEventListener('abort', end);
      stop.removeEventListener('abort', abort);
      this.#running = undefined;
      this.#lose = undefined;
      abort();
      clearRules(this.#options.kernel, instance);
      if (running !== undefined) {
        this.#options.onLink();
        await withTimeout(
          clock,
          { ms: CLOSE_TIMEOUT_MS, what: coded`WHAT_CLOSING: Closing` },
          running.close(),
        ).catch((thrown: unknown) => {
          if (!isAbort(thrown)) log.warn({ instance: instance.id, err: thrown }, 'closing failed');
        });
      }
    }
  }

  async #opened(opening: Promise<OpenInstance>, stop: AbortSignal): Promise<OpenInstance> {
    try {
      return await withTimeout(
        this.#options.clock,
        { ms: OPEN_TIMEOUT_MS, what: coded`WHAT_OPENING: Opening`, signal: stop },
        opening,
      );
    } catch (thrown) {
      // Timed out or stopped: if it still opens, it is closed immediately.
      void opening.then((late) => late.close()).catch(() => undefined);
      throw thrown;
    }
  }

  #probe(running: OpenInstance, onLost: (cause: unknown) => void): () => void {
    const { probe } = running;
    if (probe === undefined) return () => undefined;
    const { clock } = this.#options;
    let isProbing = false;
    return clock.every(PROBE_INTERVAL_MS, () => {
      if (isProbing) return;
      isProbing = true;
      withTimeout(
        clock,
        { ms: PROBE_TIMEOUT_MS, what: coded`WHAT_DEVICE: The device` },
        probe.call(running),
      ).then(
        () => {
          isProbing = false;
        },
        (thrown: unknown) => onLost(thrown),
      );
    });
  }

  #show(link: LinkState, reason: Text | OfflineReason, status: number): void {
    const { text, shown } =
      typeof reason === 'string' || reason instanceof CodedText ? { text: reason, shown: reason } : reason;
    const { kernel, clock, instance } = this.#options;
    const linkChanged = link !== this.#link;
    if (linkChanged || text.toString() !== this.#text.toString() || this.#sinceMs === 0)
      this.#sinceMs = clock.nowMs();
    this.#link = link;
    this.#text = text;
    this.#shown = shown;
    if (link === 'online') this.#quality.setOnline();
    else if (link !== 'opening') this.#quality.setOffline(offlineCodeOf(link), shown.toString());
    kernel.instances.setStatus(instance, status);
    this.#publishStatus();
    if (linkChanged && link === 'online') this.#options.onLink();
  }

  /** Updates LINK and STATUS in the tree if they have changed. */
  #publishStatus(): void {
    const { kernel, clock, instance } = this.#options;
    const since = { sinceMs: this.#sinceMs, isTrusted: clock.isTrusted() };
    const status = statusText(this.#link, since, [this.#shown, ...this.#problems.shown()]);
    for (const [ident, text] of [
      ['LINK', this.#link],
      ['STATUS', status],
    ] as const) {
      const variable = instance.children?.byIdent(ident);
      if (variable?.is(objectType.variable) && variable.data.value !== text)
        kernel.variables.update(variable, text, clock.nowMs());
    }
  }
}
