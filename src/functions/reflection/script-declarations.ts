import type { FunctionDeclaration } from '../../device/declare.js';
import { openRpcDocument } from './openrpc.js';
import { declaredType, parameterList, typescriptType, type OpenRpcDocument } from './typescript.js';

/** What scripts find beside the functions of the reference; `src/script/child-run.ts` makes it. */
const WORLD = `/** This script's ID; 0 for a text that is run once. */
declare const SELF: number;
/** Who runs it: RunScript, Action, WebFront, TimerEvent, or another's own word. */
declare const SENDER: string;
/** The variable that an action or an event is about. */
declare const VARIABLE: number | undefined;
/** What the variable is to be (an action), or has become (an event). */
declare const VALUE: Value | undefined;
/** What the variable was before an event. */
declare const OLDVALUE: Value | undefined;
/** The event that runs it. */
declare const EVENT: number | undefined;
/** The object that the event stands below. */
declare const TARGET: number | undefined;
/** All values that it was started with, by name. */
declare const PARAMETERS: Readonly<Record<string, unknown>>;
/** Adds to what the script prints: texts as they are, lists and objects as JSON. */
declare function print(...items: unknown[]): void;
/** The same as print. */
declare function echo(...items: unknown[]): void;
/** Prints a line: items with a blank between. */
declare const console: Readonly<Record<'log' | 'info' | 'debug' | 'warn' | 'error', (...items: unknown[]) => void>>;
/** Runs another script here, by its ID or the name of its file; what it declares is there from then on. Each runs once; false: it has run already. */
declare function include(script: number | string): boolean;
declare function setTimeout<A extends unknown[]>(job: (...args: A) => void, ms?: number, ...args: A): number;
declare function setInterval<A extends unknown[]>(job: (...args: A) => void, ms?: number, ...args: A): number;
declare function setImmediate<A extends unknown[]>(job: (...args: A) => void, ...args: A): number;
declare function clearTimeout(id?: number): void;
declare function clearInterval(id?: number): void;
declare function clearImmediate(id?: number): void;
declare function queueMicrotask(job: () => void): void;
declare function atob(base64: string): string;
declare function btoa(bytes: string): string;
`;

const HEAD = `// What scripts of stellwerk find: functions, values, what they print with. Made by stellwerk types; edit nothing here.
`;

/** Declarations of all that a script finds, for an editor: the text of a \`.d.ts` file. */
export function scriptDeclarations(declarations: readonly FunctionDeclaration[], version: string): string {
  const { methods, components } = openRpcDocument(declarations, version) as OpenRpcDocument;
  const records = Object.entries(components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => `/** ${schema.description} */\n${declaredType(name, schema)}\n`);
  const functions = methods.filter(({ name }) => /^\w+$/.test(name)).map(declared);
  return [HEAD, WORLD, ...functions, ...records].join('\n');
}

function declared({ name, summary, params, result }: OpenRpcDocument['methods'][number]): string {
  const words = params.flatMap((param) =>
    param.description === undefined ? [] : [`\n * @param ${param.name} ${param.description}`],
  );
  const doc = words.length === 0 ? `/** ${summary} */` : `/**\n * ${summary}${words.join('')}\n */`;
  return `${doc}\ndeclare function ${name}(${parameterList(params)}): ${typescriptType(result.schema)};\n`;
}
