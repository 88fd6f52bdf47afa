import type { TreeNode } from '../web/model.js';
import { addressOf } from '../web/router.js';
import { iconPath } from '../web/icons.js';

const TYPE_ICONS = ['rooms', 'Plug', 'Gauge', 'Script', 'Clock', 'Graph', 'up'] as const;

/** The icon of an object: its own if the gateway has it, otherwise that of its type. */
export function objectIcon({ type, entry }: TreeNode): string {
  const { icon } = entry.value;
  return icon !== '' && iconPath(icon) !== undefined ? icon : (TYPE_ICONS[type] ?? 'dot');
}

/** The address of an object in the tree. */
export function addressOfNode({ id }: TreeNode): string {
  return addressOf('tree', id);
}
