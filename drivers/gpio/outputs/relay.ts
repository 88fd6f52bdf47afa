import { type Static, Type } from '@sinclair/typebox';
import {
  type Host,
  moduleKind,
  type ModuleDefinition,
  type OpenInstance,
  type Value,
  type VariableDeclaration,
  variableType,
} from '../../../src/device/module.js';
import type { Stagger } from '../../../src/device/switch/stagger.js';
import type { OutputLine } from '../backends/line.js';
import { enumProperty, statePolicies } from '../../../src/device/toolkit/enum-property.js';
import { missingLineError, outputProperties } from '../line-properties.js';
import { RuledLine, ruledVariables, type SharedState } from './ruled-line.js';
import { CommandTimeout } from './command-timeout.js';
import { findOutput } from './request-output.js';
import type { GpioBoard, Backends } from '../backends/backends.js';

/** A week: longer times are a schedule's business, and timers hold 24 days. */
const LONGEST_S = 7 * 24 * 3600;
/** A command waits for the dead time, and no caller waits for more than ten seconds. */
const LONGEST_DEAD_MS = 5000;

const seconds = Type.Number({ default: 0, minimum: 0, maximum: LONGEST_S });

/** Of Boot: as it was before the power cut. Only rules can bring that about, so no other output has it. */
const LAST = 'last';

const properties = Type.Object({
  ...outputProperties,
  Boot: enumProperty([...statePolicies, LAST] as const, 'hold'),
  MinOnS: seconds,
  MinOffS: seconds,
  MaxOnS: seconds,
  /** A name that all have in common of which at most one may be active; empty: none. */
  Interlock: Type.String({ default: '', maxLength: 64 }),
  DeadTimeMs: Type.Integer({ default: 0, minimum: 0, maximum: LONGEST_DEAD_MS }),
  StaggerMs: Type.Integer({ default: 0, minimum: 0, maximum: 60_000 }),
});
type RelayProperties = Static<typeof properties>;

/** On the disk within two seconds, so that a relay that was switched off does not come back. */
const lastVariable: VariableDeclaration = {
  ident: 'LAST',
  name: 'Kept for a power cut',
  type: variableType.boolean,
  position: 5,
  durable: { every: 1, withinS: 1 },
};

/** The module **Relay**: an output under rules (`docs/hardware/outputs.md`). */
export function relayModule(
  board: GpioBoard,
  ways: Backends,
  shared: SharedState,
): ModuleDefinition<typeof properties> {
  return {
    id: '{E53F30F6-BA58-426C-AB91-E06D86F30FD6}',
    name: 'Relay',
    kind: moduleKind.device,
    prefix: 'HW',
    properties,
    variables: ({ Boot }) => (Boot === LAST ? [...ruledVariables, lastVariable] : ruledVariables),
    check: (set) => missingLineError(set) ?? ruleError(set),
    open: (host) => open(host, { board, ways, shared }),
  };
}

function ruleError(set: RelayProperties): string | undefined {
  const { MinOnS, MaxOnS, Interlock, DeadTimeMs, Boot } = set;
  if (MaxOnS > 0 && MinOnS > MaxOnS) return 'MinOnS is longer than MaxOnS: make it shorter';
  if (DeadTimeMs > 0 && Interlock === '')
    return 'DeadTimeMs is for an interlock group: give Interlock a name';
  if (Boot === LAST && MaxOnS > 0)
    return "Boot is last, and MaxOnS can't be kept over a power cut: make Boot hold, inactive or active";
  // Nobody is there then who could keep the rule.
  const driven = unruled.find((policy) => set[policy] === 'active');
  if (driven !== undefined && Interlock !== '')
    return `${driven} is active, and Interlock can't be kept then: make it hold or inactive`;
  if (driven !== undefined && MaxOnS > 0)
    return `${driven} is active, and MaxOnS can't be kept then: make it hold or inactive`;
  return undefined;
}

/** The policies that are applied beside the rules. */
const unruled = ['OnDeath', 'OnStop', 'OnUpdate', 'OnLost'] as const;

