import { type Static, Type } from '@sinclair/typebox';
import { type Host, type ModuleDefinition, variableType } from '../../../src/device/module.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties, missingLineError } from '../line-properties.js';
import { lostVariable } from './dropped-edges.js';
import type { LineWatcher } from './line-watcher.js';
import { PulseRate } from './pulse-rate.js';
import { openWatchedInput } from './watched-input.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';

const properties = Type.Object({
  ...inputProperties(0),
  Divider: withHelp(
    Type.Number({ default: 1, exclusiveMinimum: 0 }),
    'Measurement',
    'Pulses per period; the frequency is divided by it.',
  ),
  TimeoutS: withHelp(
    Type.Integer({ default: 10, minimum: 1, maximum: 86_400 }),
    'Measurement',
    'Without a pulse for this time, the frequency is 0.',
  ),
  ReportEveryMs: withHelp(
    Type.Integer({ default: 1000, minimum: 100, maximum: 3_600_000 }),
    'Measurement',
    'The interval between two reports.',
  ),
});
type FrequencyProperties = Static<typeof properties>;

/** The module **Frequency**: how often a line becomes active, for example a fan's or a wind sensor's. */
export const frequencyModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{02C16523-DEE9-4BA9-AE08-2DFA82696164}',
    name: 'Frequency',
    description: 'The frequency of pulses on a line: flow, wind speed, revolutions.',
    icon: 'WindSpeed',
    page: 'hardware/inputs.md',
    properties,
    variables: () => [
      {
        ident: 'FREQUENCY',
        name: 'Frequency',
        type: variableType.float,
        role: 'main',
        profile: '~Hertz',
        position: 1,
      },
      lostVariable(2),
    ],
    check: missingLineError,
    open: (host) => openWatchedInput(host, backends, new Frequency(host)),
  });

/** Measures by the kernel's timestamps of edges; reports at fixed intervals if the value has changed. */
class Frequency implements LineWatcher {
  readonly #host: Host<FrequencyProperties>;
  readonly #rate: PulseRate;
  #cancelReports: () => void = () => undefined;

  constructor(host: Host<FrequencyProperties>) {
    this.#host = host;
    this.#rate = new PulseRate(host.properties.TimeoutS);
  }

  onInitial(): void {
    this.#host.report('FREQUENCY', 0);
    this.#cancelReports = this.#host.clock.every(this.#host.properties.ReportEveryMs, () => this.#report());
  }

  onEdges(edges: readonly Edge[]): void {
    for (const { active, atNs } of edges) if (active) this.#rate.addPulse(atNs);
  }

  close(): void {
    this.#cancelReports();
  }

  #report(): void {
    const { clock, properties } = this.#host;
    const hertz = this.#rate.at(clock.monotonicNs()) / properties.Divider;
    if (hertz !== this.#host.lastValue('FREQUENCY')) this.#host.report('FREQUENCY', hertz);
  }
}
