import { fault } from '../../base/fault.js';
import {
  array,
  declare,
  int,
  parameterKinds,
  text,
  type FunctionDeclaration,
  type Parameter,
} from '../../device/declare.js';
import { checkedIds } from '../argument-checks.js';
import { openRpcDocument } from './openrpc.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** All declared functions. */
interface Declarations {
  all(): readonly FunctionDeclaration[];
  find(name: string): FunctionDeclaration | undefined;
}

/** JSON-RPC 2.0 reserves names with this prefix; they are not part of the command reference. */
const RESERVED = 'rpc.';

/** Reflection: which functions exist (interface §1, "Reflection record"). */
export function reflectionFunctions(ports: Ports, declarations: () => Declarations): FunctionDeclaration[] {
  const named = (matches: (name: string) => boolean) =>
    declarations()
      .all()
      .filter(({ name }) => !name.startsWith(RESERVED) && matches(name));
  /** The functions with the prefix of an instance's module; 0: all functions. */
  const ofInstance = (id: number) => {
    if (id === 0) return named(() => true);
    const { moduleId } = ports.kernel.instances.get(id).data;
    return named(withPrefix(ports.devices.modules.find(moduleId)?.prefix));
  };
  const ofInstances = (given: unknown[] | Record<string, unknown>) => {
    const ids = checkedIds(given, 'InstanceIDs');
    return [...new Set((ids.length === 0 ? [0] : ids).flatMap(ofInstance))];
  };
  return [
    ...single(declarations),
    declare({
      name: 'SVC_GetFunctionList',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of the functions of an instance; 0: of all functions.',
      run: (_caller, id) => ofInstance(id).map(({ name }) => name),
    }),
    declare({
      name: 'SVC_GetFunctionListByModuleID',
      parameters: [text('ModuleID')],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of the functions of a module.',
      run: (_caller, id) => named(withPrefix(ports.devices.modules.get(id).prefix)).map(({ name }) => name),
    }),
    declare({
      name: 'SVC_GetFunctions',
      parameters: [array('InstanceIDs', shapes.ids)],
      result: 'array',
      shape: shapes.listOf(shapes.functionRecord),
      help: 'Parameters and results of the functions of some instances; an empty list: of all functions.',
      run: (_caller, given) => ofInstances(given).map(record),
    }),
    declare({
      name: 'SVC_GetFunctionsMap',
      parameters: [array('InstanceIDs', shapes.ids)],
      result: 'array',
      shape: shapes.map(shapes.functionRecord),
      help: 'Like SVC_GetFunctions, as a map by function name.',
      run: (_caller, given) => Object.fromEntries(ofInstances(given).map((one) => [one.name, record(one)])),
    }),
    declare({
      name: 'rpc.discover',
      parameters: [],
      result: 'array',
      shape: shapes.record,
      help: 'All functions, as an OpenRPC document.',
      run: () => openRpcDocument(declarations().all(), ports.system.version),
    }),
  ];
}

function single(declarations: () => Declarations): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_FunctionExists',
      parameters: [text('FunctionName')],
      result: 'boolean',
      help: 'Whether a function with this name exists.',
      run: (_caller, name) => declarations().find(name) !== undefined,
    }),
    declare({
      name: 'SVC_GetFunction',
      parameters: [text('FunctionName')],
      result: 'array',
      shape: shapes.functionRecord,
      help: 'Parameters and result of a function.',
      run: (_caller, name) => {
        const declaration = declarations().find(name);
        if (declaration === undefined) throw fault('FUNCTION_MISSING', name);
        return record(declaration);
      },
    }),
  ];
}

function withPrefix(prefix: string | undefined): (name: string) => boolean {
  return (name) => prefix !== undefined && name.startsWith(`${prefix}_`);
}

/** The record of a function in reflection (interface §1). */
function record({ name, parameters, result }: FunctionDeclaration) {
  return {
    FunctionName: name,
    Result: { Type_: parameterKinds.indexOf(result), Description: '', Enumeration: [] },
    Parameters: parameters.map(parameterRecord),
  };
}

function parameterRecord({ name, kind, enumeration = [] }: Parameter) {
  return { Type_: parameterKinds.indexOf(kind), Description: name, Enumeration: enumeration };
}
