import { systemResolver } from '../../../src/device/toolkit/system-resolver.js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { Archive } from '../../../src/archive/archive.js';
import { noHealthChecks } from '../../../src/base/health-check.js';
import { ManualClock } from '../../../src/base/clock.js';
import { TaskList } from '../../../src/base/tasks/task-list.js';
import { fault } from '../../../src/base/fault.js';
import { silentLog, type Log } from '../../../src/base/log.js';
import { ChunkedResult } from '../../../src/base/json-chunks.js';
import { coreModules } from '../../../src/modules/core-modules.js';
import type { Caller, FunctionDeclaration } from '../../../src/device/declare.js';
import { Debug } from '../../../src/device/debug.js';
import { Devices } from '../../../src/device/devices.js';
import { moduleKind, variableType, type Flow, type ModuleDefinition } from '../../../src/device/module.js';
import { ModuleRegistry } from '../../../src/device/module-registry.js';
import type { AuditRecord } from '../../../src/kernel/audit-record.js';
import { Options } from '../../../src/functions/options.js';
import type {
  ConnectionsPort,
  Ports,
  ScriptRun,
  ScriptsPort,
  SystemPort,
} from '../../../src/functions/ports.js';
import { Deletions } from '../../../src/functions/deletion/deletions.js';
import { createRegistry } from '../../../src/functions/command-reference.js';
import type { Registry } from '../../../src/functions/registry/registry.js';
import type { Configurator } from '../../../src/kernel/configurator.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { lazyMachine } from '../../../src/composition/machine.js';
import { createMessageWatch } from '../../../src/composition/message-watch.js';
import { Thread } from '../../../src/script/threads.js';
import { ServiceLog } from '../../../src/service/log.js';
import type { Variable } from '../../../src/kernel/variables.js';
import { LazyEvents } from '../../../src/composition/events.js';
import { lazyMedia } from '../../../src/composition/media.js';
import { schemaViolation } from '../client/result-schema.js';
import { until } from '../until.js';

export const owner: Caller = { role: 'owner', user: 'owner@example.org', remote: '127.0.0.1' };
export const anonymousCaller: Caller = { role: 'anonymous', user: '', remote: '127.0.0.1' };

const wire: Flow<object> = { id: '{00000000-0000-0000-0000-0000000000F1}' };

/** An I/O module without hardware. */
export const bus: ModuleDefinition = {
  id: '{00000000-0000-0000-0000-0000000000B1}',
  name: 'Bus',
  kind: moduleKind.io,
  prefix: 'BUS',
  properties: Type.Object({}),
  provides: wire,
  variables: () => [],
  open: async () => ({ provided: {}, close: async () => undefined }),
};

/** A lamp: it reports written values, rejects a LEVEL above 100, and is unreachable while Broken. */
export const lamp: ModuleDefinition = {
  id: '{00000000-0000-0000-0000-0000000000A1}',
  name: 'Lamp',
  kind: moduleKind.device,
  prefix: 'HW',
  aliases: ['Bulb'],
  properties: Type.Object({
    Place: Type.String({ default: '' }),
    Password: Type.String({ default: '', secret: true }),
    Broken: Type.Boolean({ default: false }),
  }),
  requires: wire,
  variables: () => [
    {
      ident: 'STATE',
      name: 'State',
      type: variableType.boolean,
      role: 'main',
      profile: '~Switch',
      action: true,
    },
    { ident: 'LEVEL', name: 'Level', type: variableType.integer, role: 'detail', action: true },
  ],
  open: async (host) => ({
    write: async (ident, value) => {
      if (typeof value === 'number' && value > 100) throw fault('DEVICE_REFUSED', 'it goes up to 100');
      host.report(ident, value);
    },
    refresh: async (ident) => host.report(ident, host.lastValue(ident) ?? 0),
    knownDevices: () => [{ Address: 'L1' }],
    close: async () => undefined,
  }),
};

