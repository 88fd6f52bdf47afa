import { coded } from '../../base/codes/coded-text.js';
import { array, bool, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { fault } from '../../base/fault.js';
import type { Script } from '../../kernel/scripts.js';
import { objectType } from '../../kernel/object.js';
import { childByName, idsOfType, isOfType, checkedMap } from '../argument-checks.js';
import { scriptTypes } from '../enumerations.js';
import type { Ports, ScriptRun } from '../ports.js';
import { redacted } from '../registry/audit.js';
import * as shapes from '../shapes.js';

/** `SENDER` of a script that a call runs (interface §1). */
const SENDER = 'RunScript';

/** Scripts and their runs (interface §9; script type 0 is JavaScript: decision 18). */
export function scriptFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...changes(ports), ...runs(ports), ...textRuns(ports)];
}

function readers({ kernel, scripts }: Ports): FunctionDeclaration[] {
  const ScriptID = int('ScriptID');
  return [
    declare({
      name: 'SVC_ScriptExists',
      parameters: [ScriptID],
      result: 'boolean',
      help: 'Whether a script with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.script),
    }),
    declare({
      name: 'SVC_GetScript',
      parameters: [ScriptID],
      result: 'array',
      shape: shapes.scriptRecord,
      help: 'Type, file and last run of a script, and the error if it is broken.',
      run: async (_caller, id) => record(kernel.scripts.get(id), await scripts.compileError(id)),
    }),
    declare({
      name: 'SVC_GetScriptList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all scripts.',
      run: () => idsOfType(kernel, objectType.script),
    }),
    declare({
      name: 'SVC_GetScriptIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest script with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.script).id,
    }),
    declare({
      name: 'SVC_GetScriptIDByFile',
      parameters: [text('FilePath')],
      result: 'integer',
      help: 'The ID of the script with this file.',
      run: (_caller, file) => {
        for (const { id, data } of kernel.tree.objectsOfType(objectType.script))
          if (data.file === file) return id;
        throw fault('NAME_NOT_FOUND', file);
      },
    }),
    declare({
      name: 'SVC_GetScriptFile',
      parameters: [ScriptID],
      result: 'string',
      help: 'The name of the file with the text of a script.',
      run: (_caller, id) => kernel.scripts.get(id).data.file,
    }),
    declare({
      name: 'SVC_GetScriptContent',
      parameters: [ScriptID],
      result: 'string',
      help: 'The text of a script.',
      run: (_caller, id) => scripts.content(id),
    }),
  ];
}

function changes({ kernel, scripts, deletions }: Ports): FunctionDeclaration[] {
  const ScriptID = int('ScriptID');
  return [
    declare({
      name: 'SVC_CreateScript',
      parameters: [int('ScriptType', scriptTypes)],
      result: 'integer',
      audited: true,
      help: 'Creates an empty script below the root and returns its ID; type 0 (JavaScript) is the only type.',
      run: (_caller, type) => {
        if (type !== 0)
          throw fault(
            'NOT_SUPPORTED',
            coded`WHAT_OTHER_SCRIPT_TYPE: A script of a type other than 0 (JavaScript)`,
          );
        return scripts.create();
      },
    }),
    declare({
      name: 'SVC_DeleteScript',
      parameters: [ScriptID, bool('DeleteFile')],
      result: 'boolean',
      audited: true,
      help: 'Deletes a script without children, and with DeleteFile its file unless another script uses it.',
      run: async (caller, id, deleteFile) => {
        const deleted = { objects: [kernel.scripts.get(id)], withFiles: deleteFile };
        await deletions.during(caller, deleted, () => scripts.delete(id, deleteFile));
        return true;
      },
    }),
    declare({
      name: 'SVC_SetScriptContent',
      parameters: [ScriptID, text('Content')],
      result: 'boolean',
      audited: true,
      auditParameters: (id, content) => [id, redacted(content)],
      help: 'Replaces the text of a script; a text that cannot be compiled is saved, and the script is marked as broken.',
      run: async (_caller, id, content) => {
        await scripts.setContent(id, content);
        return true;
      },
    }),
    declare({
      name: 'SVC_SetScriptFile',
      parameters: [ScriptID, text('FilePath')],
      result: 'boolean',
      audited: true,
      help: 'Sets the file of a script in the scripts directory.',
      run: async (_caller, id, file) => {
        await scripts.setFile(id, file);
        return true;
      },
    }),
  ];
}

