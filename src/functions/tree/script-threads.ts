import { fault } from '../../base/fault.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { checkedIds } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** A day: what waits longer is no wait. */
const WAIT_LIMIT_MS = 86_400_000;
/** A semaphore's name is a word, no text. */
const NAME_LIMIT = 200;

/** What scripts run in, and what they wait for (interface §1, §9). */
export function scriptThreadFunctions(ports: Ports): FunctionDeclaration[] {
  return [...threads(ports), ...waits(ports)];
}

function threads({ scripts }: Ports): FunctionDeclaration[] {
  const ThreadID = int('ThreadID');
  const record = async (id: number) => {
    const found = (await scripts.threads()).find((thread) => thread.ThreadID === id);
    if (found === undefined) throw fault('NOT_OF_TYPE', 'Script thread', id);
    return found;
  };
  return [
    declare({
      name: 'SVC_ScriptThreadExists',
      parameters: [ThreadID],
      result: 'boolean',
      help: 'Whether there is a script thread with this ID.',
      run: async (_caller, id) => (await scripts.threads()).some((thread) => thread.ThreadID === id),
    }),
    declare({
      name: 'SVC_GetScriptThread',
      parameters: [ThreadID],
      result: 'array',
      shape: shapes.scriptThread,
      help: 'What a script thread runs, and what its runs so far took.',
      run: (_caller, id) => record(id),
    }),
    declare({
      name: 'SVC_GetScriptThreads',
      parameters: [array('ThreadIDs', shapes.ids)],
      result: 'array',
      shape: shapes.listOf(shapes.scriptThread),
      help: 'As SVC_GetScriptThread, of some threads; of all, for an empty list.',
      run: async (_caller, given) => {
        const ids = checkedIds(given, 'ThreadIDs');
        return ids.length === 0 ? scripts.threads() : Promise.all(ids.map(record));
      },
    }),
    declare({
      name: 'SVC_GetScriptThreadList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all script threads: as many as scripts may run at the same time, and more where scripts ran scripts.',
      run: async () => (await scripts.threads()).map((thread) => thread.ThreadID),
    }),
    declare({
      name: 'SVC_AbortScript',
      parameters: [int('ScriptID')],
      result: 'boolean',
      audited: true,
      help: 'Stops a script, however often it runs; false when it does not run.',
      run: (_caller, id) => scripts.abort(id),
    }),
  ];
}

function waits({ scripts }: Ports): FunctionDeclaration[] {
  const Name = text('Name');
  const Milliseconds = int('Milliseconds');
  const checkWait = (ms: number) => {
    if (ms < 0 || ms > WAIT_LIMIT_MS) throw fault('PARAMETER_BOUNDS', 'Milliseconds');
  };
  const checkName = (name: string) => {
    if (name === '' || name.length > NAME_LIMIT) throw fault('PARAMETER_BOUNDS', 'Name');
  };
  return [
    declare({
      name: 'SVC_SemaphoreEnter',
      parameters: [Name, Milliseconds],
      result: 'boolean',
      help: 'In a script: waits so long at most until a semaphore is its own; whether it is. It is free when the script ends.',
      run: (caller, name, ms) => {
        checkName(name);
        checkWait(ms);
        return scripts.enter(name, ms, caller);
      },
    }),
    declare({
      name: 'SVC_SemaphoreLeave',
      parameters: [Name],
      result: 'boolean',
      help: 'In a script: leaves a semaphore; whether it was its own.',
      run: (caller, name) => {
        checkName(name);
        return scripts.leave(name, caller);
      },
    }),
    declare({
      name: 'SVC_Sleep',
      parameters: [Milliseconds],
      result: 'boolean',
      help: 'Waits so long.',
      run: async (caller, ms) => {
        checkWait(ms);
        await scripts.sleep(ms, caller);
        return true;
      },
    }),
  ];
}