/** Scripts that only record how they were run. */
class RecordingScripts implements ScriptsPort {
  readonly runs: ScriptRun[] = [];
  /** The durations of SVC_Sleep calls, ms. */
  readonly sleeps: number[] = [];
  readonly #kernel: Kernel;
  readonly #texts = new Map<number, string>();
  constructor(kernel: Kernel) {
    this.#kernel = kernel;
  }
  create = async () => this.#kernel.scripts.create(0).id;
  delete = async (id: number) => this.#kernel.tree.delete(this.#kernel.scripts.get(id));
  content = async (id: number) => this.#texts.get(this.#kernel.scripts.get(id).id) ?? '';
  setContent = async (id: number, text: string) => void this.#texts.set(id, text);
  setFile = async (id: number, file: string) =>
    this.#kernel.scripts.setFile(this.#kernel.scripts.get(id), file);
  rename = (id: number, file: string) => this.setFile(id, file);
  start(run: ScriptRun): void {
    if (run.id !== undefined) this.#kernel.scripts.get(run.id);
    this.runs.push(run);
  }
  async run(run: ScriptRun): Promise<string> {
    this.start(run);
    return `ran with ${JSON.stringify(run.parameters)}`;
  }
  compileError = async (id: number) => (this.#kernel.scripts.get(id).data.broken ? 'a.js:1:9: wrong' : '');
  abort = (id: number) => this.runs.some((run) => run.id === this.#kernel.scripts.get(id).id);
  enter = (name: string) => name !== 'taken';
  leave = (name: string) => name !== 'taken';
  sleep = async (ms: number) => void this.sleeps.push(ms);
  senders = () =>
    new Map(this.runs.map(({ sender }) => [sender, this.runs.filter((run) => run.sender === sender).length]));
  threads = async () => [new Thread(1).record(), new Thread(2).record()];
}

const system: SystemPort = {
  version: '0.1',
  revision: 'test',
  builtAt: 1_690_000_000,
  kernelDir: '/var/lib/stellwerk/',
  programDir: '/usr/lib/stellwerk/',
  logDir: '/var/log/stellwerk/',
  startedAt: 1_700_000_000,
  platform: 'Linux 6.12.1',
  architecture: 'x86_64',
  language: 'en_US',
  timezone: 'Europe/Berlin',
  trimMemory: async () => undefined,
  health: () => ({ State: 'ok', Checks: [] }),
  doctor: async () => [],
  audit: () => [],
  auditLines: () => [],
  prune: async () => [],
  reload: async () => ({ Applied: [], NeedsRestart: [], Problems: [], CodedProblems: [] }),
};

/** Sender, message and data of one message. */
export type Message = [sender: number, message: number, data: readonly unknown[]];

/**
 * The command reference over a kernel and two kinds of devices, with fakes for everything outside the
 * process.
 */
export class FunctionFixture implements AsyncDisposable {
  /** The source of ids; set by tests that must repeat with the same seed. */
  random: () => number = Math.random;
  readonly clock = new ManualClock();
  readonly kernel = new Kernel({
    counter: 1000,
    random: () => this.random(),
    isClockTrusted: () => this.clock.isTrusted(),
  });
  readonly tasks = new TaskList(this.clock);
  readonly devices: Devices;
  readonly scripts = new RecordingScripts(this.kernel);
  readonly configurators: Configurator[] = [];
  /** What is stored for configurators. */
  readonly kept = new Map<string, string>();
  readonly saved: [string, number][] = [];
  /** The connections that functions see. */
  api: ConnectionsPort | undefined;
  readonly audit: AuditRecord[] = [];
  readonly errors: string[] = [];
  readonly ports: Ports;
  readonly registry: Registry;
  readonly #events = new LazyEvents(() => this.ports);
  /** The pending commits; each waiting call is one entry. */
  readonly commits: PromiseWithResolvers<void>[] = [];
  #archive: Promise<Archive> | undefined;
  #directory: string | undefined;

  /** `directory` contains the media files; `more` are modules in addition to the lamp and its bus. */
  constructor(
    brought: readonly FunctionDeclaration[] = [],
    directory = '/nowhere',
    more: readonly ModuleDefinition[] = [],
  ) {
    const log: Log = {
      ...silentLog,
      error: (_details, text) => void this.errors.push(text),
      subject: () => log,
    };
    const modules = new ModuleRegistry([bus, lamp, ...coreModules, ...more]);
    const { kernel, clock } = this;
    const debug = new Debug({ kernel, clock });
    this.devices = new Devices({ kernel, modules, clock, log, debug });
    this.devices.start();
    const save = async (name: string, value: number) => void this.saved.push([name, value]);
    const options = new Options({ saved: {}, save });
    const media = lazyMedia({ kernel: this.kernel, clock: this.clock, log, directory }).get;
    const events = () => this.#events.ready();
    const { devices, scripts } = this;
    this.ports = {
      tasks: this.tasks,
      deletions: new Deletions({ kernel, clock, devices, scripts, media, events, log }),
      archive: () => (this.#archive ??= this.#openArchive()),
      kernel: this.kernel,
      clock: this.clock,
      log,
      devices: this.devices,
      debug,
      scripts: this.scripts,
      events,
      configurators: {
        all: () => this.configurators,
        frontData: (id, what) => this.kept.get(`${what} ${id}`),
        saveFrontData: (id, what, text) => {
          this.kept.set(`${what} ${id}`, text);
          this.kernel.journal.markOther();
        },
      },
      media,
      options,
      messageLog: new ServiceLog({ write: () => undefined, form: 'json' }),
      connections: () => this.api,
      messageWatch: createMessageWatch(kernel, clock, options),
      execute: async () => Promise.reject(fault('NOT_ALLOWED', 'Running programs in tests')),
      machine: lazyMachine(this.clock, systemResolver(this.clock), import.meta.dirname),
      backups: async () => Promise.reject(fault('NOT_SUPPORTED', 'Backups on a desk')),
      targetBackups: async () => Promise.reject(fault('NOT_SUPPORTED', 'Backups on a desk')),
      chips: async () => Promise.reject(fault('NOT_SUPPORTED', 'Chips on a desk')),
      updates: async () => Promise.reject(fault('NOT_SUPPORTED', 'Updates on a desk')),
      configuration: async () => Promise.reject(fault('NOT_SUPPORTED', 'A configuration on a desk')),
      system: { ...system, audit: (limit) => this.audit.slice(-limit).reverse() },
    };
    const { journal } = this.kernel;
    this.registry = createRegistry(this.ports, {
      extraFunctions: brought,
      aliases: { IPS: 'SVC', HM: 'HW' },
      audit: { record: (entry) => void this.audit.push(entry) },
      durability: {
        get version() {
          return journal.version;
        },
        committed: () => {
          const commit = Promise.withResolvers<void>();
          this.commits.push(commit);
          if (this.isDurable) commit.resolve();
          return commit.promise;
        },
      },
    });
  }

  /** While true, every commit succeeds immediately. */
  isDurable = true;

  /** Calls a function as the owner; rejects if the result does not match its declaration. */
  async call(method: string, ...params: unknown[]): Promise<unknown> {
    const result = await this.registry.call(method, params, owner);
    const declaration = this.registry.find(method);
    if (declaration === undefined || result instanceof ChunkedResult) return result;
    const difference = schemaViolation(declaration, result);
    if (difference !== undefined) throw new Error(difference);
    return result;
  }

  /** A lamp on a bus, both online; its id. */
  async lamp(): Promise<number> {
    const parent = this.devices.create('Bus');
    const { id, children } = this.devices.create('Lamp');
    await this.devices.connect(id, parent.id);
    const link = children?.byIdent('LINK') as Variable;
    await until('the lamp is online', () => link.data.value === 'online');
    return id;
  }

  /** The id of a variable of an instance. */
  idOf(instance: number, ident: string): number {
    return this.kernel.tree.get(instance).children?.byIdent(ident)?.id ?? 0;
  }

  /**
   * Calls a function as the owner; returns the messages that clients received: sender, message and data of
   * each.
   */
  async messagesOfCall(method: string, ...params: unknown[]): Promise<Message[]> {
    const before = this.kernel.changes.counter;
    await this.call(method, ...params);
    return this.kernel.changes.since(before).map(({ SenderID, Message, Data }) => [SenderID, Message, Data]);
  }

  /** Calls as a user of a configurator. */
  async callAsWebFront(configurator: number, method: string, ...params: unknown[]): Promise<unknown> {
    const caller = { role: 'webfront', user: 'webfront', remote: '10.0.0.9', configurator } as const;
    return await this.registry.call(method, params, caller);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#events[Symbol.asyncDispose]();
    await this.devices.close();
    await (await this.#archive)?.close();
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }

  /** A real archive, in a directory of its own. */
  async #openArchive(): Promise<Archive> {
    const { kernel, clock } = this;
    this.#directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
    const archive = await Archive.open({
      kernel,
      clock,
      directory: this.#directory,
      log: this.ports.log,
      checks: noHealthChecks,
      writeEveryMs: 5_000,
      onWritten: () => undefined,
    });
    kernel.variables.onLogged((variable, nowMs) => archive.record(variable, nowMs));
    return archive;
  }
}
