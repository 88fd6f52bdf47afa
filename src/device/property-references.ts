import type { TObject, TSchema } from '@sinclair/typebox';
import type { ReferenceKind } from './module.js';

/** A property value that refers to something (`referenceKind`), with its path within the instance's entry. */
export interface Reference {
  readonly refers: ReferenceKind;
  readonly value: string | number;
  readonly path: readonly (string | number)[];
}

/** Yields the references in properties; '' and 0 refer to nothing. */
export function* referencesIn(
  schema: TSchema,
  value: unknown,
  path: Reference['path'] = ['properties'],
): Generator<Reference> {
  const refers = kindOf(schema);
  if (refers !== undefined && (typeof value === 'string' || typeof value === 'number')) {
    if (value !== '' && value !== 0) yield { refers, value, path };
  } else if (schema['type'] === 'array' && Array.isArray(value)) {
    for (const [i, one] of value.entries())
      yield* referencesIn(schema['items'] as TSchema, one, [...path, i]);
  } else if (schema['type'] === 'object' && typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries((schema as TObject).properties))
      yield* referencesIn(one, (value as Readonly<Record<string, unknown>>)[name], [...path, name]);
  }
}

/** Whether a property of the module refers to something of this kind. */
export const canReferTo = ({ properties }: TObject, kind: ReferenceKind): boolean =>
  Object.values(properties).some((schema) => kindOf(schema) === kind);

const kindOf = (schema: TSchema): ReferenceKind | undefined => schema['refers'] as ReferenceKind | undefined;
