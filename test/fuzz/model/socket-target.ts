import { Client, RpcError, type AnyFunction, type Item } from '../../../src/client/index.js';
import { systemClock, type ManualClock } from '../../../src/base/clock.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { defaultsOf } from '../../../src/device/properties.js';
import { createModuleList } from '../../../src/composition/module-list.js';
import { OWNER } from '../../tools/gateway/api-fixture.js';
import type { ApiAddress } from '../../tools/client/json-rpc.js';
import type { Frame } from '../../tools/client/replica.js';
import { withinPatience } from '../../tools/until.js';
import type { Outcome, TestTarget } from './model-run.js';
import type { SampleModule, SampleModules, Snapshot } from './snapshot-types.js';
import { functionVocabulary } from './function-target.js';
import type { Vocabulary } from './steps.js';

/**
 * The vocabulary of sequences over sockets. A script is a process there, which ends at an unknown time:
 * events run none, and variables trigger none.
 */
export const socketVocabulary: Vocabulary = {
  ...functionVocabulary,
  families: [...functionVocabulary.families, 'scripts'],
  io: 'MQTT Client',
  device: 'MQTT Device',
  settings: [
    ['ClientID', 'me'],
    ['Password', 'geheim'],
    ['WillRetain', false],
    ['WillRetain', true],
  ],
  active: [1, 2],
  timeTypes: [0, 3],
  eventTexts: [''],
};

/** A complete gateway, called over HTTP and followed over a WebSocket. */
export class SocketTarget implements TestTarget, AsyncDisposable {
  readonly hasTexts = true;
  readonly modules: SampleModules;
  readonly #client: Client<AnyFunction>;
  readonly #stop = new AbortController();
  readonly #clock: ManualClock | undefined;
  #changes: AsyncGenerator<Item> | undefined;
  #counter = 0;

  /** `clock`: the gateway's, if the test controls it. */
  constructor(at: ApiAddress, modules: SampleModules, clock?: ManualClock) {
    const login = `${encodeURIComponent(OWNER.username)}:${OWNER.password}`;
    this.#client = new Client<AnyFunction>(`http://${login}@127.0.0.1:${at.port}/api/`);
    this.modules = modules;
    this.#clock = clock;
  }

  get nowS(): number | undefined {
    return this.#clock === undefined ? undefined : Math.floor(this.#clock.nowMs() / 1000);
  }

  async pass(): Promise<void> {
    this.#clock?.advance(700);
    await yieldToEventLoop();
  }

  async call(name: string, params: readonly unknown[]): Promise<Outcome> {
    try {
      return { result: await this.#client.call(name, ...params) };
    } catch (thrown) {
      if (thrown instanceof RpcError) return { code: thrown.reason ?? thrown.message };
      throw thrown;
    }
  }

  async look() {
    const taken = (await this.#client.call('SVC_GetSnapshot')) as Snapshot & { timestamp: number };
    const frames: Frame[] = [];
    const following = this.#changes !== undefined;
    this.#changes ??= this.#client.changes({ since: taken.timestamp, signal: this.#stop.signal });
    if (!following) this.#counter = taken.timestamp;
    while (this.#counter < taken.timestamp) {
      const { value } = await withinPatience('the next message', this.#changes.next());
      if (value?.kind !== 'change') throw new Error('changes are missing');
      this.#counter = value.record.TimeStamp;
      frames.push(value.record as unknown as Frame);
    }
    return { snapshot: { objects: taken.objects, profiles: taken.profiles }, frames };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#changes?.next().catch(() => undefined);
  }
}

/** Modules that stay offline without an address. */
export async function socketModules(): Promise<SampleModules> {
  const all = await createModuleList(systemClock())({ board: 'simulated' });
  const shown = (name: string, secret: string): SampleModule => {
    const module = all.get(name);
    const { id: moduleID, kind: moduleType } = module;
    return { moduleID, moduleName: name, moduleType, properties: defaultsOf(module), secret };
  };
  return { io: shown('MQTT Client', 'Password'), device: shown('MQTT Device', '') };
}
