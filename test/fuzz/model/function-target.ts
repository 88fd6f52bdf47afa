import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../../src/base/fault.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { completeResult } from '../../tools/client/result-schema.js';
import { bus, FunctionFixture, lamp, owner } from '../../tools/gateway/function-fixture.js';
import { Random } from '../../tools/random.js';
import { snapshotOf, type Frame } from '../../tools/client/replica.js';
import type { Outcome, TestTarget } from './model-run.js';
import type { SnapshotProfile } from './snapshot-types.js';
import type { Vocabulary } from './steps.js';

/**
 * The vocabulary of sequences on a function fixture: everything except texts of scripts, which are only
 * recorded there.
 */
export const functionVocabulary: Vocabulary = {
  families: ['objects', 'profiles', 'triggers', 'cyclic', 'schedules', 'conditions', 'media', 'instances'],
  io: bus.name,
  device: lamp.name,
  settings: [
    ['Place', 'roof'],
    ['Place', ''],
    ['Password', 'geheim'],
    ['Broken', true],
    ['Broken', false],
  ],
  active: [0, 1, 2],
  timeTypes: [0, 1, 2, 3],
  eventTexts: ['', 'x'],
};

/** A kernel with the command reference. */
export class FunctionTarget implements TestTarget, AsyncDisposable {
  readonly hasTexts = false;
  readonly modules = {
    io: { moduleID: bus.id, moduleName: bus.name, moduleType: bus.kind, properties: {}, secret: '' },
    device: {
      moduleID: lamp.id,
      moduleName: lamp.name,
      moduleType: lamp.kind,
      properties: { Place: '', Password: '', Broken: false },
      secret: 'Password',
    },
  };
  readonly #desk: FunctionFixture;
  readonly #directory: string;
  #seen: number;
  /** The profiles as last read: they are many, and rarely change. */
  #profiles: { readonly text: string; readonly shown: Record<string, SnapshotProfile> } = {
    text: '',
    shown: {},
  };

  /** `seed`: of the ids. */
  static async open(seed: number): Promise<FunctionTarget> {
    const directory = await mkdtemp(join(tmpdir(), 'stellwerk-'));
    await mkdir(join(directory, 'user'));
    const [fixture, random] = [new FunctionFixture([], directory), new Random(seed)];
    fixture.random = () => random.next();
    return new FunctionTarget(fixture, directory);
  }

  private constructor(fixture: FunctionFixture, directory: string) {
    this.#desk = fixture;
    this.#directory = directory;
    fixture.devices.create('Utility Control');
    this.#seen = fixture.kernel.changes.counter;
  }

  get nowS(): number {
    return this.#desk.clock.nowMs() / 1000;
  }

  async pass(): Promise<void> {
    this.#desk.clock.advance(1000);
    await quiet();
  }

  async call(name: string, params: readonly unknown[]): Promise<Outcome> {
    try {
      return { result: await completeResult(await this.#desk.registry.call(name, params, owner)) };
    } catch (thrown) {
      if (thrown instanceof Fault) return { code: thrown.code };
      throw thrown;
    } finally {
      await quiet();
    }
  }

  async look() {
    const { kernel } = this.#desk;
    const { snapshotJson: text } = kernel.profiles;
    if (this.#profiles.text !== text)
      this.#profiles = { text, shown: JSON.parse(text) as Record<string, SnapshotProfile> };
    const frames = kernel.changes.since(this.#seen).map(({ frame }) => JSON.parse(frame) as Frame);
    this.#seen = kernel.changes.counter;
    return { snapshot: { objects: snapshotOf(kernel), profiles: this.#profiles.shown }, frames };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#desk[Symbol.asyncDispose]();
    await rm(this.#directory, { recursive: true, force: true });
  }
}

/** A run of an event begins in an iteration of its own, and its effects are published in the next. */
async function quiet(): Promise<void> {
  await yieldToEventLoop();
  await yieldToEventLoop();
}
