import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import type { Instance } from '../../kernel/instances.js';
import { objectType } from '../../kernel/object.js';
import { childByName, checkedIds, idsOfType, isOfType } from '../argument-checks.js';
import { moduleTypes } from '../enumerations.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Instances of modules and their connections (interface §9). */
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
  const idsOfAll = (matches: (instance: Instance) => boolean) =>
    [...kernel.tree.objectsOfType(objectType.instance)].filter(matches).map(({ id }) => id);
  return [
    declare({
      name: 'SVC_InstanceExists',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether an instance with this ID exists.',
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
      help: 'The ID of the oldest instance with this name among the children of an object.',
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
      help: 'The IDs of the instances of a module; empty if the module does not exist.',
      run: (_caller, moduleId) => {
        // Clients use it to test whether there are any (interface, decision 26).
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
      help: 'The IDs of the instances that an instance can be connected to.',
      run: (_caller, id) => {
        kernel.instances.get(id);
        return idsOfType(kernel, objectType.instance).filter((other) => fits(devices, id, other));
      },
    }),
    declare({
      name: 'SVC_IsInstanceCompatible',
      parameters: [InstanceID, int('ParentInstanceID')],
      result: 'boolean',
      help: 'Whether an instance can be connected to another.',
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
      help: 'Connects a device to an I/O instance.',
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
      help: 'Disconnects a device from its I/O instance.',
      run: async (_caller, id) => {
        await devices.disconnect(id);
        return true;
      },
    }),
  ];
}

/** Whether two instances can be connected; false if the module of one no longer exists. */
function fits(devices: Ports['devices'], id: number, parentId: number): boolean {
  try {
    return devices.isCompatible(id, parentId);
  } catch {
    return false;
  }
}

function changes({ kernel, devices, deletions }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_CreateInstance',
      parameters: [text('ModuleID')],
      result: 'integer',
      audited: true,
      help: 'Creates an instance of a module below the root, with default properties, and returns its ID.',
      run: (_caller, moduleId) => devices.create(moduleId).id,
    }),
    declare({
      name: 'SVC_DeleteInstance',
      parameters: [int('InstanceID')],
      result: 'boolean',
      audited: true,
      help: 'Closes and deletes an instance and the variables of its module; fails if it has other children.',
      run: async (caller, id) => {
        const instance = kernel.instances.get(id);
        const objects = [instance, ...(instance.children ?? [])];
        await deletions.during(caller, { objects, withFiles: false }, () => devices.delete(id));
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
      help: 'The IDs of the other objects that an instance uses.',
      run: (_caller, id) => {
        const { connectionId } = kernel.instances.get(id).data;
        return connectionId === 0 ? [] : [connectionId];
      },
    }),
    declare({
      name: 'SVC_GetConfigurationForParent',
      parameters: [int('InstanceID')],
      result: 'string',
      help: 'The properties that an instance requires of its I/O instance, as JSON; no module requires any.',
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
      help: 'Translates a text of a module to the system language; all texts are English, so it is returned unchanged.',
      run: (_caller, id, given) => {
        kernel.instances.get(id);
        return given;
      },
    }),
  ];
}

function statistics({ devices, messageWatch }: Ports): FunctionDeclaration[] {
  return [
    declare({
      name: 'SVC_GetInstanceDataFlowStatistics',
      parameters: [],
      result: 'array',
      shape: shapes.dataFlowStatistics,
      help: 'Time that each instance took for a request (Tx), and that the gateway took to process a report (Rx), in ms: last and maximum.',
      run: () =>
        Array.from(devices.latencies(), ({ id, statistics: { command: request }, report }) => ({
          InstanceID: id,
          TxDuration: request.lastMs,
          TxMaxDuration: request.maxMs,
          RxDuration: report.lastMs,
          RxMaxDuration: report.maxMs,
        })),
    }),
    declare({
      name: 'SVC_GetInstanceMessageQueueSize',
      parameters: [],
      result: 'integer',
      help: 'The number of messages queued for instances; always 0, instances do not receive messages.',
      run: () => 0,
    }),
    declare({
      name: 'SVC_GetInstanceMessageStatistics',
      parameters: [],
      result: 'array',
      shape: shapes.messageStatistics,
      help: 'Delivery times of the messages of each instance, in ms: last and maximum; requires the option MessageQueueWatch.',
      run: () =>
        Array.from(messageWatch.deliveryTimes(), ([id, { lastMs, maxMs }]) => ({
          InstanceID: id,
          Duration: lastMs,
          MaxDuration: maxMs,
        })),
    }),
  ];
}

/** The result of `SVC_GetInstance` (interface §2.1). */
function record({ id, data }: Instance) {
  return {
    InstanceID: id,
    ConnectionID: data.connectionId,
    InstanceStatus: data.status,
    InstanceChanged: data.changed,
    ModuleInfo: { ModuleID: data.moduleId, ModuleName: data.moduleName, ModuleType: data.moduleType },
  };
}
