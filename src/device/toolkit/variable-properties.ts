import { Type } from '@sinclair/typebox';
import { enumProperty } from './enum-property.js';
import { IDENT_PATTERN, variableTypeNames } from './notation.js';
import { withHelp } from './property-help.js';

/** The properties of an entry that adds a variable to an instance. */
export const variableProperties = {
  Ident: withHelp(Type.String({ pattern: IDENT_PATTERN, maxLength: 64 }), '', 'The ident of the variable.'),
  Name: withHelp(
    Type.Optional(Type.String({ maxLength: 200 })),
    '',
    'The name of the variable; the ident by default.',
  ),
  Type: withHelp(enumProperty(variableTypeNames, 'string'), '', 'The type of the variable.'),
};
