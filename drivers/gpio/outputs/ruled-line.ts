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
import { RuledSwitch } from '../../../src/device/switch/ruled-switch.js';
import { noRule, type RuleStatus, type SwitchRules } from '../../../src/device/switch/switch-rules.js';
import { Stagger } from '../../../src/device/switch/stagger.js';
import { parseBoolean } from '../../../src/device/toolkit/parse-boolean.js';
import { outputState } from '../line-properties.js';
import type { GpioOutput } from './request-output.js';

/** The state that all outputs with rules share in one gateway. */
export interface SharedState {
  readonly interlocks: Interlocks;
  /** One group per motor, with its two lines. */
  readonly motors: Interlocks;
  readonly stagger: Stagger;
}

export const sharedState = (clock: Clock): SharedState => ({
  interlocks: new Interlocks(clock),
  motors: new Interlocks(clock, true),
  stagger: new Stagger(clock),
});

/** The variables of a module whose output has rules. */
export const ruledVariables: readonly VariableDeclaration[] = [
  outputState,
  { ident: 'PENDING', name: 'Pending', type: variableType.string, role: 'state', position: 2 },
  { ident: 'RULE', name: 'Rule in force', type: variableType.string, role: 'state', position: 3 },
  {
    ident: 'OFF_AT',
    name: 'Off at',
    type: variableType.integer,
    role: 'state',
    profile: '~UnixTimestamp',
    position: 4,
  },
];

interface RuledLineOptions {
  /** See `FoundOutput.lineKey`. */
  readonly lineKey: string;
  readonly interlocks: Interlocks;
  readonly rules: SwitchRules;
  /** All instances that are configured for its interlock group. */
  configured(): readonly ConfiguredMember[];
}

/** An open output with rules: writes to STATE pass through them, and their status is in the tree. */
export class RuledLine implements OpenInstance {
  protected readonly switch: RuledSwitch;
  readonly #host: Host;
  readonly #output: GpioOutput;

  /** To be created in the same step of the event loop in which the line was requested. */
  constructor(host: Host, output: GpioOutput, { lineKey, interlocks, rules, configured }: RuledLineOptions) {
    this.#host = host;
    this.#output = output;
    const offAt = host.lastValue('OFF_AT');
    host.report('STATE', output.value);
    this.#reportStatus(noRule);
    const { id, clock } = host;
    this.switch = new RuledSwitch(
      {
        id,
        name: host.siblings().find((one) => one.id === id)?.name ?? output.location.name,
        clock,
        line: lineKey,
        interlocks,
        rules,
        configured,
        drive: (active) => this.#drive(active),
        onStatus: (status) => this.#reportStatus(status),
        setProblem: (text, shown) => host.setProblem('RULE', text, shown),
      },
      { active: output.value, offAt: typeof offAt === 'number' ? offAt : 0 },
    );
  }

  async write(ident: string, value: Value): Promise<void> {
    if (ident !== 'STATE') throw fault('READ_ONLY', ident);
    return this.switch.write(parseBoolean(value));
  }

  async refresh(): Promise<void> {
    await this.#output.probe();
    this.#host.report('STATE', this.#output.value);
  }

  probe(): Promise<void> {
    return this.#output.probe();
  }

  close(): Promise<void> {
    this.switch.close();
    return this.#output.close();
  }

  /** Called after the line was driven, by a command or a rule. */
  protected onDriven(_active: boolean): void {}

  async #drive(active: boolean): Promise<void> {
    await this.#output.drive(active);
    this.onDriven(active);
    this.#host.report('STATE', active);
  }

  #reportStatus({ inForce, scheduled, rule, pending, offAt }: RuleStatus): void {
    this.#host.reportRule('STATE', inForce);
    this.#host.reportPending('STATE', scheduled);
    this.#host.report('RULE', rule);
    this.#host.report('PENDING', pending);
    this.#host.report('OFF_AT', offAt);
  }
}
