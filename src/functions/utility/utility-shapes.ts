import { Type } from '@sinclair/typebox';
import { int, listOf } from '../shapes.js';

const text = Type.String();

export const references = listOf(
  Type.Object(
    { ObjectID: int, Kind: text, Line: int, Text: text },
    {
      $id: 'Reference',
      description:
        'A use of an object: by which object, how, and at which line of a text (0: not in a text).',
    },
  ),
);

export const foundLines = listOf(
  Type.Object(
    { File: text, Line: int, Text: text },
    { $id: 'FoundLine', description: 'A line of a script, counted from 1.' },
  ),
);

export const invalidTexts = listOf(
  Type.Object(
    {
      ObjectID: int,
      Profile: text,
      Attribute: Type.Union(
        (['Name', 'Icon', 'Info', 'Summary', 'Value', 'Prefix', 'Suffix', 'Association'] as const).map(
          (name) => Type.Literal(name),
        ),
      ),
      Text: text,
    },
    {
      $id: 'InvalidText',
      description: 'A text with invalid characters, of an object (Profile is "") or of a profile.',
    },
  ),
);
