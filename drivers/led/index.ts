import { Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { type SysfsClass, DeviceClaims } from '../../src/device/toolkit/sysfs-class.js';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { SysfsBackend } from '../../src/device/toolkit/sysfs-backend.js';
import { moduleKind, type ModuleDefinition, referenceKind, variableType } from '../../src/device/module.js';
import type { SimulatedLeds } from './simulated-leds.js';

/** What a board file says of LEDs (`docs/hardware/boards.md`). */
export interface LedBoard {
  /** `path` is where the kernel has it: `/sys/class/leds/ACT`. */
  readonly leds: readonly { readonly name: string; readonly path: string }[];
  /** Present where the board's devices are simulated ones. */
  readonly simulated?: object;
}

/** What the instances of one gateway share. */
export interface LedContext {
  readonly board: LedBoard;
  readonly holders: DeviceClaims;
  /** The machine's class of LEDs, or the simulated board's; nothing is loaded before it is asked for. */
  attributes(): Promise<SysfsClass>;
}

/** Slower is no blinking but a schedule's business; faster the eye takes for dimmed. */
const blinkMs = Type.Integer({ default: 500, minimum: 20, maximum: 60_000 });

/** The properties of the module. */
export const ledProperties = Type.Object({
  /** A name of the board's, or of the kernel's below /sys/class/leds. */
  Led: Type.String({ default: '', maxLength: 64, refers: referenceKind.led }),
  /** Per cent: how bright it is when it is switched on. */
  OnBrightness: Type.Integer({ default: 100, minimum: 1, maximum: 100 }),
  BlinkOnMs: blinkMs,
  BlinkOffMs: blinkMs,
  Boot: enumProperty(statePolicies, 'hold'),
});

/**
 * The module of this driver for one gateway, **LED** (`docs/hardware/led.md`): over the machine's own LEDs
 * unless given others.
 */
export function ledModules(
  board: LedBoard,
  clock: Clock,
  given?: Promise<SimulatedLeds>,
): readonly ModuleDefinition[] {
  const { boolean, integer, string } = variableType;
  const world = new SysfsBackend({
    root: async () => (await import('./kernel-led.js')).LED_CLASS_PATH,
    simulated: () => createSimulatedLeds(board, clock),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const around: LedContext = { board, holders: new DeviceClaims(), attributes: world.open };
  const led: ModuleDefinition<typeof ledProperties> = {
    id: '{2389A6A6-6B82-4B0D-9923-8A3402763FD3}',
    name: 'LED',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: ledProperties,
    variables: () => [
      { ident: 'STATE', name: 'State', type: boolean, profile: '~Switch', action: true, position: 1 },
      {
        ident: 'BRIGHTNESS',
        name: 'Brightness',
        type: integer,
        profile: '~Intensity.100',
        action: true,
        position: 2,
      },
      { ident: 'BLINK', name: 'Blinks', type: boolean, profile: '~Switch', action: true, position: 3 },
      { ident: 'TRIGGER', name: 'Trigger', type: string, action: true, position: 4 },
    ],
    check: ({ Led }) =>
      Led === '' ? 'Led is empty: give the name of a LED (ls /sys/class/leds)' : undefined,
    functions: () =>
      world.functions({
        name: 'GW_SimulateLedGone',
        device: 'Led',
        help: 'Pulls a LED of the simulated board out, or plugs it in again.',
      }),
    findHardware: async () => (await import('./led-discovery.js')).discoverLeds(around),
    open: async (host) => (await import('./led-instance.js')).openLed(host, around),
  };
  return [led] as readonly ModuleDefinition[];
}

async function createSimulatedLeds({ leds }: LedBoard, clock: Clock): Promise<SimulatedLeds> {
  const [{ SimulatedLeds }, { ledNameOf }] = await Promise.all([
    import('./simulated-leds.js'),
    import('./kernel-led.js'),
  ]);
  return new SimulatedLeds(
    clock,
    leds.map(({ path }) => ({ name: ledNameOf(path) })),
  );
}
