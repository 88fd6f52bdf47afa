import { publishRules } from '../../base/codes/stable-codes.js';
import { coded, type Text } from '../../base/codes/coded-text.js';
import { fault } from '../../base/fault.js';
import { isDeclared } from '../../device/instance-variables.js';
import { bool, declare, int, text, type FunctionDeclaration, type Parameter } from '../../device/declare.js';
import { objectType, type Attributes, type TreeObject } from '../../kernel/object.js';
import { childByName } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Properties of all objects and their position in the tree (interface §9 "Object tree"). */
export function objectFunctions(ports: Ports): FunctionDeclaration[] {
  return [...readers(ports), ...finders(ports), ...setters(ports)];
}

function readers({ kernel: { tree } }: Ports): FunctionDeclaration[] {
  const ID = int('ID');
  return [
    declare({
      name: 'SVC_GetObject',
      parameters: [ID],
      result: 'array',
      shape: shapes.objectRecord,
      help: 'The properties that objects of all types have.',
      run: (_caller, id) => record(tree.get(id)),
    }),
    declare({
      name: 'SVC_GetObjectList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all objects.',
      run: () => Array.from(tree.all(), ({ id }) => id),
    }),
    declare({
      name: 'SVC_ObjectExists',
      parameters: [ID],
      result: 'boolean',
      help: 'Whether an object with this ID exists.',
      run: (_caller, id) => tree.find(id) !== undefined,
    }),
    declare({
      name: 'SVC_GetName',
      parameters: [ID],
      result: 'string',
      help: 'The name of an object.',
      run: (_caller, id) => tree.get(id).displayName,
    }),
    declare({
      name: 'SVC_GetLocation',
      parameters: [ID],
      result: 'string',
      help: 'The location of an object: the names from below the root, joined by backslashes.',
      run: (_caller, id) => tree.location(tree.get(id)),
    }),
    declare({
      name: 'SVC_GetParent',
      parameters: [ID],
      result: 'integer',
      help: 'The ID of the parent; 0 is the root.',
      run: (_caller, id) => tree.get(id).parentId,
    }),
    declare({
      name: 'SVC_GetChildrenIDs',
      parameters: [ID],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of the children of an object, sorted by position.',
      run: (_caller, id) => childrenOf(tree.get(id)),
    }),
    declare({
      name: 'SVC_HasChildren',
      parameters: [ID],
      result: 'boolean',
      help: 'Whether an object has children.',
      run: (_caller, id) => hasChildren(tree.get(id)),
    }),
    declare({
      name: 'SVC_IsChild',
      parameters: [ID, int('ParentID'), bool('Recursive')],
      result: 'boolean',
      help: 'Whether an object is a child of another, or with Recursive a descendant.',
      run: (_caller, id, parentId, isRecursive) => {
        const [object, parent] = [tree.get(id), tree.get(parentId)];
        return isRecursive ? tree.isBelow(object, parent) : object.parent === parent;
      },
    }),
  ];
}

function finders({ kernel }: Ports): FunctionDeclaration[] {
  const ParentID = int('ParentID');
  const byIdent = (ident: string, parentId: number) => kernel.tree.get(parentId).children?.byIdent(ident)?.id;
  return [
    declare({
      name: 'SVC_GetObjectIDByIdent',
      parameters: [text('Ident'), ParentID],
      result: 'integer',
      help: 'The ID of the child with this ident; fails if there is none.',
      run: (_caller, ident, parentId) => {
        const id = byIdent(ident, parentId);
        if (id === undefined) throw fault('IDENT_NOT_FOUND', ident);
        return id;
      },
    }),
    declare({
      name: 'SVC_GetObjectIDByName',
      parameters: [text('Name'), ParentID],
      result: 'integer',
      help: 'The ID of the oldest child with this name; fails if there is none.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name]).id,
    }),
    declare({
      name: 'SVC_FindObjectIDByIdent',
      parameters: [text('Ident'), ParentID],
      result: 'integer',
      help: 'Like SVC_GetObjectIDByIdent, but returns 0 if there is none.',
      run: (_caller, ident, parentId) => byIdent(ident, parentId) ?? 0,
    }),
    declare({
      name: 'SVC_FindObjectIDByName',
      parameters: [text('Name'), ParentID],
      result: 'integer',
      help: 'Like SVC_GetObjectIDByName, but returns 0 if there is none.',
      run: (_caller, name, parentId) => {
        for (const { id } of kernel.tree.get(parentId).children?.byName(name) ?? []) return id;
        return 0;
      },
    }),
  ];
}

