import { Type } from '@sinclair/typebox';
import { type Host, moduleKind, type ModuleDefinition, variableType } from '../../src/device/module.js';
import { countOf } from './counts.js';
import type { Edge } from './line.js';
import { CONTACT, oscillates } from './oscillation.js';
import { inputProperties, lineMissing } from './properties.js';
import { getLines } from './show.js';
import type { Watcher } from './watch.js';
import type { GpioBoard, Ways } from './ways.js';

const properties = Type.Object(inputProperties(0));

/** The module **GPIO Input**: a contact, a sensor, anything that is on or off. */
export function gpioInput(board: GpioBoard, ways: Ways): ModuleDefinition<typeof properties> {
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
    check: lineMissing,
    functions: () => [getLines(board, ways)],
    find: async () => (await import('./seen.js')).findLines(board, ways),
    open: async (host) => (await import('./watch.js')).watch(host, { board, ways }, new Input(host)),
  };
}

/** Turns edges into reports. COUNT goes on from where it stood when the gateway last knew it. */
class Input implements Watcher {
  readonly limit = CONTACT;
  readonly #host: Host;
  #count: number;
  /** What a line that oscillates was last. */
  #last = false;
  #isRushing = false;

  constructor(host: Host) {
    this.#host = host;
    this.#count = countOf(host, 'COUNT');
  }

  found(active: boolean): void {
    this.#host.report('STATE', active);
    this.#host.report('COUNT', this.#count);
  }

  edges(edges: readonly Edge[]): void {
    const before = this.#count;
    for (const { active, atNs } of edges) {
      if (active) this.#count++;
      this.#host.report('STATE', active, atNs);
    }
    if (this.#count !== before) this.#host.report('COUNT', this.#count, edges.at(-1)?.atNs);
  }

  rush(edges: readonly Edge[]): void {
    for (const { active } of edges) if (active) this.#count++;
    this.#last = edges.at(-1)?.active ?? this.#last;
    this.#isRushing = true;
    this.#host.doubt('STATE', oscillates);
  }

  glance(isOver: boolean): void {
    this.#isRushing = !isOver;
    if (isOver) this.#host.report('STATE', this.#last);
    else this.#host.guess('STATE', this.#last, oscillates);
    this.#host.report('COUNT', this.#count);
  }

  flush(): void {
    if (this.#isRushing) this.glance(false);
  }
}
