import { fault } from '../../base/fault.js';
import { TOKEN_USER, declare, int, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';

/** The answer to the call that ends the gateway is on its way by then, ms. */
const STOP_AFTER_MS = 100;
/** The longest that a temporary token opens anything, in seconds: a day. */
const TOKEN_LONGEST_S = 86_400;

/** The program itself: its memory, its end, and passwords for a while (interface §9, "Kernel"). */
export function processFunctions({ system, clock, connections }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_TrimKernel',
      parameters: [],
      result: 'boolean',
      help: 'Gives memory back to the machine that the gateway does not need; false where it cannot.',
      run: () => system.trimMemory(),
    }),
    declare({
      name: 'SVC_StopKernel',
      parameters: [],
      result: 'boolean',
      audited: true,
      help: 'Ends the gateway as SIGTERM does; under systemd it is started again.',
      run: () => {
        const { stop } = system;
        if (stop === undefined)
          throw fault('NOT_SUPPORTED', 'Ending a program that holds more than the gateway');
        clock.after(STOP_AFTER_MS, stop);
        return true;
      },
    }),
    declare({
      name: 'SVC_CreateTemporaryToken',
      parameters: [int('ValidForSeconds')],
      result: 'string',
      audited: true,
      help: "A password for the user name token that opens what the owner's does, for so many seconds; a day at most.",
      run: ({ user }, validForS) => {
        if (validForS < 1 || validForS > TOKEN_LONGEST_S) throw fault('PARAMETER_BOUNDS', 'ValidForSeconds');
        // Else one that leaked could be made to last for ever.
        if (user === TOKEN_USER) throw fault('NOT_ALLOWED', 'A token by means of another');
        const api = connections();
        if (api === undefined) throw fault('STOPPING');
        return api.createToken(validForS);
      },
    }),
  ];
}
