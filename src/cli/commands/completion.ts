import { SHELLS } from './shells.js';
import { command, type Command, UsageError } from '../command.js';
import type { CommandTable } from '../command-table.js';
import { exitCode } from '../exit-codes.js';

/** A command in a completion script. */
interface Known {
  readonly name: string;
  readonly about: string;
  readonly options: Command['options'];
}

/** The words to complete: commands, their options, and functions after `call`. */
interface Completed {
  readonly commands: readonly Known[];
  readonly functions: readonly string[];
}

const scripts: Readonly<Record<string, (completed: Completed) => string>> & {
  readonly [shell in (typeof SHELLS)[number]]: (completed: Completed) => string;
} = { bash, zsh, fish };

/** `stellwerk completion`: the completion script of a shell, for the commands of the table. */
export const completionFor = (table: CommandTable): Command =>
  command({
    usage: 'completion bash|zsh|fish',
    about: `Prints a script with which a shell completes commands, options and the functions of the gateway.
The installer installs it. In a checkout:

  bash   source <(stellwerk completion bash)                          in ~/.bashrc
  zsh    stellwerk completion zsh > "\${fpath[1]}/_stellwerk"          and start a new shell
  fish   stellwerk completion fish > ~/.config/fish/completions/stellwerk.fish`,
    options: {},
    words: [1, 1],
    exits: '0 done',
    run: async (_options, [shell = '']) => {
      const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
      if (script === undefined) throw new UsageError(`${shell} is not one of ${SHELLS.join(', ')}`);
      process.stdout.write(script(await completed(table)));
      return exitCode.ok;
    },
  });

async function completed(table: CommandTable): Promise<Completed> {
  const [{ createModuleList }, { declaredFunctions }, { systemClock }] = await Promise.all([
    import('../../composition/module-list.js'),
    import('../../functions/declared-functions.js'),
    import('../../base/clock.js'),
  ]);
  const clock = systemClock();
  const declared = declaredFunctions(await createModuleList(clock)({ board: 'simulated' }), clock);
  const known = Object.entries(table).map(async ([name, [about, load]]) => {
    // This command is being loaded: it has no options of its own.
    const options = name === 'completion' ? {} : (await load()).options;
    return { name, about, options };
  });
  return {
    commands: [...(await Promise.all(known)), { name: 'help', about: 'explain a command', options: {} }],
    functions: declared.map(({ name }) => name).sort(),
  };
}

const flagsOf = ({ options }: Known): string[] => Object.keys(options).map((name) => `--${name}`);

function bash({ commands, functions }: Completed): string {
  const cases = commands.map((one) => `    ${one.name}) options='${flagsOf(one).join(' ')}' ;;`);
  return `# bash completion of stellwerk
_stellwerk() {
  local word=\${COMP_WORDS[COMP_CWORD]} options=
  local commands='${commands.map(({ name }) => name).join(' ')}'
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands --version --help" -- "$word")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case \${COMP_WORDS[1]}/$word in
    */-*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
    help/*) mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word") ;;
    completion/*) mapfile -t COMPREPLY < <(compgen -W '${SHELLS.join(' ')}' -- "$word") ;;
    call/[A-Z]*) mapfile -t COMPREPLY < <(compgen -W '${functions.join(' ')}' -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}
complete -o filenames -F _stellwerk stellwerk
`;
}

function zsh({ commands, functions }: Completed): string {
  const described = commands.map(({ name, about }) => `    '${name}:${escaped(about)}'`);
  const cases = commands.map((one) => {
    const specs = Object.entries(one.options).map(([name, option]) => {
      const value = option.type === 'string' ? `:${option.value}:_files` : '';
      return ` '--${name}[${escaped(firstLine(option.help))}]${value}'`;
    });
    return `    ${one.name}) _arguments${specs.join('')} '${wordsOf(one.name)}' ;;`;
  });
  return `#compdef stellwerk
# zsh completion of stellwerk
_stellwerk() {
  local -a commands functions
  commands=(
${described.join('\n')}
  )
  functions=(${functions.join(' ')})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
if [ "$funcstack[1]" = _stellwerk ]; then _stellwerk "$@"; else compdef _stellwerk stellwerk; fi
`;
}

/** The completion of arguments in zsh. */
function wordsOf(name: string): string {
  if (name === 'call') return '*:function:compadd -a functions';
  if (name === 'completion') return `*:shell:(${SHELLS.join(' ')})`;
  return name === 'help' ? '*:command:{_describe command commands}' : '*:file:_files';
}

function fish({ commands, functions }: Completed): string {
  const isFirst = 'not __fish_seen_subcommand_from $__stellwerk_commands';
  const lines = commands.flatMap(({ name, about, options }) => [
    `complete -c stellwerk -f -n '${isFirst}' -a ${name} -d '${escaped(about)}'`,
    ...Object.entries(options).map(([option, { type, help }]) => {
      const value = type === 'string' ? ' -r' : '';
      const when = `-n '__fish_seen_subcommand_from ${name}'`;
      return `complete -c stellwerk ${when} -l ${option}${value} -d '${escaped(firstLine(help))}'`;
    }),
  ]);
  return `# fish completion of stellwerk
set -g __stellwerk_commands ${commands.map(({ name }) => name).join(' ')}
${lines.join('\n')}
complete -c stellwerk -f -n '__fish_seen_subcommand_from call' -a '${functions.join(' ')}'
complete -c stellwerk -f -n '__fish_seen_subcommand_from help' -a "$__stellwerk_commands"
complete -c stellwerk -f -n '__fish_seen_subcommand_from completion' -a '${SHELLS.join(' ')}'
`;
}

const firstLine = (text: string): string => text.split('\n')[0] ?? '';

/** A text for single quotes, without characters that are special in zsh's specifications. */
const escaped = (text: string): string => text.replaceAll("'", '’').replace(/[[\]:]/g, ' ');
