import { coded } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import { generalOf, codedMessageOf } from '../../../src/base/fault.js';
import { yieldToEventLoop } from '../../../src/base/event-loop.js';
import { type Host, type ModuleDefinition, referenceKind, variableType } from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties, inputState, missingLineError } from '../line-properties.js';
import { lostVariable } from './dropped-edges.js';
import { type Gesture, GestureRecognizer, gestures, MAX_CLICKS } from './gestures.js';
import { lastCount } from './last-count.js';
import type { LineWatcher } from './line-watcher.js';
import { oscillating, PUSH_BUTTON_LIMIT } from './oscillation-detector.js';
import { openWatchedInput } from './watched-input.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';

/** The messages of a button in the change stream; their data is the count of that gesture. */
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

const duration = (defaultMs: number, minimumMs = 50) =>
  Type.Integer({ default: defaultMs, minimum: minimumMs, maximum: 60_000 });

const properties = Type.Object({
  ...inputProperties(BUTTON_DEBOUNCE_US),
  LongMs: withHelp(duration(600), 'Gestures', 'A press that lasts for this time is long.'),
  HoldEveryMs: withHelp(
    duration(250, 0),
    'Gestures',
    'The interval of the repeated messages while the button is held; 0 for none.',
  ),
  ClickGapMs: withHelp(
    duration(300),
    'Gestures',
    'The longest pause between two clicks that belong together.',
  ),
  Clicks: withHelp(
    Type.Integer({ default: MAX_CLICKS, minimum: 1, maximum: MAX_CLICKS }),
    'Gestures',
    'The number of clicks that are distinguished; fewer make single clicks faster.',
  ),
  Toggles: withHelp(
    Type.String({ default: '', maxLength: 1024, refers: referenceKind.switch }),
    'Toggle',
    'The ident path of the output that the button toggles; empty for none.',
  ),
  ToggleAt: withHelp(
    enumProperty(['press', 'single', 'double', 'triple', 'long'] as const, 'press'),
    'Toggle',
    'The gesture that toggles the output.',
  ),
});
type ButtonHost = Host<Static<typeof properties>>;

/** The module **Button**: the gestures of a person on a push button. */
export const buttonModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{A29C8A07-CA12-4C34-98A7-5482143E580E}',
    name: 'Button',
    description: 'A push button: clicks, long presses and holding.',
    icon: 'Presence',
    page: 'hardware/inputs.md',
    properties,
    variables: () => [
      inputState,
      ...gestures.map((gesture, index) => ({
        ident: identOf(gesture),
        name: gesture.replace(/^./, (letter) => letter.toUpperCase()),
        type: variableType.integer,
        role: 'detail' as const,
        position: 2 + index,
      })),
      lostVariable(20),
    ],
    check: missingLineError,
    open: (host) => openWatchedInput(host, backends, new Button(host)),
  });

const identOf = (gesture: Gesture): string => gesture.toUpperCase();
const msOf = (ns: bigint): number => Number(ns) / 1e6;

/** Reports the gestures of one button. Each count continues from its last known value. */
class Button implements LineWatcher {
  readonly limit = PUSH_BUTTON_LIMIT;
  readonly #host: ButtonHost;
  readonly #counts: Record<Gesture, number>;
  /** Undefined while the line oscillates. */
  #recognizer: GestureRecognizer | undefined;
  #cancelTimer: () => void = () => undefined;
  /** The last value while the line oscillates. */
  #active = false;

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
      this.#recognizer?.advance(msOf(atNs));
      this.#host.report('STATE', active, atNs);
      this.#recognizer?.edge(active, msOf(atNs));
    }
    this.#startTimer();
  }

  /** Nobody presses a button like this, so no gesture is reported. */
  onOscillating(edges: readonly Edge[]): void {
    this.#active = edges.at(-1)?.active ?? this.#active;
    this.#recognizer = undefined;
    this.#startTimer();
    this.#host.markUncertain('STATE', oscillating);
  }

  /** If the oscillation ends with the button pressed, that is no press: its beginning was not seen. */
  onOscillationTick(isOver: boolean): void {
    if (!isOver) return this.#host.reportUncertain('STATE', this.#active, oscillating);
    this.#host.report('STATE', this.#active);
    this.#begin(this.#active);
  }

  close(): void {
    this.#cancelTimer();
    this.#recognizer = undefined;
  }

  #begin(active: boolean): void {
    const { LongMs, HoldEveryMs, ClickGapMs, Clicks } = this.#host.properties;
    const times = {
      longMs: LongMs,
      holdEveryMs: HoldEveryMs,
      clickGapMs: ClickGapMs,
      maxClicks: Clicks,
    };
    this.#recognizer = new GestureRecognizer(times, active, (gesture) => this.#onGesture(gesture));
  }

  #onGesture(gesture: Gesture): void {
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
      this.#host.setProblem(
        'TOGGLES',
        coded`TOGGLES_FAILED: Toggles: ${codedMessageOf(thrown)}`,
        coded`TOGGLES_FAILED: Toggles: ${generalOf(thrown)}`,
      );
    }
  }

  #startTimer(): void {
    this.#cancelTimer();
    const dueMs = this.#recognizer?.dueMs;
    if (dueMs === undefined) return;
    const { clock } = this.#host;
    const waitMs = Math.max(0, dueMs - msOf(clock.monotonicNs()));
    this.#cancelTimer = clock.after(Math.ceil(waitMs), () => void this.#onTimer(msOf(clock.monotonicNs())));
  }

  /** Edges from before the deadline may be waiting to be read; they go first. */
  async #onTimer(nowMs: number): Promise<void> {
    await yieldToEventLoop();
    this.#recognizer?.advance(nowMs);
    this.#startTimer();
  }
}
