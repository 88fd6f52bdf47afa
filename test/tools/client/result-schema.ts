import type { TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { ChunkedResult, joinChunks } from '../../../src/base/json-chunks.js';
import type { FunctionDeclaration } from '../../../src/device/declare.js';
import { resultShape } from '../../../src/functions/reflection/openrpc.js';

/** How a result differs from its function's declaration, in all members; undefined if it does not. */
export function schemaViolation(declaration: FunctionDeclaration, result: unknown): string | undefined {
  const schema: TSchema = resultShape(declaration);
  const problem = Value.Errors(schema, result).First();
  if (problem !== undefined) return `${declaration.name}${problem.path}: ${problem.message}`;
  const declared = JSON.stringify(Value.Clean(schema, structuredClone(result)));
  return declared === JSON.stringify(result)
    ? undefined
    : `${declaration.name} returns undeclared members: ${JSON.stringify(result).slice(0, 500)}`;
}

/** A result as a client receives it, even if it is sent in chunks. */
export async function completeResult(result: unknown): Promise<unknown> {
  const late = await result;
  return late instanceof ChunkedResult ? (JSON.parse(await joinChunks(late)) as unknown) : late;
}
