import { coded } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import type { Cancel } from '../../../src/base/clock.js';
import {
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  quality,
  referenceKind,
  variableType,
} from '../../../src/device/module.js';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import type { Edge } from '../backends/line.js';
import { gpioModule, inputProperties } from '../line-properties.js';
import { lostVariable } from './dropped-edges.js';
import { decodeLevels, levelCodes, MAX_LINES } from './level-code.js';
import { CONTACT_LIMIT, oscillating } from './oscillation-detector.js';
import type { EdgeHandler, RequestedInputs } from './request-inputs.js';
import { withHelp } from '../../../src/device/toolkit/property-help.js';

const { Line: _line, ...sharedProperties } = inputProperties(0);
const properties = Type.Object({
  ...sharedProperties,
  Lines: withHelp(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, refers: referenceKind.line }), {
      default: [],
      maxItems: MAX_LINES,
    }),
    'Line',
    'The lines, that of the lowest bit first.',
  ),
  Code: withHelp(enumProperty(levelCodes, 'binary'), 'Line', 'How the levels encode the number.'),
  SettleMs: withHelp(
    Type.Integer({ default: 20, minimum: 0, maximum: 10_000 }),
    'Line',
    'The lines must be stable for this time before the number is reported.',
  ),
});
type LevelGroupProperties = Static<typeof properties>;

/**
 * The module **Level Group**: several lines as one integer, for example of a coding switch or a position
 * sensor.
 */
export const levelGroupModule = (backends: Backends): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{268E1187-DBFA-4ED5-BEC6-ABBD4EF4E068}',
    name: 'Level Group',
    description: 'Several lines as one number: a coding switch, a position sensor.',
    icon: 'Intensity',
    page: 'hardware/inputs.md',
    properties,
    variables: () => [
      { ident: 'VALUE', name: 'Value', type: variableType.integer, role: 'main', position: 1 },
      lostVariable(2),
    ],
    check: ({ Lines }) => {
      if (Lines.length === 0)
        return coded`LINES_EMPTY: Lines is empty: give the names of the lines, the lowest bit first`;
      return new Set(Lines).size < Lines.length ? coded`LINES_REPEATED: Lines names a line twice` : undefined;
    },
    open: async (host) => {
      const group = new LevelGroup(host);
      const { requestInputs } = await import('./request-inputs.js');
      group.begin(await requestInputs(host, backends, { names: host.properties.Lines, handler: group }));
      return group;
    },
  });

/**
 * Lines that change together are read one after another, so a number counts only after SettleMs without
 * a change.
 */
class LevelGroup implements OpenInstance, EdgeHandler {
  readonly limit = CONTACT_LIMIT;
  readonly #host: Host<LevelGroupProperties>;
  #inputs: RequestedInputs | undefined;
  /** The value of each line. A line may change while others are still being requested. */
  readonly #active: boolean[] = [];
  /** Present while the lines settle. */
  #cancelSettling: Cancel | undefined;
  /** A line oscillates, so there is no number. */
  #isOscillating = false;

  constructor(host: Host<LevelGroupProperties>) {
    this.#host = host;
  }

  begin(inputs: RequestedInputs): void {
    this.#inputs = inputs;
    for (const [index, { initial }] of inputs.lines.entries()) this.#active[index] ??= initial;
    this.report();
  }

  onEdges(edges: readonly Edge[], index: number): void {
    this.#noteEdges(edges, index);
    this.#settle();
  }

  onOscillating(edges: readonly Edge[], index: number): void {
    this.#noteEdges(edges, index);
    if (this.#isOscillating) return;
    this.#isOscillating = true;
    this.#host.markUncertain('VALUE', oscillating);
  }

  onOscillationTick(isOver: boolean): void {
    this.#isOscillating = !isOver;
    if (isOver) this.#settle();
  }

  report(): void {
    const { Code } = this.#host.properties;
    // Without all lines the number would be arbitrary.
    if (this.#inputs === undefined || this.#isOscillating) return;
    const value = decodeLevels(Code, this.#active);
    const text = coded`LINES_NOT_VALID_NUMBER: The lines are not a valid ${Code} number: ${this.#active.map(Number).reverse().join('')}`;
    this.#host.setProblem('NO_NUMBER', value === undefined ? text : undefined);
    if (value !== undefined) this.#host.report('VALUE', value);
    else this.#host.markUncertain('VALUE', { state: quality.bad, reason: 'NO_NUMBER', text: text.text });
  }

  async refresh(): Promise<void> {
    const before = [...this.#active];
    for (const [index, line] of (this.#inputs?.lines ?? []).entries()) this.#active[index] = await line.get();
    if (this.#active.some((active, index) => active !== before[index])) this.#settle();
    // While the lines settle, they may have no number.
    else if (this.#cancelSettling === undefined) this.report();
  }

  async probe(): Promise<void> {
    await this.#inputs?.probe();
  }

  flush(): void {
    this.#inputs?.flush();
  }

  async close(): Promise<void> {
    this.#cancelSettling?.();
    await this.#inputs?.close();
  }

  #noteEdges(edges: readonly Edge[], index: number): void {
    this.#active[index] = edges.at(-1)?.active ?? false;
    this.#cancelSettling?.();
  }

  #settle(): void {
    this.#cancelSettling?.();
    this.#cancelSettling = this.#host.clock.after(this.#host.properties.SettleMs, () => {
      this.#cancelSettling = undefined;
      this.report();
    });
  }
}