interface RelayContext {
  readonly board: GpioBoard;
  readonly ways: Backends;
  readonly shared: SharedState;
}

async function open(
  host: Host<RelayProperties>,
  { board, ways, shared }: RelayContext,
): Promise<OpenInstance> {
  const { Interlock, MinOffS, MaxOnS, StaggerMs, Boot } = host.properties;
  const isRuled = Interlock !== '' || MinOffS > 0 || StaggerMs > 0;
  const found = await findOutput(asOutput(host), board, ways);
  // Where a rule may stand against it, Boot's active is not driven with the taking but wished after it.
  const isWish =
    Boot === LAST
      ? host.lastValue('LAST') === true && !host.bootFlags.has(found.lineKey)
      : found.boot === 'active' && isRuled;
  const line = await found.request(isWish ? 'inactive' : found.boot, {
    boot: Boot === LAST || (Boot === 'active' && isRuled) ? 'inactive' : Boot,
    holdForS: MaxOnS,
  });
  const relay = new Relay(host, line, { mark: found.lineKey, shared });
  relay.keep(isWish || line.initial);
  if (isWish) relay.boot(() => found.markBooted());
  else found.markBooted();
  return relay;
}

/** The host as an output needs it: one that comes back as it was is inactive until its turn. */
const asOutput = (host: Host<RelayProperties>) => {
  const { Boot } = host.properties;
  const properties = { ...host.properties, Boot: Boot === LAST ? ('inactive' as const) : Boot };
  return { ...host, properties, siblings: () => [] };
};

class Relay extends RuledLine {
  readonly #host: Host<RelayProperties>;
  readonly #stagger: Stagger;
  readonly #silence: CommandTimeout;
  /** Boot's wish was tried, or a command came before it. */
  #booted: () => void = () => undefined;

  constructor(host: Host<RelayProperties>, line: OutputLine, on: { mark: string; shared: SharedState }) {
    const { MinOnS, MinOffS, MaxOnS, Interlock, DeadTimeMs } = host.properties;
    super(host, line, {
      lineKey: on.mark,
      interlocks: on.shared.interlocks,
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
    this.#stagger = on.shared.stagger;
    this.#silence = new CommandTimeout(host, (active) => this.switch.write(active));
  }

  /** What it becomes after a power cut, with `Boot: last`. */
  keep(active: boolean): void {
    if (this.#host.properties.Boot === LAST) this.#host.report('LAST', active);
  }

  /** Boot's active, as the rules allow it. */
  boot(done: () => void): void {
    const { Interlock, StaggerMs, Boot: own } = this.#host.properties;
    const rivals = groupOf(this.#host).filter(
      ({ id, properties: { Boot } }) => id !== this.#host.id && Boot === 'active',
    );
    if (own === 'active' && rivals.length > 0) {
      const names = rivals.map(({ name }) => name).join(', ');
      const text = (others: string) =>
        `Boot is active here and at ${others}, which interlock ${Interlock} forbids: none is switched on; leave it to one of them`;
      this.#host.setProblem('RULE', text(names), text('others'));
      return done();
    }
    this.#booted = () => {
      done();
      this.keep(false);
    };
    const inMs = StaggerMs > 0 ? this.#stagger.nextDelayMs(StaggerMs) : 0;
    this.switch.switchOnLater(inMs, 'Boot', () => this.#done());
  }

  override write(ident: string, value: Value): Promise<void> {
    this.#done();
    this.#silence.restart();
    return super.write(ident, value);
  }

  override close(): Promise<void> {
    this.#silence.close();
    return super.close();
  }

  protected override driven(active: boolean): void {
    this.#done();
    this.keep(active);
  }

  #done(): void {
    this.#booted();
    this.#booted = () => undefined;
  }
}

function groupOf({ properties: { Interlock }, siblings }: Host<RelayProperties>) {
  return Interlock === '' ? [] : siblings().filter((one) => one.properties.Interlock === Interlock);
}
