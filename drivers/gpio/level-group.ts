import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../src/base/clock.js';
import { choice } from '../../src/device/choice.js';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  quality,
  type Running,
  variableType,
  refersTo,
} from '../../src/device/module.js';
import { codes, MOST_LINES, numberOf } from './levels.js';
import type { Edge } from './line.js';
import { CONTACT, oscillates } from './oscillation.js';
import { inputProperties } from './properties.js';
import type { Ear, Lines } from './take.js';
import type { GpioBoard, Ways } from './ways.js';

const { Line: _one, ...shared } = inputProperties(0);
const properties = Type.Object({
  ...shared,
  Lines: Type.Array(Type.String({ minLength: 1, maxLength: 64, refers: refersTo.line }), {
    default: [],
    maxItems: MOST_LINES,
  }),
  Code: choice(codes, 'binary'),
  SettleMs: Type.Integer({ default: 20, minimum: 0, maximum: 10_000 }),
});
type Settings = Static<typeof properties>;

/** The module **Level Group**: several lines as one integer, as coding switches and position sensors give it. */
export function levelGroup(board: GpioBoard, ways: Ways): ModuleDefinition<typeof properties> {
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

async function open(host: Host<Settings>, board: GpioBoard, ways: Ways): Promise<Running> {
  const group = new LevelGroup(host);
  const { takeAll } = await import('./take.js');
  group.begin(await takeAll(host, { board, ways }, { names: host.properties.Lines, ear: group }));
  return group;
}

/** Lines that change together are never seen to change at once: a number counts when it has stood still for a while. */
class LevelGroup implements Running, Ear {
  readonly limit = CONTACT;
  readonly #host: Host<Settings>;
  #lines: Lines | undefined;
  /** By the lines' places; what moved while the others were being taken stands here already. */
  readonly #active: boolean[] = [];
  #settling: Cancel = () => undefined;
  /** One of them oscillates: there is no number. */
  #isRushing = false;

  constructor(host: Host<Settings>) {
    this.#host = host;
  }

  begin(lines: Lines): void {
    this.#lines = lines;
    for (const [at, { initial }] of lines.all.entries()) this.#active[at] ??= initial;
    this.report();
  }

  edges(edges: readonly Edge[], at: number): void {
    this.#moved(edges, at);
    this.#settle();
  }

  rush(edges: readonly Edge[], at: number): void {
    this.#moved(edges, at);
    if (this.#isRushing) return;
    this.#isRushing = true;
    this.#host.doubt('VALUE', oscillates);
  }

  glance(isOver: boolean): void {
    this.#isRushing = !isOver;
    if (isOver) this.#settle();
  }

  report(): void {
    const { Code } = this.#host.properties;
    // Not all are there yet, or it would be any number.
    if (this.#lines === undefined || this.#isRushing) return;
    const value = numberOf(Code, this.#active);
    const text = `The lines stand for no ${Code} number: ${this.#active.map(Number).reverse().join('')}`;
    this.#host.trouble('NO_NUMBER', value === undefined ? text : undefined);
    if (value !== undefined) this.#host.report('VALUE', value);
    else this.#host.doubt('VALUE', { state: quality.bad, reason: 'NO_NUMBER', text });
  }

  async refresh(): Promise<void> {
    for (const [at, line] of (this.#lines?.all ?? []).entries()) this.#active[at] = await line.get();
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
