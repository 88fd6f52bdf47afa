import { declare, int, parameterKinds, type FunctionDeclaration } from '../../device/declare.js';
import type { TreeObject } from '../../kernel/object.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** Descriptions of devices, for programs that generate pages from them. */
export function deviceDescriptionFunctions({ kernel, devices }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'HW_GetDeviceDescription',
      parameters: [InstanceID],
      result: 'string',
      help: 'Module and variables of a device, as JSON: ident, name, type, profile, and whether RequestAction works.',
      run: (_caller, id) => {
        const instance = kernel.instances.get(id);
        const { moduleId: ModuleID, moduleName: ModuleName } = instance.data;
        return JSON.stringify({ ModuleID, ModuleName, Variables: variablesOf(instance) });
      },
    }),
    declare({
      name: 'HW_GetParamsetDescription',
      parameters: [InstanceID],
      result: 'string',
      help: 'The properties of a device, as JSON: type, default and limits of each.',
      run: (_caller, id) => {
        const { moduleId } = kernel.instances.get(id).data;
        return JSON.stringify(devices.modules.get(moduleId).properties.properties);
      },
    }),
  ];
}

/**
 * The variables that a module or its supervisor created, without those that a user added below the instance.
 */
function variablesOf({ children }: TreeObject): object[] {
  return (children?.sorted() ?? []).flatMap((child) =>
    child.is(objectType.variable) && child.readOnly
      ? [
          {
            Ident: child.ident,
            Name: child.displayName,
            Type: parameterKinds[child.data.type],
            Profile: child.data.profile,
            Writable: child.data.action !== 0,
          },
        ]
      : [],
  );
}
