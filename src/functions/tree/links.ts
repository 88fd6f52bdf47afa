import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { objectType } from '../../kernel/object.js';
import { childByName, idsOfType, isOfType } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Links, which show an object in a second place (interface §9). */
export function linkFunctions({ kernel, deletions }: Ports): FunctionDeclaration[] {
  const LinkID = int('LinkID');
  return [
    declare({
      name: 'SVC_CreateLink',
      parameters: [],
      result: 'integer',
      audited: true,
      help: 'Creates a link below the root and returns its ID.',
      run: () => kernel.links.create().id,
    }),
    declare({
      name: 'SVC_DeleteLink',
      parameters: [LinkID],
      result: 'boolean',
      audited: true,
      help: 'Deletes a link; its target stays.',
      run: (caller, id) => {
        deletions.deleteOne(caller, kernel.links.get(id));
        return true;
      },
    }),
    declare({
      name: 'SVC_LinkExists',
      parameters: [LinkID],
      result: 'boolean',
      help: 'Whether a link with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.link),
    }),
    declare({
      name: 'SVC_GetLink',
      parameters: [LinkID],
      result: 'array',
      shape: shapes.linkRecord,
      help: 'The target of a link.',
      run: (_caller, id) => ({ LinkID: id, TargetID: kernel.links.get(id).data.targetId }),
    }),
    declare({
      name: 'SVC_GetLinkIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest link with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.link).id,
    }),
    declare({
      name: 'SVC_GetLinkList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all links.',
      run: () => idsOfType(kernel, objectType.link),
    }),
    declare({
      name: 'SVC_SetLinkTargetID',
      parameters: [LinkID, int('TargetID')],
      result: 'boolean',
      audited: true,
      help: 'Sets the target of a link; 0 means no target.',
      run: (_caller, id, targetId) => {
        kernel.links.setTarget(kernel.links.get(id), targetId);
        return true;
      },
    }),
  ];
}
