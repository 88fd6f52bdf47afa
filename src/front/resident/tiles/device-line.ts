import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import type { App } from '../app.js';
import { move } from '../controls/shutter.js';
import { stateLine, type StateLine } from './state-line.js';

/** The state of a variable, and what a command to `other` came to: another variable on the same tile. */
export function lineWithCommand(app: App, variable: TreeNode, other: TreeNode | undefined): StateLine {
  const line = stateLine(app, variable);
  if (other === undefined) return line;
  const otherLine = stateLine(app, other);
  const isProblem = otherLine.tone === 'rejected' || otherLine.tone === 'unknown';
  return isProblem ? { ...otherLine, value: line.value } : line;
}

/** The state of a shutter: its position, the motor, and what a command came to. */
export function shutterLine(app: App, shutter: TreeNode, position: TreeNode): StateLine {
  const { tile } = texts();
  const motor = app.gateway.model.child(shutter.id, 'MOVE');
  const line = lineWithCommand(app, position, motor);
  const value = motor?.value.value;
  const moving = value === move.open ? tile.opening : value === move.close ? tile.closing : '';
  if (moving === '' || ['bad', 'rejected', 'unknown'].includes(line.tone)) return line;
  return { ...line, reason: line.reason === '' ? moving : `${moving} ${line.reason}` };
}