type Given = unknown[] | Record<string, unknown>;

function runs({ scripts }: Ports): FunctionDeclaration[] {
  const ScriptID = int('ScriptID');
  const Parameters = array('Parameters', shapes.map(shapes.anything));
  const start = (run: ScriptRun) => {
    scripts.start(run);
    return true;
  };
  const runOf = (caller: ScriptRun['caller'], id: number, given: Given = {}): ScriptRun => ({
    id,
    parameters: checkedMap(given, 'Parameters'),
    sender: SENDER,
    caller,
  });
  return [
    declare({
      name: 'SVC_RunScript',
      parameters: [ScriptID],
      result: 'boolean',
      audited: true,
      help: 'Starts a script without waiting for it.',
      run: (caller, id) => start(runOf(caller, id)),
    }),
    declare({
      name: 'SVC_RunScriptEx',
      parameters: [ScriptID, Parameters],
      result: 'boolean',
      audited: true,
      help: 'Starts a script with parameters without waiting for it.',
      run: (caller, id, given) => start(runOf(caller, id, given)),
    }),
    declare({
      name: 'SVC_RunScriptWait',
      parameters: [ScriptID],
      result: 'string',
      audited: true,
      help: 'Runs a script and returns its output.',
      run: (caller, id) => scripts.run(runOf(caller, id)),
    }),
    declare({
      name: 'SVC_RunScriptWaitEx',
      parameters: [ScriptID, Parameters],
      result: 'string',
      audited: true,
      help: 'Runs a script with parameters and returns its output.',
      run: (caller, id, given) => scripts.run(runOf(caller, id, given)),
    }),
  ];
}

function textRuns({ scripts }: Ports): FunctionDeclaration[] {
  const ScriptText = text('ScriptText');
  const Parameters = array('Parameters', shapes.map(shapes.anything));
  const auditParameters = (content: string) => [redacted(content)];
  const start = (run: ScriptRun) => {
    scripts.start(run);
    return true;
  };
  const runOf = (caller: ScriptRun['caller'], content: string, given: Given = {}): ScriptRun => ({
    text: content,
    parameters: checkedMap(given, 'Parameters'),
    sender: SENDER,
    caller,
  });
  return [
    declare({
      name: 'SVC_RunScriptText',
      parameters: [ScriptText],
      result: 'boolean',
      audited: true,
      auditParameters: auditParameters,
      help: 'Starts a text as a script without waiting for it.',
      run: (caller, content) => start(runOf(caller, content)),
    }),
    declare({
      name: 'SVC_RunScriptTextEx',
      parameters: [ScriptText, Parameters],
      result: 'boolean',
      audited: true,
      auditParameters: auditParameters,
      help: 'Starts a text as a script with parameters without waiting for it.',
      run: (caller, content, given) => start(runOf(caller, content, given)),
    }),
    declare({
      name: 'SVC_RunScriptTextWait',
      parameters: [ScriptText],
      result: 'string',
      audited: true,
      auditParameters: auditParameters,
      help: 'Runs a text as a script and returns its output.',
      run: (caller, content) => scripts.run(runOf(caller, content)),
    }),
    declare({
      name: 'SVC_RunScriptTextWaitEx',
      parameters: [ScriptText, Parameters],
      result: 'string',
      audited: true,
      auditParameters: auditParameters,
      help: 'Runs a text as a script with parameters and returns its output.',
      run: (caller, content, given) => scripts.run(runOf(caller, content, given)),
    }),
  ];
}

/** The result of `SVC_GetScript` (interface §2.1), including member names that older clients expect. */
function record({ id, data }: Script, error: string) {
  return {
    ScriptID: id,
    ScriptType: data.type,
    ScriptFile: data.file,
    ScriptExecuted: data.executed,
    ScriptIsBroken: data.broken,
    LastExecute: data.executed,
    IsBroken: data.broken,
    ScriptError: error,
  };
}
