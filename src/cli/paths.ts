import { type AnyFunction, type Client, RpcError } from '../client/index.js';

/** More would not be read. */
const SHOWN = 40;

/**
 * The id of the object with these idents from the root down. Where there is none, rejects with the idents that there are.
 */
export async function idAt(gateway: Client<AnyFunction>, path: readonly string[]): Promise<number> {
  let id = 0;
  for (const [depth, ident] of path.entries()) {
    try {
      id = (await gateway.call('SVC_GetObjectIDByIdent', ident, id)) as number;
    } catch (thrown) {
      if (!(thrown instanceof RpcError) || thrown.reason !== 'IDENT_NOT_FOUND') throw thrown;
      const place = depth === 0 ? 'at the root' : `below ${path.slice(0, depth).join('/')}`;
      const idents = await identsBelow(gateway, id);
      const there =
        idents.length === 0 ? 'nothing there has one' : `there: ${idents.slice(0, SHOWN).join(', ')}`;
      throw new RpcError(thrown.code, `nothing ${place} has the ident ${ident}; ${there}`, thrown.data);
    }
  }
  return id;
}

async function identsBelow(gateway: Client<AnyFunction>, id: number): Promise<string[]> {
  const children = (await gateway.call('SVC_GetChildrenIDs', id)) as number[];
  const answers = await gateway.batch(children.map((child) => ['SVC_GetObject', child] as const));
  return answers.flatMap((answer) =>
    answer.ok ? [(answer.result as { ObjectIdent: string }).ObjectIdent].filter((ident) => ident !== '') : [],
  );
}
