import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Instance } from '../../kernel/instances.js';
import { objectType } from '../../kernel/object.js';
import { childByName, checkedIds, idsOfType, isOfType } from '../argument-checks.js';
import { moduleTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Instances of modules: which there are, and what they are connected to (interface §9). */
export function instanceFunctions(ports: Ports): FunctionDeclaration[] {
  return [
    ...readers(ports),
    ...connections(ports),
    ...changes(ports),
    ...remarks(ports),
    ...statistics(ports),
  ];
}

function readers({ kernel, devices }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const idsOfAll = (isWanted: (instance: Instance) => boolean) =>
    [...kernel.tree.objectsOfType(objectType.instance)].filter(isWanted).map(({ id }) => id);
  return [
    declare({
      name: 'SVC_InstanceExists',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether there is an instance with this ID.',
      run: (_caller, id) => isOfType(kernel, id, objectType.instance),
    }),
    declare({
      name: 'SVC_GetInstance',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.instanceRecord,
      help: 'Module, connection and status of an instance.',
      run: (_caller, id) => record(kernel.instances.get(id)),
    }),
    declare({
      name: 'SVC_GetInstanceIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest instance with this name directly below an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.instance).id,
    }),
    declare({
      name: 'SVC_GetInstanceList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all instances.',
      run: () => idsOfType(kernel, objectType.instance),
    }),
    declare({
      name: 'SVC_GetInstanceListByModuleID',
      parameters: [text('ModuleID')],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the instances of a module; none where there is no such module.',
      run: (_caller, moduleId) => {
        // Clients ask with it whether there are any (decision 26).
        const id = devices.modules.find(moduleId)?.id ?? moduleId.toUpperCase();
        return idsOfAll(({ data }) => data.moduleId === id);
      },
    }),
    declare({
      name: 'SVC_GetInstanceListByModuleType',
      parameters: [int('ModuleType', moduleTypes)],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the instances of all modules of a type.',
      run: (_caller, type) => idsOfAll(({ data }) => data.moduleType === type),
    }),
  ];
}

function connections({ kernel, devices }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'SVC_GetCompatibleInstances',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the instances that an instance could be connected to.',
      run: (_caller, id) => {
        kernel.instances.get(id);
        return idsOfType(kernel, objectType.instance).filter((other) => fits(devices, id, other));
      },
    }),
    declare({
      name: 'SVC_IsInstanceCompatible',
      parameters: [InstanceID, int('ParentInstanceID')],
      result: 'boolean',
      help: 'Whether an instance could be connected to another.',
      run: (_caller, id, parentId) => {
        kernel.instances.get(id);
        kernel.instances.get(parentId);
        return fits(devices, id, parentId);
      },
    }),
    declare({
      name: 'SVC_ConnectInstance',
      parameters: [InstanceID, int('ParentID')],
      result: 'boolean',
      audited: true,
      help: 'Connects a device to the I/O instance that it works over.',
      run: async (_caller, id, parentId) => {
        await devices.connect(id, parentId);
        return true;
      },
    }),
    declare({
      name: 'SVC_DisconnectInstance',
      parameters: [InstanceID],
      result: 'boolean',
      audited: true,
      help: 'Takes a device off the I/O instance that it works over.',
      run: async (_caller, id) => {
        await devices.disconnect(id);
        return true;
      },
    }),
  ];
}

/** An instance whose module is gone fits nothing. */
function fits(devices: Ports['devices'], id: number, parentId: number): boolean {
  try {
    return devices.isCompatible(id, parentId);
  } catch {
    return false;
  }
}

function changes({ devices }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_CreateInstance',
      parameters: [text('ModuleID')],
      result: 'integer',
      audited: true,
      help: 'Creates an instance of a module below the root, with default properties, and gives its ID.',
      run: (_caller, moduleId) => devices.create(moduleId).id,
    }),
    declare({
      name: 'SVC_DeleteInstance',
      parameters: [int('InstanceID')],
      result: 'boolean',
      audited: true,
      help: 'Closes and deletes an instance with the variables of its module; fails if there is anything else below it.',
      run: async (_caller, id) => {
        await devices.delete(id);
        return true;
      },
    }),
  ];
}

function remarks({ kernel, devices }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetReferenceList',
      parameters: [int('InstanceID')],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the objects that an instance works with besides its own.',
      run: (_caller, id) => {
        const { connectionId } = kernel.instances.get(id).data;
        return connectionId === 0 ? [] : [connectionId];
      },
    }),
    declare({
      name: 'SVC_GetConfigurationForParent',
      parameters: [int('InstanceID')],
      result: 'string',
      help: 'What an instance demands of the properties of its I/O instance, as JSON: no module demands anything.',
      run: (_caller, id) => {
        kernel.instances.get(id);
        return '{}';
      },
    }),
    declare({
      name: 'SVC_GetConfigurationsFromChildren',
      parameters: [array('Parameter', shapes.ids)],
      result: 'array',
      shape: shapes.childConfigurations,
      help: 'The configurations of the instances that are connected to the given ones.',
      run: (_caller, given) => {
        const parents = new Set(checkedIds(given, 'Parameter').map((id) => kernel.instances.get(id).id));
        return [...kernel.tree.objectsOfType(objectType.instance)]
          .filter(({ data }) => parents.has(data.connectionId))
          .map(({ id, data }) => ({
            InstanceID: id,
            ConnectionID: data.connectionId,
            Configuration: JSON.stringify(devices.configuration(id)),
          }));
      },
    }),
    declare({
      name: 'SVC_Translate',
      parameters: [int('InstanceID'), text('Text')],
      result: 'string',
      help: 'A text of a module in the language of the system: all texts are English, so it comes back as it is.',
      run: (_caller, id, given) => {
        kernel.instances.get(id);
        return given;
      },
    }),
  ];
}

function statistics({ devices, messageWatch: watch }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetInstanceDataFlowStatistics',
      parameters: [],
      result: 'array',
      shape: shapes.dataFlowStatistics,
      help: 'How long each instance took to do what it was asked (Tx), and what it told took to be in the tree with all that follows at once (Rx), in ms: the last time, and at most.',
      run: () =>
        Array.from(devices.latencies(), ({ id, asked, taken }) => ({
          InstanceID: id,
          TxDuration: asked.lastMs,
          TxMaxDuration: asked.maxMs,
          RxDuration: taken.lastMs,
          RxMaxDuration: taken.maxMs,
        })),
    }),
    declare({
      name: 'SVC_GetInstanceMessageQueueSize',
      parameters: [],
      result: 'integer',
      help: 'How many messages wait for instances: none, instances are not told by messages.',
      run: () => 0,
    }),
    declare({
      name: 'SVC_GetInstanceMessageStatistics',
      parameters: [],
      result: 'array',
      shape: shapes.messageStatistics,
      help: 'How long the last message of each instance took to be told to all, and at most, in ms; with option MessageQueueWatch.',
      run: () =>
        Array.from(watch.deliveryTimes(), ([id, { lastMs, maxMs: mostMs }]) => ({
          InstanceID: id,
          Duration: lastMs,
          MaxDuration: mostMs,
        })),
    }),
  ];
}

/** An instance as `SVC_GetInstance` shows it (interface §2.1). */
function record({ id, data }: Instance) {
  return {
    InstanceID: id,
    ConnectionID: data.connectionId,
    InstanceStatus: data.status,
    InstanceChanged: data.changed,
    ModuleInfo: { ModuleID: data.moduleId, ModuleName: data.moduleName, ModuleType: data.moduleType },
  };
}
