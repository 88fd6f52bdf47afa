import { coded } from '../../src/base/codes/coded-text.js';
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { SysfsBackend, type SysfsContext } from '../../src/device/toolkit/sysfs-backend.js';
import { moduleKind, type ModuleDefinition, referenceKind, variableType } from '../../src/device/module.js';
import type { SimulatedPwm } from './simulated-pwm.js';
import type { BoardPwmChip } from './channel-lookup.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** The PWM section of a board file (`docs/hardware/boards.md`). */
interface PwmBoard {
  readonly pwm?: readonly BoardPwmChip[] | undefined;
  /** Present if the devices of the board are simulated. */
  readonly simulated?: object | undefined;
}

/** State shared by the instances of one gateway. */
export type PwmContext = SysfsContext<PwmBoard>;

/** A fraction of the period or of the range, 0 to 1 like LEVEL. */
const fraction = (byDefault: number) => Type.Number({ default: byDefault, minimum: 0, maximum: 1 });

/** The properties of the module. */
export const pwmProperties = Type.Object({
  Chip: withAdvancedHelp(
    Type.String({ default: '', maxLength: 64 }),
    'Channel',
    'The device name of the chip; empty for the one with the named channel.',
  ),
  Channel: withHelp(
    Type.String({ default: '', maxLength: 64, refers: referenceKind.channel }),
    'Channel',
    'The name of the channel in the board file, or its number.',
  ),
  /** Longer periods are the task of a schedule; no chip supports a higher frequency. */
  FrequencyHz: withHelp(
    Type.Number({ default: 1000, minimum: 0.1, maximum: 10_000_000 }),
    'Channel',
    'The frequency, in hertz.',
  ),
  Inverted: withAdvancedHelp(
    Type.Boolean({ default: false }),
    'Channel',
    'The output is active at low level.',
  ),
  MinDuty: withHelp(fraction(0), 'Range', 'The duty cycle at level 0.'),
  MaxDuty: withHelp(fraction(1), 'Range', 'The duty cycle at level 1.'),
  ZeroIsOff: withHelp(
    Type.Boolean({ default: true }),
    'Range',
    'Level 0 switches off instead of using the minimum duty cycle.',
  ),
  OnLevel: withHelp(fraction(1), 'Range', 'The level after switching on.'),
  Boot: withHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the output when the gateway starts.',
  ),
});

/**
 * The module **PWM** of one gateway (`docs/hardware/pwm.md`). It uses the chips of the machine, or those of
 * the simulated board; `given` replaces them in tests.
 */
export function pwmModules(
  board: PwmBoard,
  clock: Clock,
  given?: Promise<SimulatedPwm>,
): readonly ModuleDefinition[] {
  const { boolean, float } = variableType;
  const main = { role: 'main', action: true } as const;
  const backend = new SysfsBackend({
    root: async () => (await import('./kernel-pwm.js')).PWM_CLASS_PATH,
    simulated: () => createSimulatedPwm(board, clock),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const context = backend.context(board);
  const pwm: ModuleDefinition<typeof pwmProperties> = {
    id: '{035D5D7E-9989-4D51-8AE7-306B1364F6A1}',
    name: 'PWM',
    description: 'A PWM channel: a dimmer, a fan.',
    icon: 'Intensity',
    page: 'hardware/pwm.md',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: pwmProperties,
    variables: () => [
      { ident: 'STATE', name: 'State', type: boolean, profile: '~Switch', ...main, position: 1 },
      { ident: 'LEVEL', name: 'Level', type: float, profile: '~Intensity.1', ...main, position: 2 },
    ],
    check({ Channel, MinDuty, MaxDuty, OnLevel, ZeroIsOff }) {
      if (Channel === '')
        return coded`CHANNEL_EMPTY_SET_NAME: Channel is empty; set the name or the number of a PWM channel`;
      if (MinDuty >= MaxDuty)
        return coded`MINDUTY_MUST_LESS_THAN: MinDuty must be less than MaxDuty; set Inverted to invert the output`;
      if (OnLevel === 0 && ZeroIsOff)
        return coded`ONLEVEL_0_WHICH_OFF: OnLevel is 0, which is off; set a higher one, or ZeroIsOff to false`;
      return undefined;
    },
    functions: () =>
      backend.functions({
        name: 'GW_SimulatePwmGone',
        device: 'Chip',
        help: 'Unplugs a PWM chip of the simulated board, or plugs it in again.',
      }),
    findHardware: async () => (await import('./channel-discovery.js')).discoverChannels(context),
    open: async (host) => (await import('./pwm-instance.js')).openPwm(host, context),
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
