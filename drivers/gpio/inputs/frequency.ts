import { type Static, Type } from '@sinclair/typebox';
import { type Host, moduleKind, type ModuleDefinition, variableType } from '../../../src/device/module.js';
import type { Edge } from '../backends/line.js';
import { inputProperties, missingLineError } from '../line-properties.js';
import { PulseRate } from './pulse-rate.js';
import type { LineWatcher } from './line-watcher.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

const properties = Type.Object({
  ...inputProperties(0),
  Divider: Type.Number({ default: 1, exclusiveMinimum: 0 }),
  TimeoutS: Type.Integer({ default: 10, minimum: 1, maximum: 86_400 }),
  ReportEveryMs: Type.Integer({ default: 1000, minimum: 100, maximum: 3_600_000 }),
});
type Settings = Static<typeof properties>;

/** The module **Frequency**: how often a line changes to active, a fan's or a wind sensor's. */
export function frequencyModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{02C16523-DEE9-4BA9-AE08-2DFA82696164}',
    name: 'Frequency',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      { ident: 'FREQUENCY', name: 'Frequency', type: variableType.float, profile: '~Hertz', position: 1 },
      { ident: 'LOST', name: 'Lost', type: variableType.integer, position: 2 },
    ],
    check: missingLineError,
    open: async (host) =>
      (await import('./line-watcher.js')).watchLine(host, { board, backends: ways }, new Frequency(host)),
  };
}

/** Measures by the kernel's times of the edges; told at fixed times, when it is another. */
class Frequency implements LineWatcher {
  readonly #host: Host<Settings>;
  readonly #rate: PulseRate;
  #cancel: () => void = () => undefined;

  constructor(host: Host<Settings>) {
    this.#host = host;
    this.#rate = new PulseRate(host.properties.TimeoutS);
  }

  onInitial(): void {
    this.#host.report('FREQUENCY', 0);
    this.#cancel = this.#host.clock.every(this.#host.properties.ReportEveryMs, () => this.#tell());
  }

  onEdges(edges: readonly Edge[]): void {
    for (const { active, atNs } of edges) if (active) this.#rate.addPulse(atNs);
  }

  close(): void {
    this.#cancel();
  }

  #tell(): void {
    const { clock, properties } = this.#host;
    const hertz = this.#rate.at(clock.monotonicNs()) / properties.Divider;
    if (hertz !== this.#host.lastValue('FREQUENCY')) this.#host.report('FREQUENCY', hertz);
  }
}
