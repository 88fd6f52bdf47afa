import { coded } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/event-loop.js';
import {
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  variableType,
} from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties } from '../line-properties.js';
import { lostVariable } from './dropped-edges.js';
import { lastCount } from './last-count.js';
import { QuadratureDecoder, type StepsPerDetent } from './quadrature.js';
import type { EdgeHandler, RequestedInputs } from './request-inputs.js';
import { Throttle } from './throttle.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';

/** The message of an encoder in the change stream; its data are the detents just turned and the position. */
export const ENCODER_TURNED = 20311;

/** Minimum interval between two reports. */
const REPORT_INTERVAL_MS = 20;

const { Line, ...sharedProperties } = inputProperties(0);
const properties = Type.Object({
  ...sharedProperties,
  LineA: withHelp(Line, 'Line', 'The first line of the encoder.'),
  LineB: withHelp(Line, 'Line', 'The second line of the encoder; exchange both to reverse the direction.'),
  StepsPerDetent: withHelp(
    enumProperty(['1', '2', '4'] as const, '4'),
    'Line',
    'The steps between two detents.',
  ),
});
type EncoderHost = Host<Static<typeof properties>>;

/** The module **Encoder**: an endless knob, or any two lines a quarter period apart. */
export const encoderModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{A04FFB53-5F9B-4F47-8A7C-F23D9056AE7F}',
    name: 'Encoder',
    description: 'A rotary encoder: an endless knob.',
    icon: 'Gauge',
    page: 'hardware/inputs.md',
    properties,
    variables: () => [
      { ident: 'POSITION', name: 'Position', type: variableType.integer, role: 'main', position: 1 },
      lostVariable(2),
    ],
    check: ({ LineA, LineB }) => {
      if (LineA === '' || LineB === '')
        return coded`ENCODER_LINES_EMPTY: LineA or LineB is empty: give the names of both lines`;
      return LineA === LineB
        ? coded`ENCODER_LINES_EQUAL: LineA and LineB are the same line: give two different lines`
        : undefined;
    },
    open: async (host) => {
      const encoder = new Encoder(host);
      const { LineA, LineB } = host.properties;
      const { requestInputs } = await import('./request-inputs.js');
      encoder.begin(await requestInputs(host, backends, { names: [LineA, LineB], handler: encoder }));
      return encoder;
    },
  });

/** Sorts the edges of both lines by time and counts detents. POSITION continues from its last known value. */
class Encoder implements OpenInstance, EdgeHandler {
  readonly #host: EncoderHost;
  #inputs: RequestedInputs | undefined;
  #decoder: QuadratureDecoder | undefined;
  #position: number;
  #edges: { readonly line: 'a' | 'b'; readonly edge: Edge }[] = [];
  #counting: Cancel | undefined;
  readonly #throttle: Throttle;
  /** Detents that are not reported yet, and the time of the last one. */
  #unreported = 0;
  #atNs = 0n;

  constructor(host: EncoderHost) {
    this.#host = host;
    this.#position = lastCount(host, 'POSITION');
    this.#throttle = new Throttle(host.clock, REPORT_INTERVAL_MS, () => this.#report());
  }

  begin(inputs: RequestedInputs): void {
    this.#inputs = inputs;
    const [a = false, b = false] = inputs.lines.map(({ initial }) => initial);
    this.#decoder = new QuadratureDecoder(
      Number(this.#host.properties.StepsPerDetent) as StepsPerDetent,
      a,
      b,
    );
    this.#host.report('POSITION', this.#position);
    this.#count();
  }

  /** Edges that are read in one turn of the event loop are sorted at its end. */
  onEdges(edges: readonly Edge[], index: number): void {
    for (const edge of edges) this.#edges.push({ line: index === 0 ? 'a' : 'b', edge });
    this.#counting ??= onNextIteration(() => this.#count());
  }

  async probe(): Promise<void> {
    await this.#inputs?.probe();
  }

  flush(): void {
    this.#count();
    this.#throttle.flush();
    this.#inputs?.flush();
  }

  async close(): Promise<void> {
    this.#counting?.();
    this.#throttle.close();
    await this.#inputs?.close();
  }

  #count(): void {
    this.#counting?.();
    this.#counting = undefined;
    if (this.#decoder === undefined) return;
    const edges = this.#edges.splice(0).sort((a, b) => Number(a.edge.atNs - b.edge.atNs));
    let detents = 0;
    for (const { line, edge } of edges) detents += this.#decoder.edge(line, edge.active);
    if (detents === 0) return;
    this.#position += detents;
    this.#unreported += detents;
    this.#atNs = edges.at(-1)?.edge.atNs ?? this.#atNs;
    this.#throttle.schedule();
  }

  #report(): void {
    if (this.#unreported === 0) return; // turned forward and back within one interval
    this.#host.report('POSITION', this.#position, this.#atNs);
    this.#host.emitMessage(ENCODER_TURNED, [this.#unreported, this.#position]);
    this.#unreported = 0;
  }
}
