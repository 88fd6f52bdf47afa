import { Type } from '@sinclair/typebox';
import { type Host, moduleKind, type ModuleDefinition, variableType } from '../../../src/device/module.js';
import { lastCount } from './dropped-edges.js';
import type { Edge } from '../backends/line.js';
import { CONTACT_LIMIT, oscillating } from './oscillation-detector.js';
import { inputProperties, missingLineError } from '../line-properties.js';
import { getLines } from '../board-functions.js';
import type { LineWatcher } from './line-watcher.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

const properties = Type.Object(inputProperties(0));

/** The module **GPIO Input**: a contact, a sensor, anything that is on or off. */
export function inputModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{2EB93A1A-5E16-4974-983A-61D38D0EC846}',
    name: 'GPIO Input',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      { ident: 'STATE', name: 'State', type: variableType.boolean, profile: '~Switch', position: 1 },
      { ident: 'COUNT', name: 'Count', type: variableType.integer, position: 2 },
      { ident: 'LOST', name: 'Lost', type: variableType.integer, position: 3 },
    ],
    check: missingLineError,
    functions: () => [getLines(board, ways)],
    findHardware: async () => (await import('../line-inventory.js')).searchLines(board, ways),
    open: async (host) =>
      (await import('./line-watcher.js')).watchLine(host, { board, backends: ways }, new Input(host)),
  };
}

/** Turns edges into reports. COUNT goes on from where it stood when the gateway last knew it. */
class Input implements LineWatcher {
  readonly limit = CONTACT_LIMIT;
  readonly #host: Host;
  #count: number;
  /** What a line that oscillates was last. */
  #last = false;
  #isRushing = false;

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
    this.#last = edges.at(-1)?.active ?? this.#last;
    this.#isRushing = true;
    this.#host.markUncertain('STATE', oscillating);
  }

  onOscillationTick(isOver: boolean): void {
    this.#isRushing = !isOver;
    if (isOver) this.#host.report('STATE', this.#last);
    else this.#host.reportUncertain('STATE', this.#last, oscillating);
    this.#host.report('COUNT', this.#count);
  }

  flush(): void {
    if (this.#isRushing) this.onOscillationTick(false);
  }
}
