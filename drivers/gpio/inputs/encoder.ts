import type { Cancel } from '../../../src/base/clock.js';
import { onNextIteration } from '../../../src/base/serial-queue.js';
import { type Static, Type } from '@sinclair/typebox';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
  variableType,
} from '../../../src/device/module.js';
import { lastCount } from './dropped-edges.js';
import type { Edge } from '../backends/line.js';
import { Throttle } from './throttle.js';
import { inputProperties } from '../line-properties.js';
import { QuadratureDecoder, type StepsPerDetent } from './quadrature.js';
import type { EdgeHandler, RequestedInputs } from './request-inputs.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** The message of a knob in the change stream: from its instance, with the detents just turned and the position. */
export const ENCODER_TURNED = 20311;

/** However fast it turns, it is told no more often than this. */
const TELL_EVERY_MS = 20;

const { Line: line, ...shared } = inputProperties(0);
const properties = Type.Object({
  ...shared,
  LineA: line,
  LineB: line,
  StepsPerDetent: enumProperty(['1', '2', '4'] as const, '4'),
});
type EncoderHost = Host<Static<typeof properties>>;

/** The module **Encoder**: a knob that turns without end, or any two lines a quarter apart. */
export function encoderModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{A04FFB53-5F9B-4F47-8A7C-F23D9056AE7F}',
    name: 'Encoder',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      { ident: 'POSITION', name: 'Position', type: variableType.integer, position: 1 },
      { ident: 'LOST', name: 'Lost', type: variableType.integer, position: 2 },
    ],
    check: ({ LineA, LineB }) => {
      if (LineA === '' || LineB === '') return 'LineA or LineB is empty: give the names of both lines';
      return LineA === LineB ? 'LineA and LineB are one line' : undefined;
    },
    open: async (host) => {
      const knob = new EncoderKnob(host);
      const { LineA, LineB } = host.properties;
      const { requestInputs } = await import('./request-inputs.js');
      knob.begin(await requestInputs(host, { board, backends: ways }, { names: [LineA, LineB], ear: knob }));
      return knob;
    },
  };
}

/** Puts the edges of both lines in the order of their times, and counts detents; the position goes on over openings. */
class EncoderKnob implements OpenInstance, EdgeHandler {
  readonly #host: EncoderHost;
  #lines: RequestedInputs | undefined;
  #quadrature: QuadratureDecoder | undefined;
  #position: number;
  #kept: { readonly line: 'a' | 'b'; readonly edge: Edge }[] = [];
  #turn: Cancel | undefined;
  readonly #pace: Throttle;
  /** Detents, and when the last came, that are not told yet. */
  #untold = 0;
  #atNs = 0n;

  constructor(host: EncoderHost) {
    this.#host = host;
    this.#position = lastCount(host, 'POSITION');
    this.#pace = new Throttle(host.clock, TELL_EVERY_MS, () => this.#tell());
  }

  begin(lines: RequestedInputs): void {
    this.#lines = lines;
    const [a = false, b = false] = lines.lines.map(({ initial }) => initial);
    this.#quadrature = new QuadratureDecoder(
      Number(this.#host.properties.StepsPerDetent) as StepsPerDetent,
      a,
      b,
    );
    this.#host.report('POSITION', this.#position);
    this.#count();
  }

  /** What is read of the lines in one turn of the event loop is put in order at its end. */
  onEdges(edges: readonly Edge[], at: number): void {
    for (const edge of edges) this.#kept.push({ line: at === 0 ? 'a' : 'b', edge });
    this.#turn ??= onNextIteration(() => this.#count());
  }

  async probe(): Promise<void> {
    await this.#lines?.probe();
  }

  flush(): void {
    this.#count();
    this.#pace.flush();
    this.#lines?.flush();
  }

  async close(): Promise<void> {
    this.#turn?.();
    this.#pace.close();
    await this.#lines?.close();
  }

  #count(): void {
    this.#turn?.();
    this.#turn = undefined;
    if (this.#quadrature === undefined) return;
    const edges = this.#kept.splice(0).sort((a, b) => Number(a.edge.atNs - b.edge.atNs));
    let detents = 0;
    for (const { line: which, edge } of edges) detents += this.#quadrature.edge(which, edge.active);
    if (detents === 0) return;
    this.#position += detents;
    this.#untold += detents;
    this.#atNs = edges.at(-1)?.edge.atNs ?? this.#atNs;
    this.#pace.schedule();
  }

  #tell(): void {
    if (this.#untold === 0) return; // to and fro between two tellings
    this.#host.report('POSITION', this.#position, this.#atNs);
    this.#host.emitMessage(ENCODER_TURNED, [this.#untold, this.#position]);
    this.#untold = 0;
  }
}
