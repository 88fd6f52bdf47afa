import { coded, type Text } from '../../../src/base/codes/coded-text.js';
import { type Static, Type } from '@sinclair/typebox';
import {
  type Host,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  type VariableDeclaration,
  variableType,
} from '../../../src/device/module.js';
import type { Stagger } from '../../../src/device/switch/stagger.js';
import { enumProperty, statePolicies } from '../../../src/device/toolkit/enum-property.js';
import type { Backends } from '../backends/backends.js';
import { gpioModule, missingLineError, outputProperties } from '../line-properties.js';
import { CommandTimeout } from './command-timeout.js';
import { findOutput, type GpioOutput } from './request-output.js';
import { RuledLine, ruledVariables, type SharedState } from './ruled-line.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';

/** A week. Longer times are a matter of schedules; timers are limited to 24 days. */
const LONGEST_S = 7 * 24 * 3600;
/** A command waits for the dead time, and no caller waits for more than ten seconds. */
const LONGEST_DEAD_MS = 5000;

const seconds = Type.Number({ default: 0, minimum: 0, maximum: LONGEST_S });

/**
 * A value of Boot: restore the state from before the power cut. It takes the rules to do that, so only a
 * relay has it.
 */
const LAST = 'last';

const properties = Type.Object({
  ...outputProperties,
  Boot: withHelp(
    enumProperty([...statePolicies, LAST] as const, 'hold'),
    'When something fails',
    'What happens to the relay when the gateway starts; last restores its state.',
  ),
  MinOnS: withHelp(seconds, 'Rules', 'After switching on, the relay stays on for at least this time.'),
  MinOffS: withHelp(seconds, 'Rules', 'After switching off, the relay stays off for at least this time.'),
  MaxOnS: withHelp(seconds, 'Rules', 'The relay switches itself off after this time; 0 is never.'),
  Interlock: withHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Rules',
    'The name of a group of which at most one relay may be on.',
  ),
  DeadTimeMs: withHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: LONGEST_DEAD_MS }),
    'Rules',
    'The pause between two relays of the group.',
  ),
  StaggerMs: withAdvancedHelp(
    Type.Integer({ default: 0, minimum: 0, maximum: 60_000 }),
    'Rules',
    'The interval in which relays switch on one after the other after a start.',
  ),
});
type RelayProperties = Static<typeof properties>;

/** Written to disk within two seconds, so that a relay that was switched off stays off after a power cut. */
const lastVariable: VariableDeclaration = {
  ident: 'LAST',
  name: 'Kept for a power cut',
  type: variableType.boolean,
  role: 'diagnostic',
  position: 5,
  durable: { every: 1, withinS: 1 },
};

/** The module **Relay**: an output with rules (`docs/hardware/outputs.md`). */
export const relayModule = (backends: Backends, shared: SharedState): ModuleDefinition<typeof properties> =>
  gpioModule({
    id: '{E53F30F6-BA58-426C-AB91-E06D86F30FD6}',
    name: 'Relay',
    description: 'A relay with rules: minimum and maximum times, interlock, dead time.',
    icon: 'Power',
    page: 'hardware/outputs.md',
    properties,
    variables: ({ Boot }) => (Boot === LAST ? [...ruledVariables, lastVariable] : ruledVariables),
    check: (properties) => missingLineError(properties) ?? ruleError(properties),
    open: (host) => open(host, backends, shared),
  });

function ruleError(properties: RelayProperties): Text | undefined {
  const { MinOnS, MaxOnS, Interlock, DeadTimeMs, Boot } = properties;
  if (MaxOnS > 0 && MinOnS > MaxOnS)
    return coded`MIN_ON_LONGER_THAN_MAX_ON: MinOnS is longer than MaxOnS: make it shorter`;
  if (DeadTimeMs > 0 && Interlock === '')
    return coded`DEAD_TIME_WITHOUT_INTERLOCK: DeadTimeMs is for an interlock group: give Interlock a name`;
  if (Boot === LAST && MaxOnS > 0)
    return coded`MAX_ON_NOT_KEPT_OVER_POWER_CUT: Boot is last, and MaxOnS cannot be enforced across a power cut: set Boot to hold, inactive or active`;
  // These policies are applied while no rule can be enforced.
  const driven = unruledPolicies.find((policy) => properties[policy] === 'active');
  if (driven !== undefined && Interlock !== '')
    return coded`INTERLOCK_NOT_KEPT: ${driven} is active, while Interlock cannot be enforced: set ${driven} to hold or inactive`;
  if (driven !== undefined && MaxOnS > 0)
    return coded`MAX_ON_NOT_KEPT: ${driven} is active, while MaxOnS cannot be enforced: set ${driven} to hold or inactive`;
  return undefined;
}

