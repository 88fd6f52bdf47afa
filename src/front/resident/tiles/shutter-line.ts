import { texts } from '../../web/i18n/i18n.js';
import type { TreeNode } from '../../web/model.js';
import type { App } from '../app.js';
import { move } from '../controls/shutter.js';
import { stateLine, type StateLine } from './state-line.js';

/** The state of a shutter: its position, the motor, and what a command came to. */
export function shutterLine(app: App, shutter: TreeNode, position: TreeNode): StateLine {
  const { tile } = texts();
  const line = stateLine(app, position);
  const motor = app.gateway.model.child(shutter.id, 'MOVE');
  if (motor === undefined) return line;
  const motorLine = stateLine(app, motor);
  if (motorLine.tone === 'rejected' || motorLine.tone === 'unknown')
    return { ...motorLine, value: line.value };
  const value = motor.value.value;
  const moving = value === move.open ? tile.opening : value === move.close ? tile.closing : '';
  if (moving === '' || line.tone === 'bad') return line;
  return { ...line, reason: line.reason === '' ? moving : `${moving} ${line.reason}` };
}
