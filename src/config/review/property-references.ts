import type { TObject, TSchema } from '@sinclair/typebox';
import type { ReferenceKind } from '../../device/module.js';
import type { Properties } from '../../device/properties.js';
import type { DocumentPath } from '../document.js';

/** A value of an instance's properties that names something (`refersTo`), with its steps from the instance's entry. */
export interface Reference {
  readonly refers: ReferenceKind;
  readonly value: string | number;
  readonly path: DocumentPath;
}

/** What the properties name; what is empty or 0 names nothing. */
export function* referencesIn(
  schema: TSchema,
  value: unknown,
  path: DocumentPath = ['properties'],
): Generator<Reference> {
  const refers = schema['refers'] as ReferenceKind | undefined;
  if (refers !== undefined && (typeof value === 'string' || typeof value === 'number')) {
    if (value !== '' && value !== 0) yield { refers, value, path };
  } else if (schema['type'] === 'array' && Array.isArray(value)) {
    for (const [i, one] of value.entries())
      yield* referencesIn(schema['items'] as TSchema, one, [...path, i]);
  } else if (schema['type'] === 'object' && typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries((schema as TObject).properties))
      yield* referencesIn(one, (value as Properties)[name], [...path, name]);
  }
}
