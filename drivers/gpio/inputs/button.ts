import { type Static, Type } from '@sinclair/typebox';
import { generalOf, messageOf } from '../../../src/base/fault.js';
import { yieldToEventLoop } from '../../../src/base/serial-queue.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  referenceKind,
  variableType,
} from '../../../src/device/module.js';
import { type Gesture, GestureRecognizer, gestures, MAX_CLICKS } from './gestures.js';
import { lastCount } from './dropped-edges.js';
import type { Edge } from '../backends/line.js';
import { PUSH_BUTTON_LIMIT, oscillating } from './oscillation-detector.js';
import { inputProperties, missingLineError } from '../line-properties.js';
import type { LineWatcher } from './line-watcher.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** The messages of a button in the change stream: from its instance, with the count of that gesture as data. */
export const buttonMessage: Readonly<Record<Gesture, number>> = {
  press: 20301,
  release: 20302,
  single: 20303,
  double: 20304,
  triple: 20305,
  long: 20306,
  hold: 20307,
};

/** Contacts of buttons bounce for 1 to 10 ms. */
const BUTTON_DEBOUNCE_US = 20_000;

const ms = (standard: number, minimum = 50) => Type.Integer({ default: standard, minimum, maximum: 60_000 });

const properties = Type.Object({
  ...inputProperties(BUTTON_DEBOUNCE_US),
  LongMs: ms(600),
  HoldEveryMs: ms(250, 0),
  ClickGapMs: ms(300),
  Clicks: Type.Integer({ default: MAX_CLICKS, minimum: 1, maximum: MAX_CLICKS }),
  /** The ident path of what it switches over by itself: an instance with a STATE, or a variable; empty: nothing. */
  Toggles: Type.String({ default: '', maxLength: 1024, refers: referenceKind.switch }),
  ToggleAt: enumProperty(['press', 'single', 'double', 'triple', 'long'] as const, 'press'),
});
type ButtonHost = Host<Static<typeof properties>>;

/** The module **Button**: what a person does with a push button. */
export function buttonModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{A29C8A07-CA12-4C34-98A7-5482143E580E}',
    name: 'Button',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, profile: '~Switch', position: 1 },
      ...gestures.map((gesture, at) => ({
        ident: identOf(gesture),
        name: gesture.replace(/^./, (letter) => letter.toUpperCase()),
        type: variableType.integer,
        position: 2 + at,
      })),
      { ident: 'LOST', name: 'Lost', type: variableType.integer, position: 20 },
    ],
    check: missingLineError,
    open: async (host) =>
      (await import('./line-watcher.js')).watchLine(host, { board, backends: ways }, new Button(host)),
  };
}

const identOf = (gesture: Gesture): string => gesture.toUpperCase();
const msOf = (ns: bigint): number => Number(ns) / 1e6;

/** Tells the gestures of one button; each count goes on from where it stood. */
class Button implements LineWatcher {
  readonly limit = PUSH_BUTTON_LIMIT;
  readonly #host: ButtonHost;
  readonly #counts: Record<Gesture, number>;
  #gestures: GestureRecognizer | undefined;
  #cancel: () => void = () => undefined;
  /** What a line that oscillates was last. */
  #last = false;

  constructor(host: ButtonHost) {
    this.#host = host;
    this.#counts = Object.fromEntries(
      gestures.map((gesture) => [gesture, lastCount(host, identOf(gesture))]),
    ) as Record<Gesture, number>;
  }

  onInitial(active: boolean): void {
    this.#begin(active);
    this.#host.report('STATE', active);
    for (const gesture of gestures) this.#host.report(identOf(gesture), this.#counts[gesture]);
  }

  onEdges(edges: readonly Edge[]): void {
    for (const { active, atNs } of edges) {
      this.#gestures?.advance(msOf(atNs));
      this.#host.report('STATE', active, atNs);
      this.#gestures?.edge(active, msOf(atNs));
    }
    this.#wait();
  }

  /** Nobody presses like that: no gesture is told. */
  onOscillating(edges: readonly Edge[]): void {
    this.#last = edges.at(-1)?.active ?? this.#last;
    this.#gestures = undefined;
    this.#wait();
    this.#host.markUncertain('STATE', oscillating);
  }

  /** A press that it ends in is none, as its beginning was not seen. */
  onOscillationTick(isOver: boolean): void {
    if (!isOver) return this.#host.reportUncertain('STATE', this.#last, oscillating);
    this.#host.report('STATE', this.#last);
    this.#begin(this.#last);
  }

  close(): void {
    this.#cancel();
    this.#gestures = undefined;
  }

  #begin(active: boolean): void {
    const { LongMs, HoldEveryMs, ClickGapMs, Clicks } = this.#host.properties;
    const times = {
      longMs: LongMs,
      holdEveryMs: HoldEveryMs,
      clickGapMs: ClickGapMs,
      mostClicks: Clicks,
    };
    this.#gestures = new GestureRecognizer(times, active, (gesture) => this.#tell(gesture));
  }

  #tell(gesture: Gesture): void {
    const count = ++this.#counts[gesture];
    this.#host.report(identOf(gesture), count);
    this.#host.emitMessage(buttonMessage[gesture], [count]);
    const { Toggles, ToggleAt } = this.#host.properties;
    if (Toggles !== '' && gesture === ToggleAt) void this.#toggle(Toggles);
  }

  async #toggle(path: string): Promise<void> {
    try {
      await this.#host.toggle(path);
      this.#host.setProblem('TOGGLES', undefined);
    } catch (thrown) {
      this.#host.setProblem('TOGGLES', `Toggles: ${messageOf(thrown)}`, `Toggles: ${generalOf(thrown)}`);
    }
  }

  #wait(): void {
    this.#cancel();
    const dueMs = this.#gestures?.dueMs;
    if (dueMs === undefined) return;
    const { clock } = this.#host;
    const waitMs = Math.max(0, dueMs - msOf(clock.monotonicNs()));
    this.#cancel = clock.after(Math.ceil(waitMs), () => void this.#isDue(msOf(clock.monotonicNs())));
  }

  /** Edges that happened before the deadline may still wait to be read: they go first. */
  async #isDue(nowMs: number): Promise<void> {
    await yieldToEventLoop();
    this.#gestures?.advance(nowMs);
    this.#wait();
  }
}