const unruledPolicies = ['OnDeath', 'OnStop', 'OnUpdate', 'OnLost'] as const;

async function open(
  host: Host<RelayProperties>,
  backends: Backends,
  shared: SharedState,
): Promise<OpenInstance> {
  const { Interlock, MinOffS, MaxOnS, StaggerMs, Boot } = host.properties;
  const isRuled = Interlock !== '' || MinOffS > 0 || MaxOnS > 0 || StaggerMs > 0;
  const found = await findOutput(outputHost(host), backends);
  // If a rule may forbid or limit it, the relay is requested as inactive and then switched on like a command.
  const isSwitchedOn =
    Boot === LAST
      ? host.lastValue('LAST') === true && !found.isBooted && !found.isLost
      : found.boot === 'active' && isRuled;
  const output = await found.request(isSwitchedOn ? 'inactive' : found.boot, {
    boot: Boot === LAST || (Boot === 'active' && isRuled) ? 'inactive' : Boot,
    holdForS: MaxOnS,
  });
  const relay = new Relay(host, output, { lineKey: found.lineKey, shared });
  relay.reportLast(isSwitchedOn || output.value);
  if (isSwitchedOn) relay.switchOnAtBoot(() => found.markBooted());
  else found.markBooted();
  return relay;
}

/** The host as `findOutput` expects it: with `Boot: last`, a relay is inactive until it is switched on. */
const outputHost = (host: Host<RelayProperties>) => {
  const { Boot } = host.properties;
  const properties = { ...host.properties, Boot: Boot === LAST ? ('inactive' as const) : Boot };
  return { ...host, properties, siblings: () => [] };
};

class Relay extends RuledLine {
  readonly #host: Host<RelayProperties>;
  readonly #stagger: Stagger;
  readonly #timeout: CommandTimeout;
  /** Called when Boot was tried, or a command came before it. */
  #onBooted: () => void = () => undefined;

  constructor(
    host: Host<RelayProperties>,
    output: GpioOutput,
    { lineKey, shared }: { lineKey: string; shared: SharedState },
  ) {
    const { MinOnS, MinOffS, MaxOnS, Interlock, DeadTimeMs } = host.properties;
    super(host, output, {
      lineKey,
      interlocks: shared.interlocks,
      rules: {
        minOnMs: MinOnS * 1000,
        minOffMs: MinOffS * 1000,
        maxOnMs: MaxOnS * 1000,
        isPulse: false,
        group: Interlock,
        deadTimeMs: DeadTimeMs,
      },
      configured: () => groupOf(host),
    });
    this.#host = host;
    this.#stagger = shared.stagger;
    this.#timeout = new CommandTimeout(host, (active) => this.switch.write(active));
  }

  /** Reports the state that `Boot: last` restores after a power cut. */
  reportLast(active: boolean): void {
    if (this.#host.properties.Boot === LAST) this.#host.report('LAST', active);
  }

  /** Switches the relay on because of Boot, as soon as the rules allow it. */
  switchOnAtBoot(onBooted: () => void): void {
    const { Interlock, StaggerMs, Boot: ownBoot } = this.#host.properties;
    const rivals = groupOf(this.#host).filter(
      ({ id, properties: { Boot } }) => id !== this.#host.id && Boot === 'active',
    );
    if (ownBoot === 'active' && rivals.length > 0) {
      const names = rivals.map(({ name }) => name).join(', ');
      const text = (others: Text) =>
        coded`BOOT_ACTIVE_WHICH_INTERLOCK: Boot is active here and at ${others}, which interlock ${Interlock} forbids: none is switched on; set Boot to active for only one of them`;
      this.#host.setProblem('RULE', text(names), text(coded`OTHERS: others`));
      return onBooted();
    }
    this.#onBooted = () => {
      onBooted();
      this.reportLast(false);
    };
    const delayMs = StaggerMs > 0 ? this.#stagger.nextDelayMs(StaggerMs) : 0;
    this.switch.switchOnLater(delayMs, 'Boot', () => this.#finishBoot());
  }

  override write(ident: string, value: Value): Promise<void> {
    this.#finishBoot();
    this.#timeout.restart();
    return super.write(ident, value);
  }

  /** A relay of the group that is configured but not open blocks this one. */
  onSiblingsChange(): void {
    this.switch.onConfiguredChange();
  }

  override close(): Promise<void> {
    this.#timeout.close();
    return super.close();
  }

  protected override onDriven(active: boolean): void {
    this.#finishBoot();
    this.reportLast(active);
  }

  #finishBoot(): void {
    this.#onBooted();
    this.#onBooted = () => undefined;
  }
}

function groupOf({ properties: { Interlock }, siblings }: Host<RelayProperties>) {
  return Interlock === '' ? [] : siblings().filter((one) => one.properties.Interlock === Interlock);
}
