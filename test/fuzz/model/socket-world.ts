import { Client, RpcError, type AnyFunction, type Item } from '../../../src/client/index.js';
import { OWNER } from '../../tools/api-world.js';
import type { Reached } from '../../tools/exchange.js';
import type { Frame } from '../../tools/replica.js';
import { soon } from '../../tools/until.js';
import type { Snapshot } from './model.js';
import type { Outcome, World } from './run.js';

/** A whole gateway, called over HTTP and followed over a WebSocket. */
export class SocketWorld implements World, AsyncDisposable {
  /** Made without a line, it stays as it is. */
  readonly module = {
    moduleID: '{1448F419-4671-4427-8CFD-A3117E879461}',
    moduleName: 'GPIO Output',
    moduleType: 3,
  };
  readonly #client: Client<AnyFunction>;
  readonly #stop = new AbortController();
  readonly #clock: { nowMs(): number } | undefined;
  #changes: AsyncGenerator<Item> | undefined;
  #counter = 0;

  /** `clock`: the gateway's, where the test turns it. */
  constructor(at: Reached, clock?: { nowMs(): number }) {
    const login = `${encodeURIComponent(OWNER.username)}:${OWNER.password}`;
    this.#client = new Client<AnyFunction>(`http://${login}@127.0.0.1:${at.port}/api/`);
    this.#clock = clock;
  }

  get nowS(): number | undefined {
    return this.#clock === undefined ? undefined : Math.floor(this.#clock.nowMs() / 1000);
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
      const { value } = await soon('the next message', this.#changes.next());
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
