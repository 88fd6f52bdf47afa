import { systemClock } from '../../base/clock.js';
import type { AnyFunction, Client } from '../../client/index.js';
import { RpcError } from '../../client/index.js';
import { closestWord } from '../../base/did-you-mean.js';
import { command, UsageError } from '../command.js';
import { exitCode } from '../exit-codes.js';
import { paramsOf, type ParameterFacts } from '../arguments/parameters.js';
import { jsonText } from '../output/terminal.js';
import { gatewayClient, gatewayOptions } from '../arguments/locate-gateway.js';

/** `stellwerk call METHOD [PARAMETER…]`: calls one function and prints its result. */
export const call = command({
  usage: 'call [options] METHOD [PARAMETER…]',
  about: `Calls a function of the gateway and prints its result as JSON.

A parameter is text if the function expects text (BUTTON1), otherwise JSON (true, 21.5, '[1,2]').
Instead of an object's ID: its path of idents or names (ground_floor/hall_relay/STATE). Instead of a time in
unix seconds: yesterday, 2026-11-01, -2h. Instead of the number of an enumeration: its name.
Parameters may be named: VariableID=12345 Value=21.5.

stellwerk call --help NAME explains a function, or lists the functions whose names contain NAME.`,
  options: gatewayOptions,
  words: [1, Infinity],
  exits:
    '0 done, 1 the call was rejected or failed, 69 the gateway cannot be reached, 78 errors in the configuration',
  explain: ([name = '']) => explained(name),
  run: async (options, [method = '', ...words]) => {
    const gateway = await gatewayClient(options);
    const parameters = (await parametersOf(gateway, method)) ?? [];
    const params = paramsOf(words, parameters, systemClock().nowMs());
    const result = await gateway.request(method, params);
    process.stdout.write(`${jsonText(result, process.stdout.isTTY ? 2 : 0)}\n`);
    return exitCode.ok;
  },
});

/**
 * The parameters as the gateway declares them; undefined if this caller may not know them. Rejects when
 * there is no such function, saying which one may have been meant.
 */
async function parametersOf(
  gateway: Client<AnyFunction>,
  method: string,
): Promise<readonly ParameterFacts[] | undefined> {
  try {
    const record = (await gateway.call('SVC_GetFunction', method)) as { Parameters: ParameterFacts[] };
    return record.Parameters;
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    if (thrown.reason !== 'FUNCTION_MISSING') return undefined;
    const names = (await gateway.call('SVC_GetFunctionList', 0)) as string[];
    const near = closestWord(method, names);
    const hint =
      near === undefined
        ? 'stellwerk call --help PART lists those with PART in their names'
        : `did you mean ${near}?`;
    throw new RpcError(thrown.code, `there is no function ${method}; ${hint}`, thrown.data);
  }
}

/** A page about a function, without a gateway; of all modules, those of the simulated board too. */
async function explained(name: string): Promise<string> {
  const [{ createModuleList }, { declaredFunctions }, { functionHelp, signatureOf }] = await Promise.all([
    import('../../composition/module-list.js'),
    import('../../functions/declared-functions.js'),
    import('../../functions/reflection/function-help.js'),
  ]);
  const clock = systemClock();
  const all = declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
  const exact = all.find((declaration) => declaration.name.toLowerCase() === name.toLowerCase());
  if (exact !== undefined) return functionHelp(exact);
  const part = name.toLowerCase();
  const found = all.filter((declaration) => declaration.name.toLowerCase().includes(part));
  if (found.length > 0) return found.map((one) => `${signatureOf(one)}\n    ${one.help}\n`).join('');
  const near = closestWord(
    name,
    all.map((declaration) => declaration.name),
  );
  throw new UsageError(`there is no function ${name}${near === undefined ? '' : `; did you mean ${near}?`}`);
}
