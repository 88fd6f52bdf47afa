import { Type } from '@sinclair/typebox';
import { type Host, type ModuleDefinition, variableType } from '../../../src/device/module.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties, inputState, missingLineError } from '../line-properties.js';
import { lostVariable } from './dropped-edges.js';
import { lastCount } from './last-count.js';
import type { LineWatcher } from './line-watcher.js';
import { CONTACT_LIMIT, oscillating } from './oscillation-detector.js';
import { openWatchedInput } from './watched-input.js';

const properties = Type.Object(inputProperties(0));

/** The module **GPIO Input**: a contact, a sensor, anything that is on or off. */
export const inputModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{2EB93A1A-5E16-4974-983A-61D38D0EC846}',
    name: 'GPIO Input',
    description: 'An input line: a contact, a motion detector, an alarm output.',
    icon: 'Door',
    page: 'hardware/inputs.md',
    properties,
    variables: () => [
      inputState,
      { ident: 'COUNT', name: 'Count', type: variableType.integer, role: 'diagnostic', position: 2 },
      lostVariable(3),
    ],
    check: missingLineError,
    findHardware: async () => (await import('../line-inventory.js')).searchLines(backends),
    open: (host) => openWatchedInput(host, backends, new Input(host)),
  });

/** Turns edges into reports. COUNT continues from its last known value. */
class Input implements LineWatcher {
  readonly limit = CONTACT_LIMIT;
  readonly #host: Host;
  #count: number;
  /** The last value while the line oscillates. */
  #active = false;
  #isOscillating = false;

  constructor(host: Host) {
    this.#host = host;
    this.#count = lastCount(host, 'COUNT');
  }

  onInitial(active: boolean): void {
    this.#host.report('STATE', active);
    this.#host.report('COUNT', this.#count);
  }

  onEdges(edges: readonly Edge[]): void {
    const before = this.#count;
    for (const { active, atNs } of edges) {
      if (active) this.#count++;
      this.#host.report('STATE', active, atNs);
    }
    if (this.#count !== before) this.#host.report('COUNT', this.#count, edges.at(-1)?.atNs);
  }

  onOscillating(edges: readonly Edge[]): void {
    for (const { active } of edges) if (active) this.#count++;
    this.#active = edges.at(-1)?.active ?? this.#active;
    this.#isOscillating = true;
    this.#host.markUncertain('STATE', oscillating);
  }

  onOscillationTick(isOver: boolean): void {
    this.#isOscillating = !isOver;
    if (isOver) this.#host.report('STATE', this.#active);
    else this.#host.reportUncertain('STATE', this.#active, oscillating);
    this.#host.report('COUNT', this.#count);
  }

  flush(): void {
    if (this.#isOscillating) this.onOscillationTick(false);
  }
}
