import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import { AreaFilter } from '../../src/api/socket/change-filter.js';
import { Fault } from '../../src/base/fault.js';
import type { Kernel } from '../../src/kernel/kernel.js';
import type { TreeObject } from '../../src/kernel/object.js';
import { completeResult } from '../tools/client/result-schema.js';
import { FunctionFixture } from '../tools/gateway/function-fixture.js';
import { fuzzSeed, Random, seedLabel } from '../tools/random.js';
import { Replica, type Entry, type Frame } from '../tools/client/replica.js';
import { mutateTree } from './tree-mutations.js';

/** Bounds the suite: about 3 s. */
const HOUSES = 12;
const STEPS = 120;
const FRONT = 50_001;

const seed = fuzzSeed();

/** A web front: its state from a snapshot of its area and the messages since. */
class Front {
  readonly #desk: FunctionFixture;
  replica = new Replica({});
  at = 0;
  /** Number of snapshots that it has requested. */
  snapshots = 0;

  constructor(fixture: FunctionFixture) {
    this.#desk = fixture;
  }

  async begin(): Promise<void> {
    const { objects, timestamp } = await this.snapshot();
    this.replica = new Replica(objects);
    this.at = timestamp;
    this.snapshots++;
  }

  async snapshot() {
    const call = this.#desk.callAsWebFront(FRONT, 'WFC_GetSnapshot', FRONT);
    return (await completeResult(call)) as { objects: Record<string, Entry>; timestamp: number };
  }

  apply(frames: readonly Frame[]): void {
    for (const frame of frames) this.replica.apply(frame);
  }

  /** Requests the changes; requests a snapshot if they were lost. */
  async poll(): Promise<void> {
    const call = this.#desk.callAsWebFront(FRONT, 'WFC_GetSnapshotChanges', FRONT, this.at);
    try {
      this.apply((await completeResult(call)) as Frame[]);
      this.at = this.#desk.kernel.changes.counter;
    } catch (thrown) {
      if (!(thrown instanceof Fault)) throw thrown;
      await this.begin();
    }
  }

  /** Reconnects over a socket, with the counter of its last message. */
  async resume(view: AreaFilter): Promise<void> {
    const { changes } = this.#desk.kernel;
    const missed = view.replay(changes.since(this.at));
    if (missed === undefined) return this.begin();
    this.apply(missed.map(({ frame }) => JSON.parse(frame) as Frame));
    this.at = changes.counter;
  }

  /** How its state differs from a new snapshot; undefined if it does not. */
  async difference(): Promise<string | undefined> {
    const { objects } = await this.snapshot();
    const known = new Set(this.replica.objects.keys());
    for (const [key, entry] of Object.entries(objects)) {
      const id = Number(key.slice(2));
      const own = this.replica.objects.get(id);
      if (!isDeepStrictEqual(own, entry))
        return `${key}: ${JSON.stringify(own)} instead of ${JSON.stringify(entry)}`;
      known.delete(id);
    }
    return known.size === 0 ? undefined : `it still has ${[...known].join()}`;
  }
}

/** Removes values that look like ids: messages, counters and options have other numbers. */
const withoutOthers = (key: string, value: unknown) =>
  /^(Message|TimeStamp|options)$/i.test(key) ? undefined : value;

/** The ids in a text that a web front's user could see, of objects outside its area. */
function leaked(text: string, { tree }: Kernel, base: TreeObject): string[] {
  const isBelow = (object: TreeObject) => object === base || tree.isBelow(object, base);
  const ends = [
    base,
    ...[...tree.objectsOfType(6)].filter(isBelow).map((link) => tree.find(link.data.targetId)),
  ];
  const isKnown = (object: TreeObject) =>
    isBelow(object) || ends.some((end) => end === object || (end !== undefined && tree.isBelow(end, object)));
  const ids = [...text.matchAll(/\b(?:ID)?(\d{5})\b/g)].map(([, id = '']) => id);
  return ids.filter((id) => {
    // The web front's own id, which a random object may have as well.
    if (Number(id) === FRONT) return false;
    const object = tree.find(Number(id));
    return object !== undefined && !isKnown(object);
  });
}

await t.test(
  `a web front knows its complete area at any time, and nothing else (${seedLabel(seed)})`,
  async (t) => {
    const random = new Random(seed);
    const messages = { frames: 0, snapshots: 0, checks: 0 };
    for (let gateway = 0; gateway < HOUSES && t.passing(); gateway++) {
      await using fixture = new FunctionFixture();
      fixture.random = () => random.next();
      const { kernel } = fixture;
      for (const name of ['P', 'Q']) kernel.profiles.create(name, 3);
      const home = kernel.tree.create(0, {}, { name: 'House' });
      const base = kernel.tree.create(0, {}, { name: 'Base', parent: home });
      for (const parent of [base, home, base]) kernel.variables.create(3, { parent });
      kernel.links.create({ parent: base });
      const card = {
        title: '',
        icon: '',
        position: 0,
        editable: false,
        passwordRequired: false,
        mobile: false,
      };
      fixture.configurators.push({ ...card, id: FRONT, baseId: base.id });
      const [polling, live, resuming] = [new Front(fixture), new Front(fixture), new Front(fixture)];
      await polling.begin();
      await live.begin();
      await resuming.begin();
      const view = new AreaFilter(kernel.tree, base.id);
      let frames: Frame[] | 'lost' = [];
      kernel.changes.listen((change) => {
        const verdict = view.filter(change);
        if (verdict === 'lost') frames = 'lost';
        else if (verdict === 'show' && frames !== 'lost') frames.push(JSON.parse(change.frame) as Frame);
      });
      for (let step = 0; step < STEPS && kernel.tree.find(base.id) === base; step++) {
        mutateTree(random, kernel);
        if (random.chance(0.6)) continue;
        const seen: Frame[] | 'lost' = frames;
        frames = [];
        try {
          await polling.poll();
          if ((seen as Frame[] | 'lost') === 'lost') await live.begin();
          else live.apply(seen as Frame[]);
          await resuming.resume(view);
        } catch (thrown) {
          t.fail(`gateway ${gateway}, step ${step}: ${String(thrown)}`);
          break;
        }
        messages.checks++;
        messages.frames += seen.length;
        for (const [name, front] of Object.entries({ polling, live, resuming })) {
          const difference = await front.difference();
          if (difference !== undefined) t.fail(`gateway ${gateway}, step ${step}, ${name}: ${difference}`);
        }
        const leaks = leaked(JSON.stringify([await polling.snapshot(), seen], withoutOthers), kernel, base);
        if (leaks.length > 0) t.fail(`gateway ${gateway}, step ${step}: it received ${leaks.join()}`);
        if (!t.passing()) break;
      }
      messages.snapshots += polling.snapshots + live.snapshots;
    }
    t.ok(messages.frames > HOUSES && messages.snapshots < messages.checks, JSON.stringify(messages));
  },
);
