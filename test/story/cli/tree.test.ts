import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { commands } from '../../../src/cli/command-table.js';
import { idOf, rpc } from '../../tools/client/json-rpc.js';
import { SIMULATED_CONFIG, SAMPLE_TREE, startGateway } from '../../tools/gateway/gateway-fixture.js';
import { tempDirectory } from '../../tools/temp-directory.js';
import { addressOf, runCli } from '../../tools/gateway/run-cli.js';

const run = promisify(execFile);

interface Branch {
  readonly ID: number;
  readonly Type: string;
  readonly Path: string;
  readonly Formatted?: string;
  readonly Children: readonly Branch[];
}

t.test('tree prints the paths that call accepts, with values on request', async (t) => {
  const fixture = await startGateway(t, SIMULATED_CONFIG + SAMPLE_TREE);
  const at = ['--url', addressOf(fixture)];
  const print = async (...args: string[]) => (await runCli(['tree', ...at, ...args])).stdout;
  const relay = await idOf(fixture, 'ground_floor/hall_relay');
  const setpoint = await idOf(fixture, 'ground_floor/setpoint');
  const all = await print();
  t.match(all, new RegExp(`^ground_floor +category +\\d+  Ground floor$`, 'm'));
  t.match(all, new RegExp(`^  hall_relay +instance [A-Z][\\w ]+ +${relay}  Hall relay$`, 'm'));
  t.match(all, new RegExp(`^  setpoint +float variable +${setpoint}  Setpoint$`, 'm'), 'no values');
  t.match(
    await print('Ground floor/Setpoint', '--values'),
    /^setpoint  float variable  \d+  Setpoint  21\.5 °C\n$/,
  );
  t.equal(await print(String(setpoint)), await print('ground_floor/setpoint'));
  const root = JSON.parse(await print('--json', '--values')) as Branch;
  const flat = (branch: Branch): Branch[] => [branch, ...branch.Children.flatMap(flat)];
  const objects = flat(root);
  t.equal(objects.length, fixture.gateway.kernel.tree.size, 'every object is printed');
  for (const { ID, Path } of objects)
    t.match(
      await rpc(fixture, 'SVC_GetObject', Path.includes('/') ? Path : `/${Path}`),
      { ObjectID: ID },
      Path,
    );
  const nothing = await runCli(['tree', ...at, 'ground_floor/nothing']);
  t.match(nothing, { code: 1, stdout: '', stderr: /Nothing below ground_floor has .* nothing; existing: / });
});

t.test('each shell completes commands, options and functions', async (t) => {
  const directory = await tempDirectory(t);
  const script = async (shell: string) => {
    const { stdout } = await runCli(['completion', shell]);
    writeFileSync(join(directory, shell), stdout);
    return join(directory, shell);
  };
  const cases: Record<string, (file: string, words: readonly string[]) => readonly string[]> = {
    bash: (file, words) => [
      '-c',
      `. ${file}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _stellwerk; printf '%s\\n' "\${COMPREPLY[@]}"`,
      'bash',
      ...words,
    ],
    zsh: (file, words) => [
      '-fc',
      // The arguments that zsh's completion functions receive.
      `compdef() {}; compadd() { print -l -- \${(P)2}; }; _files() {}
       _describe() { print -l -- \${(P)2}; }; _arguments() { print -l -- "$@"; [[ $* != *compadd* ]] || compadd -a functions; }
       . ${file}; words=("$@"); CURRENT=$#; _stellwerk`,
      'zsh',
      ...words,
    ],
    fish: (file, words) => ['-c', `source ${file}; complete -C '${words.join(' ')}'`],
  };
  for (const [shell, command] of Object.entries(cases)) {
    const path = `/usr/bin/${shell}`;
    if (!existsSync(path)) {
      t.comment(`${shell} is skipped: it is not installed (test/packages.txt)`);
      continue;
    }
    const file = await script(shell);
    const complete = async (...words: string[]) => (await run(path, command(file, words))).stdout;
    for (const name of Object.keys(commands))
      t.match(
        await complete('stellwerk', name.slice(0, 2)),
        new RegExp(`^${name}\\b`, 'm'),
        `${shell}: ${name}`,
      );
    t.match(await complete('stellwerk', 'tree', '--v'), /--values/, `${shell}: an option`);
    t.match(await complete('stellwerk', 'call', 'GetValueF'), /^GetValueFormatted$/m, `${shell}: a function`);
  }
  t.match(await runCli(['completion', 'tcsh']), {
    code: 64,
    stderr: /tcsh is not one of bash, zsh, fish/,
  });
});
