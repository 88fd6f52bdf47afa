import { declare, text, type FunctionDeclaration } from '../../device/declare.js';
import { requirePassword } from '../argument-checks.js';
import { chipPlan } from '../machine-shapes.js';
import type { Ports } from '../ports.js';

/** Chips on I²C that the kernel has a driver for. */
export function chipFunctions({ chips }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'GW_CheckChip',
      parameters: [text('Device')],
      result: 'array',
      shape: chipPlan,
      help: 'How this machine declares a sensor chip or port expander, such as bme280@1-0076: address 0x76 on bus 1. Changes nothing, and accesses no address.',
      run: async (_caller, device) => (await chips()).check(device),
    }),
    declare({
      name: 'GW_EnableChip',
      parameters: [text('Device')],
      result: 'array',
      shape: chipPlan,
      audited: true,
      confirmed: true,
      help: 'Declares a sensor chip or port expander: writes the lines of GW_CheckChip, as stellwerk enable-chip does. They apply after a reboot. Accesses no address: be sure that this chip is there.',
      run: async (caller, device) => {
        requirePassword(caller, 'Enabling a chip');
        return (await chips()).enable(device);
      },
    }),
  ];
}
