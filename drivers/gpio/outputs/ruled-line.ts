import type { Clock } from '../../../src/base/clock.js';
import { fault } from '../../../src/base/fault.js';
import {
  type Host,
  type OpenInstance,
  type Value,
  type VariableDeclaration,
  variableType,
} from '../../../src/device/module.js';
import { type ConfiguredMember, Interlocks } from '../../../src/device/switch/interlocks.js';
import { RuledSwitch, type SwitchRules, type RuleStatus } from '../../../src/device/switch/ruled-switch.js';
import { Stagger } from '../../../src/device/switch/stagger.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import type { OutputLine } from '../backends/line.js';
import { outputState } from '../line-properties.js';
import { driveLine } from './request-output.js';

/** What the ruled outputs of one gateway share. */
export interface SharedState {
  readonly interlocks: Interlocks;
  /** Of motors: a group each, of the two lines of one. */
  readonly motors: Interlocks;
  readonly stagger: Stagger;
}

export const sharedState = (clock: Clock): SharedState => ({
  interlocks: new Interlocks(clock),
  motors: new Interlocks(clock),
  stagger: new Stagger(clock),
});

/** The variables of a module whose line is under rules. */
export const ruledVariables: readonly VariableDeclaration[] = [
  outputState,
  { ident: 'PENDING', name: 'Pending', type: variableType.string, position: 2 },
  { ident: 'RULE', name: 'Rule in force', type: variableType.string, position: 3 },
  { ident: 'OFF_AT', name: 'Off at', type: variableType.integer, profile: '~UnixTimestamp', position: 4 },
];

/** The rules of a line that was taken, and whom they regard. */
export interface RuledLineOptions {
  /** Stands for the line, whoever opens it. */
  readonly lineKey: string;
  readonly interlocks: Interlocks;
  readonly rules: SwitchRules;
  /** All that are configured for its interlock group. */
  configured(): readonly ConfiguredMember[];
}

/** An opened output under rules: STATE by way of them, and how they stand in the tree. */
export class RuledLine implements OpenInstance {
  protected readonly switch: RuledSwitch;
  readonly #with: Host;
  readonly #line: OutputLine;
  #written: boolean;

  /** To be made in the same step of the event loop in which the line is known to be taken. */
  constructor(
    host: Host,
    line: OutputLine,
    { lineKey: mark, interlocks, rules, configured }: RuledLineOptions,
  ) {
    this.#with = host;
    this.#line = line;
    this.#written = line.initial;
    const offAt = host.lastValue('OFF_AT');
    host.report('STATE', line.initial);
    this.#tell({ rule: '', pending: '', offAt: 0 });
    const { id, clock } = host;
    this.switch = new RuledSwitch(
      {
        id,
        name: host.siblings().find((one) => one.id === id)?.name ?? line.location.name,
        clock,
        line: mark,
        interlocks,
        rules,
        configured,
        drive: (active) => this.#drive(active),
        onStatus: (standing) => this.#tell(standing),
        setProblem: (text, shown) => host.setProblem('RULE', text, shown),
      },
      { active: line.initial, offAt: typeof offAt === 'number' ? offAt : 0 },
    );
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    await this.switch.write(parseBoolean(value));
  }

  /** What the line was told is what it is, as with every output. */
  async refresh(): Promise<void> {
    await this.#line.get();
    this.#with.report('STATE', this.#written);
  }

  async probe(): Promise<void> {
    await this.#line.get();
  }

  close(): Promise<void> {
    this.switch.close();
    return this.#line.close();
  }

  /** The line was driven, by a command or by itself. */
  protected driven(_active: boolean): void {}

  async #drive(active: boolean): Promise<void> {
    await driveLine(this.#with, this.#line, active);
    this.driven(active);
    this.#written = active;
    this.#with.report('STATE', active);
  }

  #tell({ rule, pending, offAt }: RuleStatus): void {
    this.#with.report('RULE', rule);
    this.#with.report('PENDING', pending);
    this.#with.report('OFF_AT', offAt);
  }
}
