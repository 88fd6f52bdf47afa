import { Type, type Static } from '@sinclair/typebox';
import { enumProperty } from '../../../src/device/toolkit/enum-property.js';
import { withAdvancedHelp, withHelp } from '../../../src/device/toolkit/property-help.js';
import { variableType, type VariableDeclaration } from '../../../src/device/module.js';
import { priorities } from '../queue/entry.js';

const pathRule = Type.Object(
  {
    Path: withHelp(
      Type.String({ default: '', minLength: 1, maxLength: 1000 }),
      'Forwarding',
      'The ident path of an object; / is the complete tree.',
    ),
    Priority: withHelp(
      enumProperty(priorities, 'normal'),
      'Forwarding',
      'If the queue is full, values of the lowest priority are dropped first.',
    ),
  },
  { additionalProperties: false },
);
export type PathRule = Static<typeof pathRule>;

/** What is forwarded, and the queue of all bridges. */
export const queueProperties = {
  Paths: withHelp(
    Type.Array(pathRule, { default: [], maxItems: 1000 }),
    'Forwarding',
    'The objects whose variables are forwarded, with everything below them.',
  ),
  MaxMiB: withAdvancedHelp(
    Type.Integer({ default: 64, minimum: 1, maximum: 100_000 }),
    'Queue',
    'The largest size of the queue on the disk, MiB.',
  ),
  MaxDays: withAdvancedHelp(
    Type.Integer({ default: 365, minimum: 1, maximum: 36_500 }),
    'Queue',
    'Older values are dropped.',
  ),
  WriteInterval: withAdvancedHelp(
    Type.Integer({ default: 10, minimum: 1, maximum: 3600 }),
    'Queue',
    'How often values that were not acknowledged are written to the disk, in seconds.',
  ),
  ResendRate: withAdvancedHelp(
    Type.Integer({ default: 200, minimum: 1, maximum: 100_000 }),
    'Queue',
    'How many historical values are sent per second when the receiver is available again.',
  ),
};
const all = Type.Object(queueProperties);
export type QueueProperties = Static<typeof all>;

/** The variables of all bridges. */
export const bridgeVariables: readonly VariableDeclaration[] = [
  { ident: 'CONNECTED', name: 'Connected', type: variableType.boolean, role: 'detail', position: 1 },
  { ident: 'WAITING', name: 'Waiting values', type: variableType.integer, role: 'diagnostic', position: 2 },
  { ident: 'DROPPED', name: 'Dropped values', type: variableType.integer, role: 'diagnostic', position: 3 },
];
