import { parseArgs } from 'node:util';
import { messageOf } from '../base/fault.js';
import { didYouMean } from '../base/did-you-mean.js';

/** An option of a command; `value` is the name of its argument in the help. */
type Option =
  | { readonly type: 'string'; readonly value: string; readonly help: string; readonly multiple?: boolean }
  | { readonly type: 'boolean'; readonly help: string };
type Options = Readonly<Record<string, Option>>;

type Values<O extends Options> = {
  readonly [K in keyof O]?: O[K] extends { type: 'boolean' }
    ? boolean
    : O[K] extends { multiple: true }
      ? string[]
      : string;
};

/** The definition of a command. */
interface CommandSpec<O extends Options> {
  /** The synopsis without `stellwerk`: `backup [options] FILE`. */
  readonly usage: string;
  /** The description; lines of at most 100 characters. */
  readonly about: string;
  readonly options: O;
  /** Minimum and maximum number of arguments, without options. */
  readonly words: readonly [minimum: number, maximum: number];
  /** The exit codes on one line, except 64, which all commands have. */
  readonly exits: string;
  /** Returns the help for `--help` with arguments. */
  explain?(words: readonly string[]): Promise<string>;
  /** Runs the command; resolves with the exit code. */
  run(options: Values<O>, words: readonly string[]): Promise<number>;
}

/** A command, ready to be run with the arguments after its name. */
export interface Command {
  readonly help: string;
  /** For shell completion. */
  readonly options: Options;
  /** Resolves with the exit code; rejects with the error ({@link UsageError} for wrong arguments). */
  run(args: readonly string[]): Promise<number>;
}

/** The arguments are invalid; the text says what to type. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

const HELP: Option = { type: 'boolean', help: 'this text' };

/** Creates a command from its definition. Parses the arguments and handles `--help`. */
export function command<const O extends Options>(spec: CommandSpec<O>): Command {
  const options = { ...spec.options, help: HELP };
  const help = helpOf(spec, options);
  return {
    help,
    options,
    run: async (args) => {
      const { values, positionals } = parsed(args, options);
      const words = positionals.map(plain);
      if (values['help'] === true) {
        const page = words.length > 0 ? spec.explain?.(words) : undefined;
        process.stdout.write((await page) ?? help);
        return 0;
      }
      const [minimum, maximum] = spec.words;
      if (words.length < minimum || words.length > maximum)
        throw new UsageError(
          words.length < minimum ? 'an argument is missing' : `unexpected argument ${words[maximum]}`,
        );
      return spec.run(values as Values<O>, words);
    },
  };
}

function parsed(args: readonly string[], options: Options) {
  try {
    const config = { options: { ...options, help: { type: 'boolean', short: 'h' } } as const };
    return parseArgs({ ...config, args: args.map(guarded), allowPositionals: true });
  } catch (thrown) {
    const unknown = /^Unknown option '-*([^']*)'/.exec(messageOf(thrown))?.[1];
    if (unknown === undefined) throw new UsageError(messageOf(thrown));
    throw new UsageError(
      `there is no option ${unknown}${didYouMean(unknown, Object.keys(options)).toString()}`,
    );
  }
}

/**
 * Adds a leading blank to a negative number while options are parsed, so that it is an argument and not an
 * option.
 */
const guarded = (arg: string): string => (/^-[\d.]/.test(arg) ? ` ${arg}` : arg);
const plain = (word: string): string => (/^ -[\d.]/.test(word) ? word.slice(1) : word);

function helpOf({ usage, about, exits }: CommandSpec<Options>, options: Options): string {
  const lines = Object.entries(options).map(([name, option]) => {
    const typed = option.type === 'string' ? `--${name} ${option.value}` : `--${name}`;
    return `  ${typed.padEnd(22)}  ${option.help.replaceAll('\n', `\n${' '.repeat(26)}`)}`;
  });
  return `usage: stellwerk ${usage}\n\n${about}\n\n${lines.join('\n')}\n\nExit codes: ${exits}; 64 wrong usage.\n`;
}
