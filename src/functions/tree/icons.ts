import { array, declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { associationOf } from '../../kernel/profiles/format-value.js';
import type { Kernel } from '../../kernel/kernel.js';
import { objectType, type TreeObject } from '../../kernel/object.js';
import { UTILITY, checkModule, checkedIds } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** The available icons, and which objects use them (interface §9; §1: an empty list means all). */
export function iconFunctions({ kernel, media }: Ports): FunctionDeclaration[] {
  const InstanceID = int('InstanceID');
  return [
    declare({
      name: 'UC_GetIconList',
      parameters: [InstanceID],
      result: 'array',
      shape: shapes.texts,
      help: 'The names of all icons: the built-in ones and the files in the folder icons.',
      run: async (_caller, id) => {
        checkModule(kernel, id, UTILITY);
        return (await media()).icons.names();
      },
    }),
    declare({
      name: 'UC_GetIconContent',
      parameters: [InstanceID, text('Icon')],
      result: 'string',
      help: 'The SVG file of an icon, in Base64.',
      run: async (_caller, id, name) => {
        checkModule(kernel, id, UTILITY);
        return (await (await media()).icons.content(name)).toString('base64');
      },
    }),
    declare({
      name: 'SVC_GetIcons',
      parameters: [array('Parameter', shapes.ids)],
      result: 'array',
      shape: shapes.objectIcons,
      help: 'The icons of some objects; an empty list: of all. The icon set for an object takes precedence over that of its value or profile.',
      run: (_caller, given) => {
        const ids = checkedIds(given, 'Parameter');
        const objects = ids.length === 0 ? [...kernel.tree.all()] : ids.map((id) => kernel.tree.get(id));
        return objects.map((object) => ({ ObjectID: object.id, Icon: iconOf(kernel, object) }));
      },
    }),
  ];
}

function iconOf({ profiles }: Kernel, object: TreeObject): string {
  if (object.icon !== '' || !object.is(objectType.variable)) return object.icon;
  const { value, profile, customProfile } = object.data;
  const own = profiles.find(customProfile === '' ? profile : customProfile);
  if (own === undefined) return '';
  return associationOf(value, own)?.icon || own.icon;
}
