import type { Model, TreeNode } from './model.js';

/** The object of a tile: by its ID, or by the path of its idents below the base of the area. */
export function objectAt(
  model: Model,
  base: TreeNode | undefined,
  reference: number | string,
): TreeNode | undefined {
  if (typeof reference === 'number') return model.find(reference);
  let node = base;
  for (const ident of reference.split('/')) node = node && model.child(node.id, ident);
  return node;
}
