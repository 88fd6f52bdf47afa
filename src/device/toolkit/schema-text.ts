import { ValueErrorType, type ValueError } from '@sinclair/typebox/errors';
import { CodedText, codedTextOf } from '../../base/codes/coded-text.js';

/** The codes of TypeBox's messages, with the keyword of the schema whose value is the parameter. */
const codes: ReadonlyMap<ValueErrorType, readonly [code: string, keyword?: string]> = new Map([
  [ValueErrorType.Array, ['SCHEMA_ARRAY']],
  [ValueErrorType.ArrayMinItems, ['SCHEMA_MIN_ITEMS', 'minItems']],
  [ValueErrorType.ArrayMaxItems, ['SCHEMA_MAX_ITEMS', 'maxItems']],
  [ValueErrorType.Boolean, ['SCHEMA_BOOLEAN']],
  [ValueErrorType.Integer, ['SCHEMA_INTEGER']],
  [ValueErrorType.IntegerMinimum, ['SCHEMA_MINIMUM', 'minimum']],
  [ValueErrorType.IntegerMaximum, ['SCHEMA_MAXIMUM', 'maximum']],
  [ValueErrorType.Number, ['SCHEMA_NUMBER']],
  [ValueErrorType.NumberMinimum, ['SCHEMA_MINIMUM', 'minimum']],
  [ValueErrorType.NumberMaximum, ['SCHEMA_MAXIMUM', 'maximum']],
  [ValueErrorType.NumberExclusiveMinimum, ['SCHEMA_ABOVE', 'exclusiveMinimum']],
  [ValueErrorType.Object, ['SCHEMA_OBJECT']],
  [ValueErrorType.ObjectAdditionalProperties, ['SCHEMA_UNKNOWN_KEY']],
  [ValueErrorType.ObjectRequiredProperty, ['SCHEMA_KEY_MISSING']],
  [ValueErrorType.String, ['SCHEMA_STRING']],
  [ValueErrorType.StringMinLength, ['SCHEMA_MIN_LENGTH', 'minLength']],
  [ValueErrorType.StringMaxLength, ['SCHEMA_MAX_LENGTH', 'maxLength']],
  [ValueErrorType.StringPattern, ['SCHEMA_PATTERN', 'pattern']],
]);

/** What is wrong with a value, in TypeBox's words. */
export function schemaText({ type, schema, message }: ValueError): CodedText {
  const [code, keyword] = codes.get(type) ?? [];
  if (code === undefined) return codedTextOf(message);
  return new CodedText(code, keyword === undefined ? [] : [String(schema[keyword])], message);
}
