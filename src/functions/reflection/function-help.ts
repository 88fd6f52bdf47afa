import type { TSchema } from '@sinclair/typebox';
import type { FunctionDeclaration, Parameter } from '../../device/declare.js';

/** A function on one line: `SetValue(integer VariableID, variant Value) → boolean`. */
export function signatureOf({ name, parameters, result }: FunctionDeclaration): string {
  return `${name}(${parameters.map(parameterText).join(', ')}) → ${result}`;
}

function parameterText({ kind, name, optional }: Parameter): string {
  return optional === true ? `[${kind} ${name}]` : `${kind} ${name}`;
}

const callers = {
  public: 'anyone, without credentials',
  socket: 'owner, and web front users for their own socket',
  webfront: 'the owner, and web front users within their area',
  owner: 'the owner',
} as const;

/** Help for a function: signature, description, structure of parameters and result, who may call it. */
export function functionHelp(declaration: FunctionDeclaration): string {
  const { help, parameters, shape, access, audited, confirmed = false } = declaration;
  const details = parameters.flatMap(({ name, enumeration, extension = [], shape: own }) => {
    if (enumeration !== undefined) {
      const words = [...enumeration, ...extension];
      return [`  ${name}: ${words.map((word, i) => `${i} ${word}`).join(', ')}`];
    }
    return own === undefined ? [] : [`  ${name}: ${inWords(own)}`];
  });
  if (shape !== undefined) details.push(`  Result: ${inWords(shape)}`);
  const notes = [
    `Callers: ${callers[access]}.`,
    ...(audited === false ? [] : ['Calls are recorded in the audit (GW_GetAudit).']),
    ...(confirmed ? ['The console sends the password again before (POST /console/confirm).'] : []),
  ];
  return `${[signatureOf(declaration), '', help, ...details, '', notes.join(' ')].join('\n')}\n`;
}

/** A schema in words: `list of {VariableID: integer, Value: boolean or float or string}`. */
function inWords(schema: TSchema): string {
  const parts = (schemas: unknown) => (schemas as TSchema[]).map(inWords);
  const { anyOf, const: literal, items, properties, additionalProperties: values } = schema;
  if (anyOf !== undefined) return parts(anyOf).join(' or ');
  if (literal !== undefined) return JSON.stringify(literal);
  if (Array.isArray(items)) return `[${parts(items).join(', ')}]`;
  if (items !== undefined) return `list of ${inWords(items as TSchema)}`;
  if (values !== undefined) return `map of ${inWords(values as TSchema)}`;
  if (properties !== undefined) {
    const members = Object.entries(properties as Record<string, TSchema>);
    return `{${members.map(([name, member]) => `${name}: ${inWords(member)}`).join(', ')}}`;
  }
  return schema['type'] === 'number' ? 'float' : String(schema['type'] ?? 'anything');
}
