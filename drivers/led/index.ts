import { coded } from '../../src/base/codes/coded-text.js';
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../src/base/clock.js';
import { enumProperty, statePolicies } from '../../src/device/toolkit/enum-property.js';
import { SysfsBackend, type SysfsContext } from '../../src/device/toolkit/sysfs-backend.js';
import { moduleKind, type ModuleDefinition, referenceKind, variableType } from '../../src/device/module.js';
import type { SimulatedLeds } from './simulated-leds.js';
import { withAdvancedHelp, withHelp } from '../../src/device/toolkit/property-help.js';

/** The LED section of a board file (`docs/hardware/boards.md`). */
interface LedBoard {
  /** `path` is the kernel's directory of the LED: `/sys/class/leds/ACT`. */
  readonly leds: readonly { readonly name: string; readonly path: string }[];
  /** Present if the devices of the board are simulated. */
  readonly simulated?: object;
}

/** State shared by the instances of one gateway. */
export type LedContext = SysfsContext<LedBoard>;

/** Slower switching is the task of a schedule; faster blinking looks like dimming. */
const blinkMs = Type.Integer({ default: 500, minimum: 20, maximum: 60_000 });

/** The properties of the module. */
export const ledProperties = Type.Object({
  Led: withHelp(
    Type.String({ default: '', maxLength: 64, refers: referenceKind.led }),
    'LED',
    'The name of the LED in the board file, or in /sys/class/leds.',
  ),
  OnBrightness: withHelp(
    Type.Integer({ default: 100, minimum: 1, maximum: 100 }),
    'LED',
    'Brightness after switching on, in percent.',
  ),
  BlinkOnMs: withHelp(blinkMs, 'Blinking', 'How long the LED is on while it blinks.'),
  BlinkOffMs: withHelp(blinkMs, 'Blinking', 'How long the LED is off while it blinks.'),
  Boot: withAdvancedHelp(
    enumProperty(statePolicies, 'hold'),
    'When something fails',
    'What happens to the LED when the gateway starts.',
  ),
});

/**
 * The module **LED** of one gateway (`docs/hardware/led.md`). It uses the LEDs of the machine, or those of
 * the simulated board; `given` replaces them in tests.
 */
export function ledModules(
  board: LedBoard,
  clock: Clock,
  given?: Promise<SimulatedLeds>,
): readonly ModuleDefinition[] {
  const { boolean, integer, string } = variableType;
  const backend = new SysfsBackend({
    root: async () => (await import('./kernel-led.js')).LED_CLASS_PATH,
    simulated: () => createSimulatedLeds(board, clock),
    given,
    isSimulated: board.simulated !== undefined,
  });
  const context = backend.context(board);
  const led: ModuleDefinition<typeof ledProperties> = {
    id: '{2389A6A6-6B82-4B0D-9923-8A3402763FD3}',
    name: 'LED',
    description: 'An LED of the machine: brightness and blinking.',
    icon: 'Bulb',
    page: 'hardware/led.md',
    kind: moduleKind.device,
    prefix: 'HW',
    properties: ledProperties,
    variables: () => [
      {
        ident: 'STATE',
        name: 'State',
        type: boolean,
        role: 'main',
        profile: '~Switch',
        action: true,
        position: 1,
      },
      {
        ident: 'BRIGHTNESS',
        name: 'Brightness',
        type: integer,
        role: 'main',
        profile: '~Intensity.100',
        action: true,
        position: 2,
      },
      {
        ident: 'BLINK',
        name: 'Blinks',
        type: boolean,
        role: 'detail',
        profile: '~Switch',
        action: true,
        position: 3,
      },
      { ident: 'TRIGGER', name: 'Trigger', type: string, role: 'detail', action: true, position: 4 },
    ],
    check: ({ Led }) =>
      Led === '' ? coded`LED_EMPTY: Led is empty; set the name of an LED (ls /sys/class/leds)` : undefined,
    functions: () =>
      backend.functions({
        name: 'GW_SimulateLedGone',
        device: 'Led',
        help: 'Unplugs an LED of the simulated board, or plugs it in again.',
      }),
    findHardware: async () => (await import('./led-discovery.js')).discoverLeds(context),
    open: async (host) => (await import('./led-instance.js')).openLed(host, context),
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
