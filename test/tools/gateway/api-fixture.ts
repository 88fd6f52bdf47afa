import type { Text } from '../../../src/base/codes/coded-text.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConfiguratorAccess } from '../../../src/api/access/accounts.js';
import { Api } from '../../../src/api/api.js';
import type { ApiOptions, ApiContext } from '../../../src/api/api-options.js';
import { CertificateAuthority } from '../../../src/api/http/certificate-authority.js';
import type { Dispatcher } from '../../../src/api/rpc/dispatcher.js';
import { systemClock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import type { LimitReporter } from '../../../src/base/limit-reporter.js';
import type { Log } from '../../../src/base/log.js';
import { ChunkedResult, type JsonChunks } from '../../../src/base/json-chunks.js';
import type { Access, Caller } from '../../../src/device/declare.js';
import { createPages } from '../../../src/front/pages.js';
import { Kernel } from '../../../src/kernel/kernel.js';
import { objectType, type TreeObject } from '../../../src/kernel/object.js';
import { SnapshotReader } from '../../../src/kernel/snapshot.js';
import { tempDirectory } from '../temp-directory.js';
import { basicLine } from '../client/raw-http.js';

export const OWNER = { username: 'owner@example.org', password: 'swordfish' };
export const ownerLine = basicLine(OWNER.username, OWNER.password);

/** Records log lines, level first. */
export class RecordedLog implements Log {
  readonly lines: string[] = [];
  readonly #add = (level: string) => (details: object, text: string) =>
    void this.lines.push(`${level} ${text} ${JSON.stringify(details)}`);
  debug = this.#add('debug');
  info = this.#add('info');
  warn = this.#add('warn');
  error = this.#add('error');
  subject = () => this;
}

/** Counts by name how often each limit took effect. */
export class HitLimits implements LimitReporter {
  readonly hits = new Map<string, number>();
  report(limit: Text): void {
    const name = limit.toString();
    this.hits.set(name, (this.hits.get(name) ?? 0) + 1);
  }
}

interface FakeFunction {
  readonly access: Access;
  readonly run: (params: unknown[], caller: Caller) => unknown;
}

/** A small command reference that records the callers of its functions. */
export class FakeFunctions implements Dispatcher {
  readonly calls: { method: string; caller: Caller }[] = [];
  readonly #all = new Map<string, FakeFunction>();

  add(name: string, run: (params: never, caller: Caller) => unknown, access: Access = 'owner'): this {
    this.#all.set(name, { access, run: run as FakeFunction['run'] });
    return this;
  }

  find(method: string): { access: Access; parameters: { name: string }[] } | undefined {
    const found = this.#all.get(method);
    return found && { access: found.access, parameters: [{ name: 'ConfiguratorID' }] };
  }

  call(method: string, params: unknown, caller: Caller): unknown {
    this.calls.push({ method, caller });
    const found = this.#all.get(method);
    if (found === undefined) throw fault('METHOD_NOT_FOUND');
    const list: unknown[] = Array.isArray(params) ? params : Object.values((params ?? {}) as object);
    const isOwn =
      found.access === 'webfront' && caller.role === 'webfront' && list[0] === caller.configurator;
    if (caller.role !== 'owner' && found.access !== 'public' && !isOwn) throw fault('ACCESS_DENIED');
    return found.run(list, caller);
  }
}

/**
 * A tree with two floors: the ground floor is the area of one configurator, the upper floor that of another
 * without a password.
 */
export interface ApiFixture {
  readonly api: Api;
  readonly port: number;
  readonly kernel: Kernel;
  readonly functions: FakeFunctions;
  readonly log: RecordedLog;
  readonly limits: HitLimits;
  readonly directory: string;
  readonly ground: TreeObject;
  readonly upper: TreeObject;
  readonly lamp: TreeObject<2>;
  readonly blind: TreeObject<2>;
  readonly configurators: Map<number, ConfiguratorAccess>;
  readonly options: ApiOptions;
  /** Completes the calls of `Wait`. */
  releaseWait(): void;
  set(variable: TreeObject<2>, value: number | string | boolean): void;
}

type Test = { teardown(end: () => Promise<void>): void };

/** Starts an API on a free port, over a real kernel and fake functions; it ends with the test. */
export async function startApi(
  t: Test,
  given: Partial<ApiOptions> = {},
  parts: Partial<ApiContext> = {},
): Promise<ApiFixture> {
  const directory = await tempDirectory(t);
  const kernel = new Kernel({ counter: 1000, random: Math.random });
  const { tree, variables } = kernel;
  const ground = tree.create(objectType.category, {}, { name: 'Ground floor', ident: 'ground' });
  const upper = tree.create(objectType.category, {}, { name: 'Upper floor', ident: 'upper' });
  const lamp = variables.create(2, { parent: ground, name: 'Lamp', ident: 'lamp' });
  const blind = variables.create(2, { parent: upper, name: 'Blind', ident: 'blind' });
  const released = Promise.withResolvers<void>();
  const functions = fill(new FakeFunctions(), kernel, released.promise);
  const configurators = new Map<number, ConfiguratorAccess>([
    [50_001, { id: 50_001, base: ground.id, password: 'tulip', passwordRequired: true, autostart: [] }],
    [50_002, { id: 50_002, base: upper.id, passwordRequired: false, autostart: [] }],
  ]);
  const log = new RecordedLog();
  const limits = new HitLimits();
  const all: ApiContext = {
    dispatcher: functions,
    kernel,
    log,
    limits,
    clock: systemClock(),
    configurators: { get: (id) => configurators.get(id), all: () => configurators.values() },
    pages: createPages(() => ({})),
    icons: { content: () => Promise.reject(new Error('this fixture has no icons')) },
    directory,
    authority: new CertificateAuthority({ directory: `${directory}/tls`, clock: systemClock(), log }),
    recordAudit: () => undefined,
    pingStore: async () => undefined,
    sendPush: () => Promise.reject(new Error('this fixture reaches no push service')),
    ...parts,
  };
  const options: ApiOptions = { host: '127.0.0.1', port: 0, remoteAccess: OWNER, ...given };
  const api = await Api.start(all, options);
  t.teardown(() => api.close());
  const made = {
    api,
    port: api.port() ?? 0,
    kernel,
    functions,
    log,
    limits,
    directory,
    configurators,
    options,
  };
  const set: ApiFixture['set'] = (variable, value) => variables.update(variable, value, Date.now());
  return { ...made, ground, upper, lamp, blind, set, releaseWait: () => released.resolve() };
}

function fill(functions: FakeFunctions, kernel: Kernel, released: Promise<void>): FakeFunctions {
  const { variables, tree } = kernel;
  const card = { Icon: '', Editable: false, MobileEnabled: false };
  const cards = [
    { ...card, ID: 50_001, Title: 'Ground <floor>', Position: 1, PasswordRequired: true },
    { ...card, ID: 50_002, Title: 'Upper floor', Position: 2, PasswordRequired: false },
  ];
  return functions
    .add('GetValue', ([id]: [number]) => variables.get(id).data.value)
    .add('SetValue', ([id, value]: [number, number]) => {
      variables.update(variables.get(id), value, Date.now());
      return true;
    })
    .add('Echo', ([value]: [unknown]) => value)
    .add('Boom', () => {
      throw new Error('the secret of the stack');
    })
    .add('Wait', () => released.then(() => 'waited'))
    .add('Late', () => sleep(1).then(() => 'late'))
    .add('Snapshot', () => new ChunkedResult(objectsOf(new SnapshotReader(tree))))
    .add('WFC_GetConfigurators', () => cards, 'public')
    .add('WFC_Area', (_: [number], caller) => caller.configurator, 'webfront')
    .add('GW_Subscribe', ([ids, messages]: [number[], number[]], { stream }) => {
      stream?.subscribe(ids, messages);
      return stream !== undefined;
    });
}

/** All objects as one JSON object, one entry per chunk. */
function objectsOf(reader: SnapshotReader): JsonChunks {
  const pieces = (function* () {
    yield '{';
    let comma = '';
    for (let slice = reader.read(1); slice !== undefined; slice = reader.read(1), comma = ',')
      yield comma + slice;
    yield '}';
  })();
  return { next: () => pieces.next().value ?? undefined, close: () => reader.close() };
}
