import { coded } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { TOKEN_USER, declare, int, type FunctionDeclaration } from '../../device/declare.js';
import type { Ports } from '../ports.js';

/** Delay before the gateway stops, ms, so that the reply to the call is sent first. */
const STOP_AFTER_MS = 100;
/** Maximum validity of a temporary token, s: a day. */
const TOKEN_LIMIT_S = 86_400;

/** The process: memory, shutdown and temporary passwords (interface §9, "Kernel"). */
export function processFunctions({ system, clock, connections }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_TrimKernel',
      parameters: [],
      result: 'boolean',
      help: 'Returns unused memory to the machine.',
      run: async () => {
        await system.trimMemory();
        return true;
      },
    }),
    declare({
      name: 'SVC_StopKernel',
      parameters: [],
      result: 'boolean',
      audited: true,
      help: 'Ends the gateway as SIGTERM does; systemd restarts it.',
      run: () => {
        const { stop } = system;
        if (stop === undefined)
          throw fault(
            'NOT_SUPPORTED',
            coded`WHAT_ENDING_FOREIGN_PROCESS: Ending a process that does not belong to the gateway`,
          );
        clock.after(STOP_AFTER_MS, stop);
        return true;
      },
    }),
    declare({
      name: 'SVC_CreateTemporaryToken',
      parameters: [int('ValidForSeconds')],
      result: 'string',
      audited: true,
      confirmed: true,
      help: 'Creates a password with the rights of the owner for the user name token, valid for a number of seconds, at most a day.',
      run: ({ user }, validForS) => {
        if (validForS < 1 || validForS > TOKEN_LIMIT_S) throw fault('PARAMETER_BOUNDS', 'ValidForSeconds');
        // Otherwise a leaked token could be renewed indefinitely.
        if (user === TOKEN_USER)
          throw fault('NOT_ALLOWED', coded`WHAT_TOKEN_BY_TOKEN: Creating a token with another token`);
        const api = connections();
        if (api === undefined) throw fault('STOPPING');
        return api.createToken(validForS);
      },
    }),
  ];
}
