import { declare, int, text, type FunctionDeclaration } from '../../device/declare.js';
import { objectType } from '../../kernel/object.js';
import { childByName, idsOfType, isOfType } from '../argument-checks.js';
import type { Ports } from '../ports.js';
import * as shapes from '../shapes.js';

/** Categories (interface §9). */
export function categoryFunctions({ kernel, deletions }: Ports): FunctionDeclaration[] {
  const { tree } = kernel;
  const CategoryID = int('CategoryID');
  return [
    declare({
      name: 'SVC_CreateCategory',
      parameters: [],
      result: 'integer',
      audited: true,
      help: 'Creates a category below the root and returns its ID.',
      run: () => tree.create(objectType.category, {}).id,
    }),
    declare({
      name: 'SVC_DeleteCategory',
      parameters: [CategoryID],
      result: 'boolean',
      audited: true,
      help: 'Deletes a category without children.',
      run: (caller, id) => {
        deletions.deleteOne(caller, tree.getOfType(objectType.category, id));
        return true;
      },
    }),
    declare({
      name: 'SVC_CategoryExists',
      parameters: [CategoryID],
      result: 'boolean',
      help: 'Whether a category with this ID exists.',
      run: (_caller, id) => isOfType(kernel, id, objectType.category),
    }),
    declare({
      name: 'SVC_GetCategory',
      parameters: [CategoryID],
      result: 'array',
      shape: shapes.empty,
      help: 'The properties of a category: none beyond those of SVC_GetObject.',
      run: (_caller, id) => tree.getOfType(objectType.category, id).data,
    }),
    declare({
      name: 'SVC_GetCategoryIDByName',
      parameters: [text('Name'), int('ParentID')],
      result: 'integer',
      help: 'The ID of the oldest category with this name among the children of an object.',
      run: (_caller, name, parentId) => childByName(kernel, [parentId, name], objectType.category).id,
    }),
    declare({
      name: 'SVC_GetCategoryList',
      parameters: [],
      result: 'array',
      shape: shapes.ids,
      help: 'The IDs of all categories.',
      run: () => idsOfType(kernel, objectType.category),
    }),
  ];
}
