import { Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { type SysfsClass, DeviceClaims } from '../../src/device/toolkit/sysfs-class.js';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { SysfsBackend } from '../../src/device/toolkit/sysfs-backend.js';
import { moduleKind, type ModuleDefinition, referenceKind, variableType } from '../../src/device/module.js';
import type { SimulatedPwm } from './simulated-pwm.js';
import type { BoardPwmChip } from './channel-lookup.js';

/** What a board file says of PWM (`docs/hardware/boards.md`). */
export interface PwmBoard {
  readonly pwm?: readonly BoardPwmChip[] | undefined;
  /** Present where the board's devices are simulated ones. */
  readonly simulated?: object | undefined;
}

/** What the instances of one gateway share. */
export interface PwmContext {
  readonly board: PwmBoard;
  readonly holders: DeviceClaims;
  /** The machine's class of PWM chips, or the simulated board's; nothing is loaded before it is asked for. */
  attributes(): Promise<SysfsClass>;
}

/** A share of the period or of the range: 0 to 1, as LEVEL is. */
const fraction = (standard: number) => Type.Number({ default: standard, minimum: 0, maximum: 1 });

/** The properties of the module. */
export const pwmProperties = Type.Object({
  /**
   * A chip's device (`fe20c000.pwm`); empty: the one that the board names the channel of, or the only one.
   */
  Chip: Type.String({ default: '', maxLength: 64 }),
  /** A name of the board's, or a number. */
  Channel: Type.String({ default: '', maxLength: 64, refers: referenceKind.channel }),
  /** A wave of an hour is no PWM, and no chip counts faster than some ten million a second. */
  FrequencyHz: Type.Number({ default: 1000, minimum: 0.1, maximum: 10_000_000 }),
  Inverted: Type.Boolean({ default: false }),
  /** How much of the period is active at LEVEL 0 and at LEVEL 1. */
  MinDuty: fraction(0),
  MaxDuty: fraction(1),
  /** Whether LEVEL 0 is nothing at all instead of MinDuty. */
  ZeroIsOff: Type.Boolean({ default: true }),
  OnLevel: fraction(1),
  Boot: enumProperty(statePolicies, 'hold'),
});

/**
 * The module of this driver for one gateway, **PWM** (`docs/hardware/pwm.md`): over the machine's own chips
 * unless given others.
 */
export function pwmModules(
  board: PwmBoard,
  clock: Clock,
  given?: Promise<SimulatedPwm>,
): readonly ModuleDefinition[] {
  const { boolean, float } = variableType;
  const world = new SysfsBackend({
    root: async () => (await import('./kernel-pwm.js')).PWM_CLASS_PATH,
    simulated: () => createSimulatedPwm(board, clock),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const around: PwmContext = { board, holders: new DeviceClaims(), attributes: world.open };
  const pwm: ModuleDefinition<typeof pwmProperties> = {
    id: '{035D5D7E-9989-4D51-8AE7-306B1364F6A1}',
    name: 'PWM',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: pwmProperties,
    variables: () => [
      { ident: 'STATE', name: 'State', type: boolean, profile: '~Switch', action: true, position: 1 },
      { ident: 'LEVEL', name: 'Level', type: float, profile: '~Intensity.1', action: true, position: 2 },
    ],
    check({ Channel, MinDuty, MaxDuty, OnLevel, ZeroIsOff }) {
      if (Channel === '') return 'Channel is empty: give the name of a PWM channel, or its number';
      if (MinDuty >= MaxDuty) return 'MinDuty must be less than MaxDuty; Inverted turns the wave round';
      if (OnLevel === 0 && ZeroIsOff) return 'OnLevel is 0, which is off: make it more, or ZeroIsOff false';
      return undefined;
    },
    functions: () =>
      world.functions({
        name: 'GW_SimulatePwmGone',
        device: 'Chip',
        help: 'Pulls a PWM chip of the simulated board out, or plugs it in again.',
      }),
    findHardware: async () => (await import('./channel-discovery.js')).discoverChannels(around),
    open: async (host) => (await import('./pwm-instance.js')).openPwm(host, around),
  };
  return [pwm] as readonly ModuleDefinition[];
}

async function createSimulatedPwm({ pwm = [] }: PwmBoard, clock: Clock): Promise<SimulatedPwm> {
  const { SimulatedPwm } = await import('./simulated-pwm.js');
  return new SimulatedPwm(
    clock,
    pwm.map(({ chip, channels }) => ({ id: chip, channels: Math.max(-1, ...Object.values(channels)) + 1 })),
  );
}
