import { declare, int, text, variant, type FunctionDeclaration } from '../../device/declare.js';
import { HIDDEN, maskUrlsIn } from '../../base/url-secrets.js';
import { isSecretProperty } from '../../device/properties.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** The properties of instances (interface §1, §9). Secrets are masked as `***` (interface, decision 16). */
export function propertyFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...changes(ports)];
}

function readers({ devices }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'SVC_GetConfiguration',
      parameters: [InstanceID],
      result: 'string',
      help: 'All active properties of an instance, as JSON.',
      run: (_caller, id) => JSON.stringify(devices.configuration(id)),
    }),
    declare({
      name: 'SVC_GetProperty',
      parameters: [InstanceID, text('Name')],
      result: 'variant',
      shape: shapes.anything,
      help: 'An active property of an instance.',
      run: (_caller, id, name) => devices.property(id, name),
    }),
    declare({
      name: 'SVC_HasChanges',
      parameters: [InstanceID],
      result: 'boolean',
      help: 'Whether an instance has properties that are set but not applied.',
      run: (_caller, id) => devices.hasChanges(id),
    }),
  ];
}

function changes({ devices, kernel }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  const isSecret = (id: number, name: string) => {
    const instance = kernel.tree.find(id);
    const module = instance?.is(objectType.instance) && devices.modules.find(instance.data.moduleId);
    return module === undefined || module === false || isSecretProperty(module, name);
  };
  return [
    declare({
      name: 'SVC_SetProperty',
      parameters: [InstanceID, text('Name'), variant('Value', shapes.anything)],
      result: 'boolean',
      audited: true,
      auditParameters: (id, name, value) => [id, name, isSecret(id, name) ? HIDDEN : maskUrlsIn(value)],
      help: 'Sets a property; SVC_ApplyChanges applies it. False for an unknown property and for an unchanged value.',
      run: (_caller, id, name, value) => devices.setProperty(id, name, value),
    }),
    declare({
      name: 'SVC_SetConfiguration',
      parameters: [InstanceID, text('Configuration')],
      result: 'boolean',
      audited: true,
      auditParameters: (id) => [id, HIDDEN],
      help: 'Sets the properties in a JSON object; SVC_ApplyChanges applies them.',
      run: (_caller, id, configuration) => devices.setConfiguration(id, configuration),
    }),
    declare({
      name: 'SVC_ApplyChanges',
      parameters: [InstanceID],
      result: 'boolean',
      audited: true,
      help: 'Applies the properties that were set and reopens the instance with them.',
      run: async (_caller, id) => {
        await devices.applyChanges(id);
        return true;
      },
    }),
    declare({
      name: 'SVC_ResetChanges',
      parameters: [InstanceID],
      result: 'boolean',
      audited: true,
      help: 'Discards properties that were set but not applied.',
      run: (_caller, id) => {
        devices.resetChanges(id);
        return true;
      },
    }),
  ];
}
