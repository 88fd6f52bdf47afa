import { declare, int, parameterKinds, type FunctionDeclaration } from '../../device/declare.js';
import type { TreeObject } from '../../kernel/object.js';
import { objectType } from '../../kernel/object.js';
import type { Ports } from '../ports.js';

/** What a device tells of itself, for programs that make pages of it. */
export function deviceDescriptionFunctions({ kernel, devices }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'HW_GetDeviceDescription',
      parameters: [InstanceID],
      result: 'string',
      help: "A device's module and variables, as JSON: ident, name, type, profile, and whether it takes RequestAction.",
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
      help: "A device's properties, as JSON: of each its type, its default and what it may be.",
      run: (_caller, id) => {
        const { moduleId } = kernel.instances.get(id).data;
        return JSON.stringify(devices.modules.get(moduleId).properties.properties);
      },
    }),
  ];
}

/** The variables that a module or its supervisor made; what a user put below the instance is none of the device's. */
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
