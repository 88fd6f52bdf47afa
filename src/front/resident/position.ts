import { texts } from '../web/i18n/i18n.js';
import type { Model, TreeNode } from '../web/model.js';

/** Whether a variable is the position of a Shutter: 0 open, 100 closed. */
export function isPosition(model: Model, variable: TreeNode): boolean {
  const { ident, parentID } = variable.entry.value;
  return ident === 'POSITION' && model.find(parentID)?.entry.value.data.moduleName === 'Shutter';
}

/** A position in words. */
export function positionText(value: number): string {
  const { tile } = texts();
  return value <= 0
    ? tile.isOpen
    : value >= 100
      ? tile.isClosed
      : tile.percentClosed(`${Math.round(value)} %`);
}