function setters(ports: Ports): FunctionDeclaration[] {
  const { tree } = ports.kernel;
  const setter = <K extends keyof Attributes>(
    key: K,
    parameter: Parameter<Attributes[K]>,
    help: string,
  ): FunctionDeclaration =>
    declare({
      name: `SVC_Set${parameter.name}`,
      parameters: [int('ID'), parameter],
      result: 'boolean',
      audited: true,
      help,
      run: (_caller, id, value) => {
        const object = tree.get(id);
        if (key === 'ident' && value !== object.ident)
          requireOwn(
            ports,
            object,
            coded`WHAT_IDENT_OF_DEVICE: Changing the ident by which a device finds variable #${id}`,
          );
        tree.set(object, key, value);
        return true;
      },
    });
  return [
    setter('name', text('Name'), 'Sets the name of an object; an empty name restores the default.'),
    setter(
      'ident',
      text('Ident'),
      'Sets the ident of an object: letters, digits and underscores, unique among its siblings.',
    ),
    setter('position', int('Position'), 'Sets the position of an object among its siblings.'),
    setter('hidden', bool('Hidden'), 'Hides an object in web fronts, or shows it.'),
    setter('disabled', bool('Disabled'), 'Marks an object as disabled in web fronts, or as enabled.'),
    setter('icon', text('Icon'), 'Sets the icon of an object.'),
    setter('info', text('Info'), 'Sets the notes of an object.'),
    declare({
      name: 'GW_SetPublishRule',
      parameters: [int('ID'), text('Rule')],
      result: 'boolean',
      audited: true,
      help: 'Sets whether an object and everything below it appear in Home Assistant: home-assistant, none, or an empty string to inherit the rule of the object above.',
      run: (_caller, id, given) => {
        const rule = publishRules.find((one) => one === given);
        if (rule === undefined) throw fault('PARAMETER_BOUNDS', 'Rule');
        tree.set(tree.get(id), 'publish', rule);
        return true;
      },
    }),
    declare({
      name: 'SVC_SetParent',
      parameters: [int('ID'), int('ParentID')],
      result: 'boolean',
      audited: true,
      help: 'Moves an object with its subtree to another parent. A variable that a device reports keeps its place and ident.',
      run: (_caller, id, parentId) => {
        const [object, parent] = [tree.get(id), tree.get(parentId)];
        if (parent !== object.parent)
          requireOwn(
            ports,
            object,
            coded`WHAT_PLACE_OF_DEVICE: Moving variable #${id} away from its device (create a link instead)`,
          );
        tree.move(object, parent);
        return true;
      },
    }),
  ];
}

/**
 * Throws `NOT_ALLOWED` for a variable that a device reports. The device finds it by its place and ident; one that it
 * does not find would keep its last value as a good one.
 */
function requireOwn({ devices }: Ports, object: TreeObject, what: Text): void {
  const { parent, ident, readOnly } = object;
  if (!object.is(objectType.variable) || !readOnly || parent?.is(objectType.instance) !== true) return;
  if (isDeclared(devices.modules.find(parent.data.moduleId), parent, ident)) throw fault('NOT_ALLOWED', what);
}

function childrenOf({ children }: TreeObject): number[] {
  return children?.sorted().map(({ id }) => id) ?? [];
}

function hasChildren({ children }: TreeObject): boolean {
  return children !== null && children.size > 0;
}

/** The result of `SVC_GetObject` (interface §2.1). */
function record(object: TreeObject) {
  return {
    ObjectID: object.id,
    ObjectType: object.type,
    ObjectName: object.displayName,
    ObjectIcon: object.icon,
    ObjectInfo: object.info,
    ObjectIdent: object.ident,
    ObjectSummary: object.summary,
    ObjectIsHidden: object.hidden,
    ObjectIsDisabled: object.disabled,
    ObjectIsLocked: false,
    ObjectIsReadOnly: object.readOnly,
    ObjectPosition: object.position,
    ParentID: object.parentId,
    ChildrenIDs: childrenOf(object),
    HasChildren: hasChildren(object),
  };
}
