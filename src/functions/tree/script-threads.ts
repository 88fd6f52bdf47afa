import { fault } from '../../base/fault.js';
import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { checkedIds } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** The longest wait, ms: a day. */
const WAIT_LIMIT_MS = 86_400_000;
/** The longest name of a semaphore, characters. */
const NAME_LIMIT = 200;

/** Threads of scripts, semaphores and waiting (interface §1, §9). */
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
      help: 'Whether a script thread with this ID exists.',
      run: async (_caller, id) => (await scripts.threads()).some((thread) => thread.ThreadID === id),
    }),
    declare({
      name: 'SVC_GetScriptThread',
      parameters: [ThreadID],
      result: 'array',
      shape: shapes.scriptThread,
      help: 'What a script thread is running, and statistics of its runs.',
      run: (_caller, id) => record(id),
    }),
    declare({
      name: 'SVC_GetScriptThreads',
      parameters: [array('ThreadIDs', shapes.ids)],
      result: 'array',
      shape: shapes.listOf(shapes.scriptThread),
      help: 'Like SVC_GetScriptThread, for some threads; an empty list: all threads.',
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
      help: 'The IDs of all script threads: one per script that may run at the same time, and more if scripts have run scripts.',
      run: async () => (await scripts.threads()).map((thread) => thread.ThreadID),
    }),
    declare({
      name: 'SVC_AbortScript',
      parameters: [int('ScriptID')],
      result: 'boolean',
      audited: true,
      help: 'Stops all runs of a script; false if it is not running.',
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
      help: 'In a script: acquires a semaphore, waiting up to the given time; false on timeout. It is released when the script ends.',
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
      help: 'In a script: releases a semaphore; false if the script does not hold it.',
      run: (caller, name) => {
        checkName(name);
        return scripts.leave(name, caller);
      },
    }),
    declare({
      name: 'SVC_Sleep',
      parameters: [Milliseconds],
      result: 'boolean',
      help: 'Waits for the given time.',
      run: async (caller, ms) => {
        checkWait(ms);
        await scripts.sleep(ms, caller);
        return true;
      },
    }),
  ];
}
