import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  quality,
  type OpenInstance,
  variableType,
  referenceKind,
} from '../../../src/device/module.js';
import { levelCodes, MAX_LINES, decodeLevels } from './level-code.js';
import type { Edge } from '../backends/line.js';
import { CONTACT_LIMIT, oscillating } from './oscillation-detector.js';
import { inputProperties } from '../line-properties.js';
import type { EdgeHandler, RequestedInputs } from './request-inputs.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

const { Line: _one, ...shared } = inputProperties(0);
const properties = Type.Object({
  ...shared,
  Lines: Type.Array(Type.String({ minLength: 1, maxLength: 64, refers: referenceKind.line }), {
    default: [],
    maxItems: MAX_LINES,
  }),
  Code: enumProperty(levelCodes, 'binary'),
  SettleMs: Type.Integer({ default: 20, minimum: 0, maximum: 10_000 }),
});
type Settings = Static<typeof properties>;

/** The module **Level Group**: several lines as one integer, as coding switches and position sensors give it. */
export function levelGroupModule(board: GpioBoard, ways: Backends): ModuleDefinition<typeof properties> {
  return {
    id: '{268E1187-DBFA-4ED5-BEC6-ABBD4EF4E068}',
    name: 'Level Group',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: () => [
      { ident: 'VALUE', name: 'Value', type: variableType.integer, position: 1 },
      { ident: 'LOST', name: 'Lost', type: variableType.integer, position: 2 },
    ],
    check: ({ Lines }) => {
      if (Lines.length === 0) return 'Lines is empty: give the names of the lines, the lowest bit first';
      return new Set(Lines).size < Lines.length ? 'Lines names a line twice' : undefined;
    },
    open: (host) => open(host, board, ways),
  };
}

async function open(host: Host<Settings>, board: GpioBoard, ways: Backends): Promise<OpenInstance> {
  const group = new LevelGroup(host);
  const { requestInputs } = await import('./request-inputs.js');
  group.begin(
    await requestInputs(host, { board, backends: ways }, { names: host.properties.Lines, ear: group }),
  );
  return group;
}

/** Lines that change together are never seen to change at once: a number counts when it has stood still for a while. */
class LevelGroup implements OpenInstance, EdgeHandler {
  readonly limit = CONTACT_LIMIT;
  readonly #host: Host<Settings>;
  #lines: RequestedInputs | undefined;
  /** By the lines' places; what moved while the others were being taken stands here already. */
  readonly #active: boolean[] = [];
  #settling: Cancel = () => undefined;
  /** One of them oscillates: there is no number. */
  #isRushing = false;

  constructor(host: Host<Settings>) {
    this.#host = host;
  }

  begin(lines: RequestedInputs): void {
    this.#lines = lines;
    for (const [at, { initial }] of lines.lines.entries()) this.#active[at] ??= initial;
    this.report();
  }

  onEdges(edges: readonly Edge[], at: number): void {
    this.#moved(edges, at);
    this.#settle();
  }

  onOscillating(edges: readonly Edge[], at: number): void {
    this.#moved(edges, at);
    if (this.#isRushing) return;
    this.#isRushing = true;
    this.#host.markUncertain('VALUE', oscillating);
  }

  onOscillationTick(isOver: boolean): void {
    this.#isRushing = !isOver;
    if (isOver) this.#settle();
  }

  report(): void {
    const { Code } = this.#host.properties;
    // Not all are there yet, or it would be any number.
    if (this.#lines === undefined || this.#isRushing) return;
    const value = decodeLevels(Code, this.#active);
    const text = `The lines stand for no ${Code} number: ${this.#active.map(Number).reverse().join('')}`;
    this.#host.setProblem('NO_NUMBER', value === undefined ? text : undefined);
    if (value !== undefined) this.#host.report('VALUE', value);
    else this.#host.markUncertain('VALUE', { state: quality.bad, reason: 'NO_NUMBER', text });
  }

  async refresh(): Promise<void> {
    for (const [at, line] of (this.#lines?.lines ?? []).entries()) this.#active[at] = await line.get();
    this.report();
  }

  async probe(): Promise<void> {
    await this.#lines?.probe();
  }

  flush(): void {
    this.#lines?.flush();
  }

  async close(): Promise<void> {
    this.#settling();
    await this.#lines?.close();
  }

  #moved(edges: readonly Edge[], at: number): void {
    this.#active[at] = edges.at(-1)?.active ?? false;
    this.#settling();
  }

  #settle(): void {
    this.#settling();
    this.#settling = this.#host.clock.after(this.#host.properties.SettleMs, () => this.report());
  }
}
